/* digest.c - see digest.h. */
#include "api/base/digest.h"

#include <stdint.h>

void api_digest_begin(api_digest *digest) { sha256_init(digest); }

void api_digest_add(api_digest *digest, const void *data, size_t size) { sha256_update(digest, size, data); }

void api_digest_end(api_digest *digest, char out[API_DIGEST_SIZE]) {
  uint8_t bytes[SHA256_DIGEST_SIZE];
  sha256_digest(digest, sizeof bytes, bytes);
  static const char hex[] = "0123456789abcdef";
  for (size_t i = 0; i < sizeof bytes; i++) {
    out[2 * i] = hex[bytes[i] >> 4];
    out[2 * i + 1] = hex[bytes[i] & 15];
  }
  out[2 * sizeof bytes] = '\0';
}
