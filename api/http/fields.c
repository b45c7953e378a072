/* fields.c - see fields.h. */
#include "api/http/fields.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static api_field trimmed(api_field field) {
  while (field.length > 0 && is_blank(field.text[0])) field = (api_field){field.text + 1, field.length - 1};
  while (field.length > 0 && is_blank(field.text[field.length - 1])) field.length--;
  return field;
}

const char *api_field_line(const api_request *request, const char *name, size_t *line) {
  while (*line < request->header_count) {
    const api_header *header = &request->headers[(*line)++];
    if (strcasecmp(header->name, name) == 0) return header->value;
  }
  return NULL;
}

bool api_field_next(api_field *rest, const char *separators, api_field *part) {
  while (rest->length > 0) {
    size_t end = 0;
    for (bool quoted = false; end < rest->length; end++) {
      char c = rest->text[end];
      if (quoted && c == '\\' && end + 1 < rest->length)
        end++;
      else if (c == '"')
        quoted = !quoted;
      else if (!quoted && strchr(separators, c))
        break;
    }
    *part = trimmed((api_field){rest->text, end});
    size_t taken = end < rest->length ? end + 1 : end;
    *rest = (api_field){rest->text + taken, rest->length - taken};
    if (part->length > 0) return true;
  }
  return false;
}

bool api_field_value(api_field part, const char *name, char *value, size_t size) {
  assert(size > 0);
  const char *equals = memchr(part.text, '=', part.length);
  if (!equals) return false;
  size_t length = (size_t)(equals - part.text);
  api_field key = trimmed((api_field){part.text, length});
  api_field word = trimmed((api_field){equals + 1, part.length - length - 1});
  if (key.length != strlen(name) || strncasecmp(key.text, name, key.length) != 0) return false;
  if (word.length >= 2 && word.text[0] == '"' && word.text[word.length - 1] == '"')
    word = (api_field){word.text + 1, word.length - 2};
  snprintf(value, size, "%.*s", (int)word.length, word.text);
  return true;
}
