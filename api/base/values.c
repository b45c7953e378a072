/* values.c - see values.h. */
#include "api/base/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

json_t *api_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *api_json_numbers(const double *values, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, api_json_number(values[i]));
  return array;
}

bool api_utf8_valid(const char *text, size_t size) {
  json_t *string = json_stringn(text, size);
  json_decref(string);
  return string != NULL;
}

json_t *api_json_text(const char *text) {
  if (!text) return json_null();
  json_t *string = json_string(text);
  if (string) return string;
  char *copy = strdup(text);
  if (!copy) return json_null();
  /* Of every sequence that is not valid (the longest UTF-8 sequence has 4 bytes) the first byte is replaced. */
  for (size_t i = 0, size = strlen(copy), length; i < size; i += length) {
    for (length = 1; length <= 4 && i + length <= size; length++) {
      if (api_utf8_valid(copy + i, length)) break;
    }
    if (length > 4 || i + length > size) {
      copy[i] = '?';
      length = 1;
    }
  }
  string = json_string(copy);
  free(copy);
  return string;
}

json_t *api_json_texts(const char *const *texts, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, api_json_text(texts[i]));
  return array;
}

json_t *api_json_parse(const char *text) {
  json_t *value = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
  return value ? value : json_null();
}

json_t *api_json_time(double seconds) {
  if (!(seconds > 0)) return json_null();
  long long milliseconds = (long long)floor(seconds * 1e3);
  time_t whole = (time_t)(milliseconds / 1000);
  struct tm parts;
  char day[32];
  if (!gmtime_r(&whole, &parts) || !strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts)) return json_null();
  return json_sprintf("%s.%03dZ", day, (int)(milliseconds % 1000));
}

/* json_dump_callback() writes into the buffer that the newline follows in. */
static int add_text(const char *text, size_t size, void *buffer) {
  api_buffer_add(buffer, text, size);
  return 0;
}

bool api_json_print(json_t *value, api_buffer *out) {
  int failed = value ? json_dump_callback(value, add_text, out, JSON_COMPACT | JSON_ENCODE_ANY) : -1;
  json_decref(value);
  api_buffer_text(out, "\n");
  if (!failed && !out->failed) return true;
  api_buffer_free(out);
  return false;
}

char *api_json_string(json_t *value) {
  char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
  json_decref(value);
  return text;
}
