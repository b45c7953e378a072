/* markdown.c - see markdown.h. */
#include "api/documents/markdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void api_markdown_text(api_buffer *out, const char *text) {
  for (; *text; text++) {
    if (strchr("\\`*_{}[]<>#|~$^=", *text)) api_buffer_text(out, "\\");
    api_buffer_add(out, text, 1);
  }
}

void api_markdown_code(api_buffer *out, const char *text) {
  api_buffer_text(out, "`");
  for (; *text; text++) {
    if (*text == '|') api_buffer_text(out, "\\");
    api_buffer_add(out, text, 1);
  }
  api_buffer_text(out, "`");
}

/* Converts reals without a fraction to integers: documents are read with all numbers as reals. */
static json_t *with_integers(const json_t *value) {
  size_t index;
  const char *key;
  json_t *item, *copy;
  if (json_is_object(value)) {
    copy = json_object();
    json_object_foreach((json_t *)value, key, item) json_object_set_new(copy, key, with_integers(item));
  } else if (json_is_array(value)) {
    copy = json_array();
    json_array_foreach(value, index, item) json_array_append_new(copy, with_integers(item));
  } else {
    double number = json_number_value(value);
    bool whole = json_is_real(value) && fabs(number) < 1e6 && number == floor(number);
    copy = whole ? json_integer((json_int_t)number) : json_copy((json_t *)value);
  }
  return copy;
}

/* Appends a value in one line. */
static void add_value(api_buffer *out, const json_t *value) {
  char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
  if (text)
    api_buffer_text(out, text);
  else
    out->failed = true;
  free(text);
}

static bool fits_a_line(const json_t *value) {
  enum { LINE = 100 };
  return json_dumpb(value, NULL, 0, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) <= LINE;
}

/* Appends a value; if it is too long for a line, each of its own values in one or several lines. */
static void add_lines(api_buffer *out, const json_t *value, int indent) {
  size_t index, count = json_is_object(value) ? json_object_size(value) : json_array_size(value);
  if (count == 0 || (indent > 0 && fits_a_line(value))) {
    add_value(out, value);
    return;
  }
  const char *key;
  json_t *item;
  api_buffer_text(out, json_is_object(value) ? "{" : "[");
  index = 0;
  json_object_foreach((json_t *)value, key, item) {
    api_buffer_print(out, "%s\n%*s\"%s\": ", index++ ? "," : "", indent + 2, "", key);
    add_lines(out, item, indent + 2);
  }
  json_array_foreach(value, index, item) {
    api_buffer_print(out, "%s\n%*s", index ? "," : "", indent + 2, "");
    add_lines(out, item, indent + 2);
  }
  api_buffer_print(out, "\n%*s%s", indent, "", json_is_object(value) ? "}" : "]");
}

void api_markdown_json(api_buffer *out, const json_t *value) {
  json_t *written = with_integers(value);
  api_buffer_text(out, "```json\n");
  add_lines(out, written, 0);
  json_decref(written);
  api_buffer_text(out, "\n```\n\n");
}
