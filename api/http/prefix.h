/* prefix.h - the path under which a proxy publishes the service; responses put it before every path. */
#ifndef API_HTTP_PREFIX_H
#define API_HTTP_PREFIX_H

#include "api/http/request.h"

enum { API_PREFIX_SIZE = 128 };

/* Copies the X-Forwarded-Prefix header, e.g. "/mbs", without a slash at its end; "" if it is missing or not a plain
 * path. */
void api_prefix(const api_request *request, char prefix[API_PREFIX_SIZE]);

#endif
