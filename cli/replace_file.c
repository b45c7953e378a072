/* replace_file.c - see replace_file.h. */
#include "replace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns true if a new file may take this place: a device, a pipe or a link is not to become a file. */
static bool is_replaceable(const char *path) {
  struct stat found;
  return lstat(path, &found) != 0 || S_ISREG(found.st_mode);
}

/* Opens a new file beside `path`, whose name is `other`. */
static FILE *open_beside(char *other) {
  const mode_t mask = umask(0);
  umask(mask);
  const int descriptor = mkstemp(other);
  if (descriptor < 0) return NULL;
  fchmod(descriptor, 0666 & ~mask);
  return fdopen(descriptor, "w");
}

bool cli_replace_file(const char *path, bool (*write)(const void *context, FILE *file), const void *context) {
  const bool replaces = is_replaceable(path);
  char *other = NULL;
  if (asprintf(&other, "%s.XXXXXX", path) < 0) return false;
  FILE *file = replaces ? open_beside(other) : fopen(path, "w");
  bool good = file != NULL;
  if (good) {
    good = write(context, file);
    good = fclose(file) == 0 && good && (!replaces || rename(other, path) == 0);
  }
  const int why = errno;
  if (!good && replaces && file) unlink(other);
  free(other);
  if (!good) fprintf(stderr, "mbs: %s: %s\n", path, strerror(why));
  return good;
}
