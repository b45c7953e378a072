/* results_digest.h - checksums of result arrays. The checksum of an array is the SHA-256 of its numbers, row by row, as
 * little-endian IEEE 754 doubles. The checksum of all arrays is the SHA-256 of one line for each, "NAME SHAPE
 * SHA256\n", with a shape such as 201x6. */
#ifndef API_CERTIFICATE_RESULTS_DIGEST_H
#define API_CERTIFICATE_RESULTS_DIGEST_H

#include "api/base/digest.h"

#include <jansson.h>

typedef struct api_results_digest {
  json_t *arrays; /* [{"name", "shape", "sha256"}] */
  api_digest all, one;
  char line[400];
  json_t *entry;
} api_results_digest;

void api_results_digest_begin(api_results_digest *self);
/* Begins the next array; its shape has `rank` numbers. */
void api_results_digest_array(api_results_digest *self, const char *name, const size_t *shape, int rank);
/* Adds the next numbers of the array. */
void api_results_digest_numbers(api_results_digest *self, const double *numbers, size_t count);
/* Ends the array. */
void api_results_digest_array_end(api_results_digest *self);
/* Returns {"sha256", "arrays"}, a new reference. */
json_t *api_results_digest_end(api_results_digest *self);

#endif
