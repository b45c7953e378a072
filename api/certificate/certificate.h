/* certificate.h - the certificate of a result: one document that can be printed, stored, and verified later. */
#ifndef API_CERTIFICATE_CERTIFICATE_H
#define API_CERTIFICATE_CERTIFICATE_H

#include "api/base/digest.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The contents of a certificate. */
typedef struct api_certified {
  const char *job;      /* job id; NULL: not run by a service */
  double finished;      /* seconds since 1970; 0: not given */
  const char *document; /* checksum from api_content_document_hash() */
  const json_t *report; /* null: there is none */
  const json_t *error;  /* null: the run succeeded */
  json_t *results;      /* from api_results_digest_end(); owned */
} api_certified;

/* Returns the certificate with its own checksum; NULL if memory runs out. One job always gives the same certificate. */
json_t *api_certificate_make(const api_certified *from);
/* Computes the SHA-256 of the certificate without its member "checksum": members sorted by name, numbers with 17
 * digits, no blanks. Returns false if memory runs out. */
bool api_certificate_sum(const json_t *certificate, char out[API_DIGEST_SIZE]);
/* Returns true if the checksum in the certificate is correct. */
bool api_certificate_holds(const json_t *certificate);
/* Reads a certificate from its JSON text, or from the HTML page that contains it (sets `page`). Returns NULL if the
 * text is neither. */
json_t *api_certificate_read(const char *text, size_t size, bool *page);

#endif
