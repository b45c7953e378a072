/* certificate.h - what vouches for a result, as one document that can be printed, kept, and verified later. */
#ifndef API_CERTIFICATE_CERTIFICATE_H
#define API_CERTIFICATE_CERTIFICATE_H

#include "api/base/digest.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What it is made of. */
typedef struct api_certified {
  const char *job;      /* its id; NULL: no service ran it */
  double finished;      /* seconds since 1970; 0: not told */
  const char *document; /* checksum, api_content_document_hash() */
  const json_t *report; /* null: there is none */
  const json_t *error;  /* null: the run came to its end */
  json_t *results;      /* of api_results_digest_end(), taken over */
} api_certified;

/* The certificate, with its own checksum; NULL: no memory. The same job has the same one, always. */
json_t *api_certificate_make(const api_certified *from);
/* The SHA-256 of the certificate without its member "checksum": members by name, numbers of 17 digits, nothing between.
 * False: no memory. */
bool api_certificate_sum(const json_t *certificate, char out[API_DIGEST_SIZE]);
/* Whether that is what it says of itself. */
bool api_certificate_holds(const json_t *certificate);
/* From its JSON text, or from the page that has it; NULL: it is neither. */
json_t *api_certificate_read(const char *text, size_t size, bool *page);

#endif
