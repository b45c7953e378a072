/* tokens.h - token file: one line `name permission hash` per client, with limits of this client behind it, if it has
 * own ones: `stored-bytes=10G cpu-seconds=3600`.
 *
 * The hash is the SHA-256 of a token, in hexadecimal digits. Tokens are 256 random bits and cannot be guessed, so a
 * slow salted hash, as for passwords, would add nothing. */
#ifndef SERVER_BASE_TOKENS_H
#define SERVER_BASE_TOKENS_H

#include "api/service.h"

#include <stdbool.h>
#include <stdio.h>

enum { TOKENS_MESSAGE_SIZE = 512 };

typedef struct srv_tokens srv_tokens;

/* Reads a token file, which only its owner and group may read, and only its owner may write. Returns NULL with the
 * reason, which names the line, in `message` on failure. */
srv_tokens *srv_tokens_open(const char *path, char message[TOKENS_MESSAGE_SIZE]);
/* Reads the file again. Returns false with the reason on failure; then the previous tokens stay valid. Any thread. */
bool srv_tokens_reload(srv_tokens *self, char message[TOKENS_MESSAGE_SIZE]);
/* Finds the holder of a token. Returns false if the token is unknown. The time of the search does not depend on the
 * matching part of the token. Any thread. */
bool srv_tokens_find(srv_tokens *self, const char *token, size_t size, service_holder *holder);
size_t srv_tokens_count(srv_tokens *self);
void srv_tokens_free(srv_tokens *self);

/* Creates a token with a name and a permission (a word): writes its line of the file to `line`, the token to `secret`.
 * Returns false with the reason on `secret` on failure. */
bool srv_token_new(const char *name, const char *right, FILE *line, FILE *secret);

#endif
