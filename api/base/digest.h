/* digest.h - SHA-256 digests as 64 hexadecimal digits. */
#ifndef API_BASE_DIGEST_H
#define API_BASE_DIGEST_H

#include <nettle/sha2.h>
#include <stddef.h>

enum { API_DIGEST_SIZE = 65 }; /* with the terminating 0 */

typedef struct sha256_ctx api_digest;

void api_digest_begin(api_digest *digest);
void api_digest_add(api_digest *digest, const void *data, size_t size);
void api_digest_end(api_digest *digest, char out[API_DIGEST_SIZE]);

#endif
