/* values.h - JSON values from what may not fit into JSON: numbers that are not finite, text that was cut. */
#ifndef API_BASE_VALUES_H
#define API_BASE_VALUES_H

#include "api/base/buffer.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A number; null where it is not finite. */
json_t *api_json_number(double value);
/* An array of numbers. */
json_t *api_json_numbers(const double *values, size_t count);
/* A string; null where `text` is NULL. Bytes that are not UTF-8 become '?'. */
json_t *api_json_text(const char *text);
/* An array of strings. */
json_t *api_json_texts(const char *const *texts, size_t count);
/* The value of a JSON text that the program itself wrote; null where `text` is NULL or not JSON. */
json_t *api_json_parse(const char *text);
/* A point in time, seconds since 1970, as RFC 3339 in UTC with milliseconds; null for 0. */
json_t *api_json_time(double seconds);

/* These as text at the end of `out`, without a value in between: of what is written often. */
void api_json_write_number(double value, api_buffer *out);
void api_json_write_integer(unsigned long long value, api_buffer *out);
void api_json_write_text(const char *text, api_buffer *out);
void api_json_write_texts(const char *const *texts, size_t count, api_buffer *out);
void api_json_write_time(double seconds, api_buffer *out);

/* Adds the text of `value` (released here) and a newline to `out`. False, and `out` empty, when there is no memory. */
bool api_json_print(json_t *value, api_buffer *out);
/* The text of `value` (released here) as a string of its own; NULL when there is no memory. */
char *api_json_string(json_t *value);

bool api_utf8_valid(const char *text, size_t size);

#endif
