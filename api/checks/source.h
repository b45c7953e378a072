/* source.h - a worker's conversion of a model of another program. */
#ifndef API_CHECKS_SOURCE_H
#define API_CHECKS_SOURCE_H

#include "api/http/call.h"
#include "api/http/response.h"
#include "mbs.h"

/* Prepares a process that may open no files afterwards. */
void api_source_prepare(void);
/* Converts the source in the document, as the query of its target asks: ?format=, ?main=, ?partial=, ?keyframe=,
 * ?floating=. Answers with {"format", "model", "notes", "summary"}, or with a problem document that has the code of the
 * first error, and all errors in "errors". */
void api_source_convert(const service_document *document, const mbs_limits *limits, const api_call *call,
                        api_response *response);

#endif
