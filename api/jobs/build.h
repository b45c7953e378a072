/* build.h - the model of a job's document. */
#ifndef API_JOBS_BUILD_H
#define API_JOBS_BUILD_H

#include "api/documents/document.h"
#include "mbs.h"

#include <jansson.h>

/* Builds the model of a request's body, which is freed. NULL: `error` says why, with all mistakes; the caller's. */
mbs_model *api_build_document(api_document *document, const mbs_limits *limits, json_t **error);
/* The same of its text. */
mbs_model *api_build_text(const char *text, size_t size, const mbs_limits *limits, json_t **error);

#endif
