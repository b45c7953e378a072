/* JSON written directly equals JSON written through Jansson values. */
#include "api/base/values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Checks that the written text is the value `meant`, which is released. */
static void expect_written(api_buffer *written, json_t *meant) {
  assert_false(written->failed);
  json_t *value = json_loadb(written->data, written->size, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
  if (!value || !json_equal(value, meant)) fail_msg("%.*s", (int)written->size, written->data);
  json_decref(value);
  json_decref(meant);
  api_buffer_free(written);
}

static void test_numbers(void **state) {
  (void)state;
  static const double numbers[] = {0,      1,      -1,  0.1,  1.0 / 3,  1e15,     1e15 - 1, 9007199254740993.0,
                                   -1e300, 5e-324, 2.5, 1e22, 123456.0, INFINITY, NAN,      1.7976931348623157e308};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    api_buffer out = {0};
    api_json_write_number(numbers[i], &out);
    expect_written(&out, api_json_number(numbers[i]));
  }
  api_buffer out = {0};
  api_json_write_number(-0.0, &out); /* -0 has no sign for readers that take it for an integer */
  assert_true(out.size == 4 && memcmp(out.data, "-0.0", 4) == 0);
  api_buffer_free(&out);
  api_json_write_integer(UINT64_MAX, &out);
  assert_true(out.size == 20 && memcmp(out.data, "18446744073709551615", 20) == 0);
  api_buffer_free(&out);
}

static void test_texts(void **state) {
  (void)state;
  static const char *const texts[] = {"", "plain ~!", "\"", "\\", "a\nb", "\x01", "\x7f", "\xc3\xa4", "\xff", NULL};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    api_buffer out = {0};
    api_json_write_text(texts[i], &out);
    expect_written(&out, api_json_text(texts[i]));
  }
}

/* Lists equal byte for byte those written through Jansson values. */
static void test_lists(void **state) {
  (void)state;
  static const char *const texts[] = {"crank.x", "m/s^2", "\xc3\xa4\"", "\xff", NULL, ""};
  const size_t all = sizeof texts / sizeof *texts;
  for (size_t count = 0; count <= all; count++) {
    api_buffer out = {0};
    api_json_write_texts(texts, count, &out);
    api_buffer_add(&out, "", 1);
    assert_false(out.failed);
    char *meant = api_json_string(api_json_texts(texts, count));
    assert_string_equal(out.data, meant);
    free(meant);
    api_buffer_free(&out);
  }
}

/* A value is written as text that reads back as the same value with the same types, and as Jansson writes it if it has
 * no real number. */
static void test_values(void **state) {
  (void)state;
  static const char *const texts[] = {"null",
                                      "true",
                                      "false",
                                      "0",
                                      "-7",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "[]",
                                      "{}",
                                      "\"\"",
                                      "[1,[],{},null,[true,false]]",
                                      "{\"a\":{\"b\":[{\"c\":\"d\"}]},\"\xc3\xa4\":-1}",
                                      "[\"\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\x7f\xf0\x9f\x98\x80\",\"a\\u0000b\"]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    json_t *value = json_loads(texts[i], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    assert_non_null(value);
    char *meant = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY), *written = api_json_string(json_incref(value));
    json_t *again = json_loads(written, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (!json_equal(again, value)) fail_msg("%s", written);
    if (!strchr(texts[i], 'u')) assert_string_equal(written, meant);
    json_decref(again);
    json_decref(value);
    free(meant);
    free(written);
  }
}

static void test_reals(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0.0"},         {-0.0, "-0.0"},  {1, "1.0"},
               {-2, "-2.0"},       {0.1, "0.1"},    {1e15, "1e+15"},
               {5e-324, "5e-324"}, {1e22, "1e+22"}, {123456789, "123456789.0"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = api_json_string(json_real(cases[i].value));
    assert_string_equal(text, cases[i].text);
    free(text);
  }
}

static void test_times(void **state) {
  (void)state;
  static const struct {
    double seconds;
    const char *text;
  } cases[] = {{0, "null"},
               {-1, "\"1969-12-31T23:59:59.000Z\""},
               {-0.25, "\"1969-12-31T23:59:59.750Z\""},
               {-1e300, "null"},
               {NAN, "null"},
               {1e300, "null"},
               {0.001, "\"1970-01-01T00:00:00.001Z\""},
               {951782399.9996, "\"2000-02-28T23:59:59.999Z\""},
               {951868799, "\"2000-02-29T23:59:59.000Z\""},
               {1763812800.25, "\"2025-11-22T12:00:00.250Z\""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    api_buffer out = {0};
    api_json_write_time(cases[i].seconds, &out);
    api_buffer_add(&out, "", 1);
    assert_string_equal(out.data, cases[i].text);
    api_buffer_free(&out);
    char *text = api_json_string(api_json_time(cases[i].seconds));
    assert_string_equal(text, cases[i].text);
    free(text);
  }
}

/* Texts longer than the free space of the buffer are complete, too. */
static void test_long_prints(void **state) {
  (void)state;
  for (int size = 0; size < 1000; size += 7) {
    api_buffer out = {0};
    for (int i = 0; i < 3; i++) api_buffer_print(&out, "<%*d>", size, i);
    assert_true(out.size >= (size_t)(3 * (size + 2)));
    assert_true(out.data[0] == '<' && out.data[out.size - 1] == '>' && out.data[out.size - 2] == '2');
    assert_null(memchr(out.data, '\0', out.size));
    api_buffer_free(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers),    cmocka_unit_test(test_texts),
                                     cmocka_unit_test(test_lists),      cmocka_unit_test(test_values),
                                     cmocka_unit_test(test_reals),      cmocka_unit_test(test_times),
                                     cmocka_unit_test(test_long_prints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
