/* limits.c - see limits.h. */
#include "api/http/limits.h"

#include "api/base/values.h"

void api_limits_of(const api_call *call, double most[SERVICE_LIMITS]) {
  for (service_limit i = 0; i < SERVICE_LIMITS; i++) {
    const double own = call->holder ? call->holder->most[i] : 0;
    most[i] = own > 0 ? own : call->service->limits.client[i];
  }
}

json_t *api_limit_amount(service_limit limit, double amount) {
  return limit == SERVICE_LIMIT_CPU ? api_json_number(amount) : json_integer((json_int_t)amount);
}
