/* limits.h - the limits of the client that sends a call. */
#ifndef API_HTTP_LIMITS_H
#define API_HTTP_LIMITS_H

#include "api/http/call.h"

#include <jansson.h>

/* Sets the limits of the sender of a call: those of its token, or else those of all clients; 0: none. */
void api_limits_of(const api_call *call, double most[SERVICE_LIMITS]);
/* Returns an amount that a limit counts, as a JSON number: an integer of jobs or bytes, or seconds. */
json_t *api_limit_amount(service_limit limit, double amount);

#endif
