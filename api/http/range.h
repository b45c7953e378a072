/* range.h - range requests (RFC 9110, section 14). */
#ifndef API_HTTP_RANGE_H
#define API_HTTP_RANGE_H

#include "api/http/call.h"
#include "api/http/response.h"

/* Sets Accept-Ranges for bodies that have an ETag and a known length and are in memory or seekable. If a GET asks for
 * one range, reduces the response to it: 206, or 416 if the body has no byte of it. Several ranges, and invalid ones,
 * are answered with the whole body. */
void api_range_apply(const api_call *call, api_response *response);

#endif
