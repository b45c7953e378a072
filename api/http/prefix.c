/* prefix.c - see prefix.h. */
#include "api/http/prefix.h"

#include <string.h>

/* Unreserved characters of a path (RFC 3986, section 2.3), and the slash. */
static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

void api_prefix(const api_request *request, char prefix[API_PREFIX_SIZE]) {
  const char *text = api_request_header(request, "X-Forwarded-Prefix");
  size_t length = text ? strlen(text) : 0;
  prefix[0] = '\0';
  /* Two slashes at the beginning would denote another host. */
  if (length == 0 || length >= API_PREFIX_SIZE || text[0] != '/' || strspn(text, plain) != length) return;
  if (strstr(text, "//") || strstr(text, "..")) return;
  memcpy(prefix, text, length + 1);
  if (prefix[length - 1] == '/') prefix[length - 1] = '\0';
}
