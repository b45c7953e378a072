/* check_limits.c - see check_limits.h. */
#include "api/resources/check_limits.h"

mbs_limits api_check_limits(const service *asked) {
  return (mbs_limits){.rows = asked->limits.rows,
                      .memory = asked->limits.check_bytes,
                      .advice = "start the service with a larger --check-memory"};
}
