/* process_memory.c - see process_memory.h. */
#include "server/jobs/process_memory.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

size_t process_memory(void) {
  char text[64] = "";
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (!fgets(text, sizeof text, file)) text[0] = '\0';
  fclose(file);
  return strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE); /* its first number: pages in all */
}

void process_memory_limit(size_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

void process_memory_limit_growth(size_t bytes) {
  size_t freed = mallinfo2().fordblks;
  process_memory_limit(process_memory() + (bytes > freed ? bytes - freed : 0));
}
