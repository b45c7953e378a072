/* values.c - see values.h. */
#include "api/base/values.h"

#include <assert.h>
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
  /* Replaces the first byte of every invalid sequence (the longest UTF-8 sequence has 4 bytes). */
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

enum { TIME_SIZE = 48 };
static const double year_1 = -62135596800, year_10000 = 253402300800;

static void put_digits(char *text, int count, int value) {
  assert(value >= 0);
  for (; count-- > 0; value /= 10) text[count] = (char)('0' + value % 10);
}

/* Returns false if the time is not valid. */
static bool print_time(double seconds, char text[TIME_SIZE]) {
  if (!(seconds >= year_1 && seconds < year_10000) || seconds == 0) return false;
  const double whole_seconds = floor(seconds);
  const time_t whole = (time_t)whole_seconds;
  const int milliseconds = (int)floor((seconds - whole_seconds) * 1e3);
  struct tm parts;
  if (!gmtime_r(&whole, &parts)) return false;
  memcpy(text, "0000-00-00T00:00:00.000Z", sizeof "0000-00-00T00:00:00.000Z");
  put_digits(text, 4, parts.tm_year + 1900);
  put_digits(text + 5, 2, parts.tm_mon + 1);
  put_digits(text + 8, 2, parts.tm_mday);
  put_digits(text + 11, 2, parts.tm_hour);
  put_digits(text + 14, 2, parts.tm_min);
  put_digits(text + 17, 2, parts.tm_sec);
  put_digits(text + 20, 3, milliseconds);
  return true;
}

json_t *api_json_time(double seconds) {
  char text[TIME_SIZE];
  return print_time(seconds, text) ? json_string(text) : json_null();
}

void api_json_write_time(double seconds, api_buffer *out) {
  char text[1 + TIME_SIZE] = "\"";
  if (!print_time(seconds, text + 1)) {
    api_buffer_text(out, "null");
    return;
  }
  size_t length = strlen(text);
  text[length] = '"'; /* in place of the 0 */
  api_buffer_add(out, text, length + 1);
}

void api_json_write_integer(unsigned long long value, api_buffer *out) {
  char digits[24], *first = digits + sizeof digits;
  do *--first = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  api_buffer_add(out, first, (size_t)(digits + sizeof digits - first));
}

void api_json_write_number(double value, api_buffer *out) {
  if (fabs(value) < 1e15 && value == (double)(long long)value && !signbit(value))
    api_json_write_integer((unsigned long long)value, out);
  else if (isfinite(value))
    api_buffer_number(out, value);
  else
    api_buffer_text(out, "null");
}

/* Returns true if a text needs no escapes in JSON, and sets its length. */
static bool is_plain(const char *text, size_t *length) {
  const char *at = text;
  for (; *at; at++)
    if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\') return false;
  *length = (size_t)(at - text);
  return true;
}

/* Writes one character with its escape. */
static void write_escaped(unsigned char character, api_buffer *out) {
  static const char hex[] = "0123456789abcdef";
  static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *found = character ? strchr(plain, character) : NULL;
  const char escape[] = {
      '\\', found ? letters[found - plain] : 'u', '0', '0', hex[character >> 4], hex[character & 15]};
  api_buffer_add(out, escape, found ? 2 : sizeof escape);
}

/* Writes UTF-8 text of `length` bytes. */
static void write_string(const char *text, size_t length, api_buffer *out) {
  size_t done = 0;
  api_buffer_text(out, "\"");
  for (size_t i = 0; i < length; i++) {
    const unsigned char character = (unsigned char)text[i];
    if (character >= ' ' && character != '"' && character != '\\') continue;
    api_buffer_add(out, text + done, i - done);
    write_escaped(character, out);
    done = i + 1;
  }
  api_buffer_add(out, text + done, length - done);
  api_buffer_text(out, "\"");
}

/* A real number has a point or an exponent, so that readers with integers do not take it for one. */
static void write_real(double value, api_buffer *out) {
  const size_t before = out->size;
  api_buffer_number(out, value);
  for (size_t i = before; i < out->size; i++)
    if (out->data[i] == '.' || out->data[i] == 'e') return;
  api_buffer_text(out, ".0");
}

static void write_signed(json_int_t value, api_buffer *out) {
  const unsigned long long magnitude = (unsigned long long)value;
  if (value < 0) api_buffer_text(out, "-");
  api_json_write_integer(value < 0 ? -magnitude : magnitude, out);
}

static void write_object(json_t *object, api_buffer *out) {
  const char *key;
  json_t *item;
  size_t count = 0;
  api_buffer_text(out, "{");
  json_object_foreach(object, key, item) {
    if (count++ > 0) api_buffer_text(out, ",");
    write_string(key, strlen(key), out);
    api_buffer_text(out, ":");
    api_json_write(item, out);
  }
  api_buffer_text(out, "}");
}

void api_json_write(const json_t *value, api_buffer *out) {
  switch (json_typeof(value)) {
  case JSON_OBJECT: write_object((json_t *)value, out); break;
  case JSON_ARRAY:
    api_buffer_text(out, "[");
    for (size_t i = 0; i < json_array_size(value); i++) {
      if (i > 0) api_buffer_text(out, ",");
      api_json_write(json_array_get(value, i), out);
    }
    api_buffer_text(out, "]");
    break;
  case JSON_STRING: write_string(json_string_value(value), json_string_length(value), out); break;
  case JSON_INTEGER: write_signed(json_integer_value(value), out); break;
  case JSON_REAL: write_real(json_real_value(value), out); break;
  case JSON_TRUE: api_buffer_text(out, "true"); break;
  case JSON_FALSE: api_buffer_text(out, "false"); break;
  case JSON_NULL: api_buffer_text(out, "null"); break;
  }
}

void api_json_write_text(const char *text, api_buffer *out) {
  size_t length;
  if (text && is_plain(text, &length)) {
    char *at = api_buffer_extend(out, length + 2);
    if (!at) return;
    at[0] = at[length + 1] = '"';
    memcpy(at + 1, text, length);
    return;
  }
  json_t *string = api_json_text(text);
  if (string)
    api_json_write(string, out);
  else
    out->failed = true;
  json_decref(string);
}

void api_json_write_texts(const char *const *texts, size_t count, api_buffer *out) {
  api_buffer_text(out, "[");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) api_buffer_text(out, ",");
    api_json_write_text(texts[i], out);
  }
  api_buffer_text(out, "]");
}

bool api_json_print(json_t *value, api_buffer *out) {
  if (value)
    api_json_write(value, out);
  else
    out->failed = true;
  json_decref(value);
  api_buffer_text(out, "\n");
  if (!out->failed) return true;
  api_buffer_free(out);
  return false;
}

char *api_json_string(json_t *value) {
  api_buffer text = {0};
  if (!value) return NULL;
  api_json_write(value, &text);
  json_decref(value);
  api_buffer_add(&text, "", 1);
  if (text.failed) api_buffer_free(&text);
  return text.data;
}
