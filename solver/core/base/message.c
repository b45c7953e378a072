/* message.c - formats texts for users and replaces each number that is not finite (nan, inf). */
#include "base/message.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Maximum length of a text that contains numbers that are not finite. */
enum { LONGEST = 1024 };

/* Reads the argument of one conversion, which begins after its %. Returns the end of the conversion. Sets *finite to
 * false if the argument is a number that is not finite. */
static const char *take_argument(const char *at, va_list *arguments, bool *finite) {
  size_t longs = 0;
  bool size = false;
  *finite = true;
  for (;; at++) {
    if (*at == '*') (void)va_arg(*arguments, int);
    if (*at == 'l') longs++;
    if (*at == 'z') size = true;
    if (*at == '\0' || !strchr("-+ #0123456789.*lzh", *at)) break;
  }
  if (*at == '\0') return at;
  if (strchr("aAeEfFgG", *at))
    *finite = isfinite(va_arg(*arguments, double)) != 0;
  else if (*at == 's' || *at == 'p')
    (void)va_arg(*arguments, void *);
  else if (*at != '%' && size)
    (void)va_arg(*arguments, size_t);
  else if (*at != '%' && longs > 0)
    longs == 1 ? (void)va_arg(*arguments, long) : (void)va_arg(*arguments, long long);
  else if (*at != '%')
    (void)va_arg(*arguments, int);
  return at + 1;
}

static bool all_finite(const char *format, va_list *arguments) {
  bool finite = true;
  for (const char *at = strchr(format, '%'); at && finite; at = strchr(at, '%'))
    at = take_argument(at + 1, arguments, &finite);
  return finite;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Returns the length of a number at `at` that is not finite, or 0 if there is none. */
static size_t none_at(const char *text, const char *at) {
  const size_t sign = *at == '-';
  if (at > text && is_letter(at[-1])) return 0;
  if (strncmp(at + sign, "nan", 3) != 0 && strncmp(at + sign, "inf", 3) != 0) return 0;
  return is_letter(at[sign + 3]) ? 0 : sign + 3;
}

int mbs_message_of(char *text, size_t size, const char *format, va_list arguments) {
  char plain[LONGEST], out[2 * LONGEST];
  va_list looked_at;
  va_copy(looked_at, arguments);
  const bool finite = all_finite(format, &looked_at);
  va_end(looked_at);
  if (finite) return vsnprintf(text, size, format, arguments);
  vsnprintf(plain, sizeof plain, format, arguments);
  size_t length = 0;
  for (const char *at = plain; *at && length < sizeof out - sizeof MBS_NO_NUMBER;) {
    const size_t none = none_at(plain, at);
    if (none) length += (size_t)snprintf(out + length, sizeof out - length, "%s", MBS_NO_NUMBER);
    if (!none) out[length++] = *at;
    at += none ? none : 1;
  }
  out[length] = '\0';
  return snprintf(text, size, "%s", out);
}

int mbs_message(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = mbs_message_of(text, size, format, arguments);
  va_end(arguments);
  return length;
}
