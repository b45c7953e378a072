/* tokens.h - who may come in: a file of lines `name right hash`. The hash is the SHA-256 of a token, in hexadecimal
 * digits: tokens are 256 random bits, which nobody tries out, so a slow hash with salt, as passwords need, would add
 * nothing. */
#ifndef SERVER_BASE_TOKENS_H
#define SERVER_BASE_TOKENS_H

#include "api/service.h"

#include <stdbool.h>
#include <stdio.h>

enum { TOKENS_MESSAGE_SIZE = 512 };

typedef struct srv_tokens srv_tokens;

/* Reads a file that others than its owner and group may not read, and only its owner may write. NULL with the reason in
 * `message`, which names the line. */
srv_tokens *srv_tokens_open(const char *path, char message[TOKENS_MESSAGE_SIZE]);
/* Reads it again; false with the reason, and what was read before still counts. Any thread. */
bool srv_tokens_reload(srv_tokens *self, char message[TOKENS_MESSAGE_SIZE]);
/* Whose a token is; false where it is nobody's. How long it takes does not tell how much of it was right. Any
 * thread. */
bool srv_tokens_find(srv_tokens *self, const char *token, size_t size, service_holder *holder);
size_t srv_tokens_count(srv_tokens *self);
void srv_tokens_free(srv_tokens *self);

/* Makes a token of its name and right (a word): its line of the file goes to `line`, the token to `secret`. False with
 * the reason on `secret`. */
bool srv_token_new(const char *name, const char *right, FILE *line, FILE *secret);

#endif
