/* encoding.h - gzip content encoding (RFC 9110, sections 8.4 and 12.5.3). */
#ifndef API_HTTP_ENCODING_H
#define API_HTTP_ENCODING_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

/* Returns true if the request's body is not encoded. Returns false after answering 415. */
bool api_encoding_reads(const api_call *call, api_response *response);
/* Compresses the body if the client's Accept-Encoding prefers that and the body is a long text or program, or if the
 * client accepts nothing else. Answers 406 if the client accepts no encoding that the service has. For a large body it
 * requests to be called again on a worker thread (`beside`, see api_response). Returns true if ranges of the body
 * cannot be served. */
bool api_encoding_apply(const api_call *call, api_response *response);

#endif
