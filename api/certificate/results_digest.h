/* results_digest.h - checksums of result arrays: of each the SHA-256 of its numbers, row by row, as IEEE 754 doubles of
 * 8 bytes, the least significant first; of all that of a line for each, "NAME SHAPE SHA256\n", its shape as 201x6. */
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
/* The next array, `rank` numbers of its shape. */
void api_results_digest_array(api_results_digest *self, const char *name, const size_t *shape, int rank);
/* Its next numbers. */
void api_results_digest_numbers(api_results_digest *self, const double *numbers, size_t count);
/* That were all of the array. */
void api_results_digest_array_end(api_results_digest *self);
/* {"sha256", "arrays"}; a new reference. */
json_t *api_results_digest_end(api_results_digest *self);

#endif
