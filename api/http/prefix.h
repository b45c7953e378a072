/* prefix.h - the path under which a proxy shows the service, which stands before every path in an answer. */
#ifndef API_HTTP_PREFIX_H
#define API_HTTP_PREFIX_H

#include "api/http/request.h"

enum { API_PREFIX_SIZE = 128 };

/* What X-Forwarded-Prefix says, "/mbs", without a slash at its end; "" where it did not come, or is no plain path. */
void api_prefix(const api_request *request, char prefix[API_PREFIX_SIZE]);

#endif
