/* values.h - JSON values from numbers that may not be finite and text that may be cut. */
#ifndef API_BASE_VALUES_H
#define API_BASE_VALUES_H

#include "api/base/buffer.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns a number; null if it is not finite. */
json_t *api_json_number(double value);
/* Returns an array of numbers. */
json_t *api_json_numbers(const double *values, size_t count);
/* Returns a string; null if `text` is NULL. Replaces bytes that are not UTF-8 by '?'. */
json_t *api_json_text(const char *text);
/* Returns an array of strings. */
json_t *api_json_texts(const char *const *texts, size_t count);
/* Parses a JSON text that this program wrote; returns null if `text` is NULL or not JSON. */
json_t *api_json_parse(const char *text);
/* Returns a time, given in seconds since 1970, in RFC 3339 format (UTC, milliseconds); null for 0. */
json_t *api_json_time(double seconds);

/* Appends `value` as compact text to `out`: real numbers in the fewest digits that read back as the same double, with a
 * point or an exponent. json_dumps() writes 17 digits and searches for cycles, which takes several times as long. */
void api_json_write(const json_t *value, api_buffer *out);
/* Append the same values as text to `out`, without creating a JSON value: for output that is written often. */
void api_json_write_number(double value, api_buffer *out);
void api_json_write_integer(unsigned long long value, api_buffer *out);
void api_json_write_text(const char *text, api_buffer *out);
void api_json_write_texts(const char *const *texts, size_t count, api_buffer *out);
void api_json_write_time(double seconds, api_buffer *out);

/* Appends the text of `value` and a newline to `out`, and releases `value`. Returns false, with an empty `out`, if
 * memory runs out. */
bool api_json_print(json_t *value, api_buffer *out);
/* Returns the text of `value` as a malloc'd string, and releases `value`. Returns NULL if memory runs out. */
char *api_json_string(json_t *value);

bool api_utf8_valid(const char *text, size_t size);

#endif
