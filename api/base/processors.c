/* processors.c - see processors.h. */
#include "api/base/processors.h"

#include <sched.h>
#include <unistd.h>

size_t api_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (size_t)CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than fit into a set */
  return online > 0 ? (size_t)online : 1;
}
