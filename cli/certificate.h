/* certificate.h - creates certificates of runs of this program. */
#ifndef CLI_CERTIFICATE_H
#define CLI_CERTIFICATE_H

#include "api/certificate/results_digest.h"
#include "api/jobs/outcome.h"
#include "mbs.h"

/* Computes the checksum of a request's document. Returns false if the text is not a document. */
bool cli_document_sum(const char *text, size_t size, char out[API_DIGEST_SIZE]);
/* Returns the request with `certify` set or removed, malloc'd. Returns NULL if it has no analysis or memory runs
 * out. */
char *cli_certified(const char *text, size_t *size, bool certify);
/* Adds an array to the checksums. */
void cli_digest_array(api_results_digest *digest, const mbs_array *array);
/* Writes the certificate of a run: as HTML if the name of the file ends in .html, as text for .txt, else as JSON.
 * Returns false after printing an error. */
bool cli_write_certificate(const char *path, const char *text, size_t size, const job_outcome *outcome,
                           api_results_digest *digest);

#endif
