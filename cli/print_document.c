/* print_document.c - see print_document.h. */
#include "print_document.h"

#include "api/base/buffer.h"
#include "api/base/values.h"

#include <errno.h>

/* Objects and lists from this depth on are printed on one line. */
enum { LINE_DEPTH = 2 };

static void put(const json_t *value, int depth, api_buffer *out);

static void separate(api_buffer *out, bool first, bool lines, int depth) {
  if (!first) api_buffer_text(out, lines ? "," : ", ");
  if (lines) api_buffer_print(out, "\n%*s", 2 * (depth + 1), "");
}

static void put_object(const json_t *value, int depth, api_buffer *out) {
  const bool lines = depth < LINE_DEPTH - 1;
  const char *key;
  json_t *member;
  bool first = true;
  api_buffer_text(out, "{");
  json_object_foreach((json_t *)value, key, member) {
    separate(out, first, lines, depth);
    if (first && !lines) api_buffer_text(out, " ");
    api_json_write_text(key, out);
    api_buffer_text(out, ": ");
    put(member, depth + 1, out);
    first = false;
  }
  if (lines && !first) api_buffer_print(out, "\n%*s", 2 * depth, "");
  api_buffer_text(out, first || lines ? "}" : " }");
}

static void put_array(const json_t *value, int depth, api_buffer *out) {
  const bool lines = depth < LINE_DEPTH && json_is_object(json_array_get(value, 0));
  size_t index;
  json_t *item;
  api_buffer_text(out, "[");
  json_array_foreach(value, index, item) {
    separate(out, index == 0, lines, depth);
    put(item, depth + 1, out);
  }
  if (lines) api_buffer_print(out, "\n%*s", 2 * depth, "");
  api_buffer_text(out, "]");
}

static void put(const json_t *value, int depth, api_buffer *out) {
  switch (json_typeof(value)) {
  case JSON_OBJECT: put_object(value, depth, out); return;
  case JSON_ARRAY: put_array(value, depth, out); return;
  case JSON_STRING: api_json_write_text(json_string_value(value), out); return;
  case JSON_INTEGER: api_buffer_print(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value)); return;
  case JSON_REAL: api_buffer_number(out, json_real_value(value)); return;
  default: api_buffer_text(out, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
  }
}

bool cli_print_document(const json_t *document, FILE *out) {
  api_buffer text = {0};
  put(document, 0, &text);
  api_buffer_text(&text, "\n");
  const bool whole = !text.failed;
  const bool good = whole && fwrite(text.data, 1, text.size, out) == text.size;
  if (!whole) errno = ENOMEM;
  api_buffer_free(&text);
  return good;
}
