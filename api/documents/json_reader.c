/* json_reader.c - see json_reader.h. Jansson looks at a text byte by byte, each through several functions; the values
 * are Jansson's here, too, but texts and numbers are taken as a whole. Whatever is doubtful is left to it: a text with
 * escapes by itself, all else with the document. */
#include "api/documents/json_reader.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 256, LONGEST_NUMBER = 64 };

typedef struct text_reader {
  const char *at, *end;
  int depth;
} text_reader;

static json_t *read_value(text_reader *reader);

/* The next character that is no white space, where the reader then is; 0 at the end. */
static char look(text_reader *reader) {
  while (reader->at < reader->end) {
    const char c = *reader->at;
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c;
    reader->at++;
  }
  return 0;
}

/* Goes on past the next character, if it is this one. */
static bool pass(text_reader *reader, char c) {
  if (look(reader) != c) return false;
  reader->at++;
  return true;
}

/* ---- texts ----------------------------------------------------------------------------------------------------- */

typedef struct quoted {
  const char *start; /* behind the quotation mark */
  size_t length;
  bool ascii, escapes;
} quoted;

/* Reads from behind a quotation mark to behind the next one. */
static bool read_quoted(text_reader *reader, quoted *text) {
  const char *at = reader->at;
  unsigned char all = 0;
  *text = (quoted){.start = at};
  for (; at < reader->end && *at != '"'; at++) {
    if ((unsigned char)*at < ' ') return false;
    all |= (unsigned char)*at;
    if (*at != '\\') continue;
    text->escapes = true;
    if (++at == reader->end) return false;
  }
  if (at == reader->end) return false;
  text->length = (size_t)(at - text->start);
  text->ascii = all < 0x80;
  reader->at = at + 1;
  return true;
}

static json_t *text_value(const quoted *text) {
  if (text->escapes) return json_loadb(text->start - 1, text->length + 2, API_JSON_FLAGS, NULL);
  return text->ascii ? json_stringn_nocheck(text->start, text->length) : json_stringn(text->start, text->length);
}

static json_t *read_text(text_reader *reader) {
  quoted text;
  return read_quoted(reader, &text) ? text_value(&text) : NULL;
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* The digits of a number without its point, as far as they are exact. */
typedef struct decimal {
  uint64_t digits;
  int exponent;  /* of ten */
  bool long_one; /* it has more digits */
} decimal;

/* One digit or more; false: there is none. */
static bool read_digits(text_reader *reader, decimal *number, int exponent_of_each) {
  const char *first = reader->at;
  for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
    number->long_one = number->long_one || number->digits > UINT64_MAX / 10 - 1;
    if (number->long_one) continue;
    number->digits = 10 * number->digits + (uint64_t)(*reader->at - '0');
    number->exponent += exponent_of_each;
  }
  return reader->at > first;
}

static bool read_exponent(text_reader *reader, decimal *number) {
  decimal written = {0};
  const bool negative = reader->at < reader->end && *reader->at == '-';
  if (negative || (reader->at < reader->end && *reader->at == '+')) reader->at++;
  if (!read_digits(reader, &written, 0)) return false;
  number->long_one = number->long_one || written.long_one || written.digits > 1000;
  if (!number->long_one) number->exponent += negative ? -(int)written.digits : (int)written.digits;
  return true;
}

/* By strtod(), which rounds what is not exact. */
static json_t *rounded(const char *start, size_t length) {
  char text[LONGEST_NUMBER], *end;
  if (length >= sizeof text) return NULL;
  memcpy(text, start, length);
  text[length] = '\0';
  const double value = strtod(text, &end);
  return *end ? NULL : json_real(value); /* infinity is none */
}

/* A whole number below 2^53 times or over a power of ten below 10^23 is one operation of two exact doubles, so that its
 * result is the nearest one. */
static json_t *read_number(text_reader *reader) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const int most = sizeof powers / sizeof *powers - 1;
  const char *start = reader->at;
  const bool negative = *start == '-';
  decimal number = {0};
  reader->at += negative;
  const char *first = reader->at;
  if (!read_digits(reader, &number, 0) || (*first == '0' && reader->at > first + 1)) return NULL;
  if (reader->at < reader->end && *reader->at == '.') {
    reader->at++;
    if (!read_digits(reader, &number, -1)) return NULL;
  }
  if (reader->at < reader->end && (*reader->at == 'e' || *reader->at == 'E')) {
    reader->at++;
    if (!read_exponent(reader, &number)) return NULL;
  }
  if (number.long_one || number.digits >> 53 || number.exponent < -most || number.exponent > most)
    return rounded(start, (size_t)(reader->at - start));
  const double digits = (double)number.digits;
  const double value = number.exponent < 0 ? digits / powers[-number.exponent] : digits * powers[number.exponent];
  return json_real(negative ? -value : value);
}

/* ---- the others ------------------------------------------------------------------------------------------------ */

static json_t *read_word(text_reader *reader, const char *word, json_t *value) {
  const size_t length = strlen(word);
  if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0) return NULL;
  reader->at += length;
  return value;
}

static bool read_items(text_reader *reader, json_t *array) {
  if (pass(reader, ']')) return true;
  do
    if (json_array_append_new(array, read_value(reader)) != 0) return false;
  while (pass(reader, ','));
  return pass(reader, ']');
}

/* "key": value; false if the object has it already, too. */
static bool read_member(text_reader *reader, json_t *object) {
  quoted key;
  if (!pass(reader, '"') || !read_quoted(reader, &key) || !pass(reader, ':')) return false;
  const size_t before = json_object_size(object);
  json_t *value = read_value(reader);
  int failed;
  if (key.escapes) {
    json_t *text = text_value(&key);
    failed = json_object_set_new(object, json_string_value(text), value);
    json_decref(text);
  } else if (key.ascii) {
    failed = json_object_setn_new_nocheck(object, key.start, key.length, value);
  } else {
    failed = json_object_setn_new(object, key.start, key.length, value);
  }
  return failed == 0 && json_object_size(object) > before;
}

static bool read_members(text_reader *reader, json_t *object) {
  if (pass(reader, '}')) return true;
  do
    if (!read_member(reader, object)) return false;
  while (pass(reader, ','));
  return pass(reader, '}');
}

/* An array or an object, from behind its bracket; NULL, and nothing is left of it, where it is wrong. */
static json_t *read_inside(text_reader *reader, json_t *whole) {
  bool good = whole && ++reader->depth <= DEEPEST;
  good = good && (json_is_array(whole) ? read_items(reader, whole) : read_members(reader, whole));
  reader->depth--;
  if (good) return whole;
  json_decref(whole);
  return NULL;
}

static json_t *read_value(text_reader *reader) {
  const char c = look(reader);
  if (c == '-' || (c >= '0' && c <= '9')) return read_number(reader);
  if (c == 't') return read_word(reader, "true", json_true());
  if (c == 'f') return read_word(reader, "false", json_false());
  if (c == 'n') return read_word(reader, "null", json_null());
  if (c != '"' && c != '[' && c != '{') return NULL;
  reader->at++;
  return c == '"' ? read_text(reader) : read_inside(reader, c == '[' ? json_array() : json_object());
}

json_t *api_json_read(const char *text, size_t size) {
  if (size == 0) return NULL;
  text_reader reader = {.at = text, .end = text + size};
  json_t *value = read_value(&reader);
  look(&reader);
  if (reader.at == reader.end) return value;
  json_decref(value);
  return NULL;
}
