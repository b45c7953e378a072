/* number.c - see number.h. */
#include "server/base/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *srv_number_read(const char *text, bool bytes, double *number) {
  static const char suffixes[] = "KMGT";
  char *end;
  errno = 0;
  *number = strtod(text, &end);
  if (end == text || errno == ERANGE) return NULL;
  const char *suffix = bytes && *end != '\0' ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
  if (!suffix) return end;
  *number = ldexp(*number, 10 * (int)(suffix - suffixes + 1));
  return end + 1;
}
