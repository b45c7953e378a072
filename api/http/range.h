/* range.h - a part of a body instead of the whole (RFC 9110, section 14). */
#ifndef API_HTTP_RANGE_H
#define API_HTTP_RANGE_H

#include "api/http/call.h"
#include "api/http/response.h"

/* Says whether parts of the body can be had (Accept-Ranges): of bodies with an ETag whose length is known and that are
 * in memory or can be sought. Makes the answer to a GET the one range that it asks for: 206, or 416 where no byte of it
 * is there. Several ranges at once, and what is no range, are answered with the whole. */
void api_range_apply(const api_call *call, api_response *response);

#endif
