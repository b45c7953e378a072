/* process_time.c - see process_time.h. */
#include "server/jobs/process_time.h"

#include <time.h>

double process_time(pid_t pid) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
