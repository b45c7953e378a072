/* replace_file.c - see replace_file.h. */
#include "replace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_replace_file(const char *path, bool (*write)(const void *context, FILE *file), const void *context) {
  char *other = NULL;
  if (asprintf(&other, "%s.XXXXXX", path) < 0) return false;
  const mode_t mask = umask(0);
  umask(mask);
  const int descriptor = mkstemp(other);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  bool good = file != NULL;
  if (good) {
    fchmod(descriptor, 0666 & ~mask);
    good = write(context, file);
    good = fclose(file) == 0 && good && rename(other, path) == 0;
  }
  const int why = errno;
  if (!good && descriptor >= 0) unlink(other);
  free(other);
  if (!good) fprintf(stderr, "mbs: %s: %s\n", path, strerror(why));
  return good;
}
