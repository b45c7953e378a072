/* certificate.h - certificates in the making: of a run of the program itself. */
#ifndef CLI_CERTIFICATE_H
#define CLI_CERTIFICATE_H

#include "api/certificate/results_digest.h"
#include "api/jobs/outcome.h"
#include "mbs.h"

/* The checksum of a request's document; false: it is none. */
bool cli_document_sum(const char *text, size_t size, char out[API_DIGEST_SIZE]);
/* The request with `certify` set, or taken away, malloc'd; NULL: it is none that has an analysis, or no memory. */
char *cli_certified(const char *text, size_t *size, bool certify);
/* Adds an array to the checksums. */
void cli_digest_array(api_results_digest *digest, const mbs_array *array);
/* Writes the certificate of a run: as a page where the name of the file ends so, .html, as text, .txt, else as JSON.
 * False after saying what is wrong. */
bool cli_write_certificate(const char *path, const char *text, size_t size, const job_outcome *outcome,
                           api_results_digest *digest);

#endif
