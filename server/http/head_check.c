/* head_check.c - see head_check.h. RFC 9112, sections 3.2, 5.1 and 6.3. */
#include "server/http/head_check.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *srv_head_field(const api_header *headers, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcasecmp(headers[i].name, name) == 0) return headers[i].value;
  return NULL;
}

static size_t count_of(const api_header *headers, size_t count, const char *name) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) found += strcasecmp(headers[i].name, name) == 0;
  return found;
}

/* Returns true for a token (RFC 9110, section 5.6.2); `Content-Length ` with its space is not one. */
static bool is_token(const char *text) {
  if (*text == '\0') return false;
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (!isalnum(*c) && !strchr("!#$%&'*+-.^_`|~", *c)) return false;
  return true;
}

static bool is_clean(const char *value) {
  for (const unsigned char *c = (const unsigned char *)value; *c; c++)
    if ((*c < 0x20 && *c != '\t') || *c == 0x7f) return false;
  return true;
}

static bool is_digits(const char *text) {
  size_t length = strlen(text);
  return length > 0 && length <= 18 && strspn(text, "0123456789") == length;
}

const char *srv_head_complaint(const api_header *headers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!is_token(headers[i].name)) return "A header name contains characters that are not allowed";
    if (!is_clean(headers[i].value)) return "A header value contains control characters";
  }
  size_t lengths = count_of(headers, count, "Content-Length");
  size_t encodings = count_of(headers, count, "Transfer-Encoding");
  if (lengths > 1) return "Duplicate header Content-Length";
  if (encodings > 1) return "Duplicate header Transfer-Encoding";
  if (lengths && encodings) return "Content-Length and Transfer-Encoding may not be combined";
  if (lengths && !is_digits(srv_head_field(headers, count, "Content-Length")))
    return "The header Content-Length is not a decimal number";
  if (encodings && strcasecmp(srv_head_field(headers, count, "Transfer-Encoding"), "chunked") != 0)
    return "The header Transfer-Encoding may only be chunked";
  if (count_of(headers, count, "Host") > 1) return "Duplicate header Host";
  return NULL;
}

/* ---- the lines --------------------------------------------------------------------------------------------------- */

enum { LINE_END = 2 }; /* CR LF */

head_layout srv_head_layout(const char *method, const char *version) {
  return (head_layout){.begin = method, .next = version + strlen(version) + LINE_END};
}

void srv_head_layout_field(head_layout *layout, const char *name, size_t name_size, const char *value,
                           size_t value_size) {
  if (name != layout->next || value <= name + name_size) layout->odd = true;
  layout->next = value + value_size + LINE_END;
}

const char *srv_head_layout_complaint(const head_layout *layout, size_t size) {
  bool plain = !layout->odd && layout->next + LINE_END == layout->begin + size;
  return plain ? NULL : "A header line does not end with CR LF, or continues on the next line";
}

const char *srv_head_authority(const char *target, size_t *length) {
  static const char *const schemes[] = {"http://", "https://"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    size_t scheme = strlen(schemes[i]);
    if (strncasecmp(target, schemes[i], scheme) != 0) continue;
    *length = strcspn(target + scheme, "/?#");
    return target + scheme;
  }
  return NULL;
}
