/* process_memory.c - see process_memory.h. */
#include "server/jobs/process_memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int kept = -1; /* set by process_memory_keep() */

static int open_file(void) { return open("/proc/self/statm", O_RDONLY | O_CLOEXEC); }

void process_memory_keep(int place) {
  int file = open_file();
  if (file >= 0 && dup2(file, place) == place) kept = place;
  if (file >= 0 && file != place) close(file);
}

size_t process_memory(void) {
  char text[64] = "";
  int file = kept >= 0 ? kept : open_file();
  if (pread(file, text, sizeof text - 1, 0) < 0) text[0] = '\0';
  if (kept < 0 && file >= 0) close(file);
  return strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE); /* the first number of the file: total pages */
}

void process_memory_limit(size_t bytes) {
  static struct rlimit limit; /* read once, because this is called several times per job */
  if (limit.rlim_max == 0 && getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

void process_memory_limit_growth(size_t bytes) {
  size_t freed = mallinfo2().fordblks;
  process_memory_limit(process_memory() + (bytes > freed ? bytes - freed : 0));
}
