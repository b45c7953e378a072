/* build.h - builds the model of a job. */
#ifndef API_JOBS_BUILD_H
#define API_JOBS_BUILD_H

#include "api/documents/document.h"
#include "mbs.h"

#include <jansson.h>

/* Returns an error that lists the errors of a document in "errors". */
json_t *api_build_errors(const mbs_diagnostics *list);
/* Builds the model of a request's body, and frees the document. Returns NULL and sets `error`, with all errors of the
 * document; the caller releases it. */
mbs_model *api_build_document(api_document *document, const mbs_limits *limits, json_t **error);
/* Builds the model of a request's text. */
mbs_model *api_build_text(const char *text, size_t size, const mbs_limits *limits, json_t **error);

#endif
