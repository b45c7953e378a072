/* clock.c - see clock.h. */
#include "api/base/clock.h"

#include <time.h>

double api_now(void *context) {
  (void)context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
