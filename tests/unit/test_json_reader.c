/* What the reader of documents takes is what Jansson takes, with the same values; what it refuses Jansson judges. */
#include "api/documents/examples.h"
#include "api/documents/json_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *by_jansson(const char *text, size_t size) { return json_loadb(text, size, API_JSON_FLAGS, NULL); }

/* With all digits, and the sign of zero. */
static char *written(const json_t *value) { return json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)); }

/* Whether the text is taken; then as Jansson takes it. */
static bool taken(const char *text, size_t size) {
  json_t *value = api_json_read(text, size);
  if (!value) return false;
  json_t *meant = by_jansson(text, size);
  if (!meant) fail_msg("taken, but wrong: %.*s", (int)size, text);
  char *one = written(value), *other = written(meant);
  assert_non_null(one);
  assert_string_equal(one, other);
  free(one);
  free(other);
  json_decref(value);
  json_decref(meant);
  return true;
}

static void test_right(void **state) {
  (void)state;
  static const char *const texts[] = {
      "0",
      "-0",
      "-0.0e5",
      "0e999",
      "12",
      " \t\r\n1.5 ",
      "9007199254740993",
      "9007199254740992.5",
      "0.1",
      "123456789.123456789e-22",
      "1e22",
      "1e23",
      "1E+5",
      "1e-400",
      "4.9e-324",
      "2.2250738585072011e-308",
      "1.7976931348623157e308",
      "18446744073709551615",
      "18446744073709551616",
      "0.00000000000000000000000000000000000001",
      "true",
      "[false,null]",
      "\"\"",
      "\"a b\"",
      "\"\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e\"",
      "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud834\\udd1e\"",
      "[]",
      "[ ]",
      "{}",
      "{ }",
      "[1,[2,[3]],{\"a\":[]}]",
      "{\"a\":1,\"b\":{\"a\":2},\"\":3}",
      "{\"\\u0061\":1,\"\xc3\xa9\":2, \"z\" : \"\\n\" }",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!taken(texts[i], strlen(texts[i]))) fail_msg("not taken: %s", texts[i]);
}

static void test_wrong(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      " ",
                                      "-",
                                      "+1",
                                      "01",
                                      "-01",
                                      "1.",
                                      ".5",
                                      "1e",
                                      "1e+",
                                      "1.e5",
                                      "0x1",
                                      "1e400",
                                      "-1e400",
                                      "NaN",
                                      "tru",
                                      "truer",
                                      "nul",
                                      "[",
                                      "]",
                                      "[1",
                                      "[1,",
                                      "[1,]",
                                      "[,1]",
                                      "[1 2]",
                                      "{",
                                      "{\"a\"",
                                      "{\"a\":",
                                      "{\"a\":1",
                                      "{\"a\":1,}",
                                      "{a:1}",
                                      "{\"a\" 1}",
                                      "{1:1}",
                                      "{\"a\":1 \"b\":2}",
                                      "{\"a\":1,\"a\":1}",
                                      "{\"a\":1,\"\\u0061\":2}",
                                      "\"",
                                      "\"\\\"",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\\ud834\"",
                                      "\"\\u0000\"",
                                      "{\"\\u0000\":1}",
                                      "\"\t\"",
                                      "\"\x80\"",
                                      "\"\xc3\"",
                                      "\"\xed\xa0\x80\"",
                                      "{\"\xff\":1}",
                                      "1 1",
                                      "[] []",
                                      "\xef\xbb\xbf[]",
                                      "\"a\"b",
                                      "// 1\n1"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    json_t *value = by_jansson(texts[i], strlen(texts[i]));
    if (value) fail_msg("right after all: %s", texts[i]);
    if (taken(texts[i], strlen(texts[i]))) fail_msg("taken: %s", texts[i]);
  }
  assert_false(taken("1\0", 2));
  assert_false(taken("\"a\0b\"", 5));
}

static uint32_t next_number(uint32_t *seed) {
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 8;
}

/* Numbers of all lengths, with and without a point and an exponent. */
static void test_numbers(void **state) {
  (void)state;
  uint32_t seed = 1;
  for (int i = 0; i < 100000; i++) {
    char text[64];
    size_t size = 0;
    const size_t whole = 1 + next_number(&seed) % 20, fraction = next_number(&seed) % 20;
    if (next_number(&seed) % 2) text[size++] = '-';
    text[size++] = (char)('1' + next_number(&seed) % 9);
    for (size_t k = 1; k < whole; k++) text[size++] = (char)('0' + next_number(&seed) % 10);
    if (fraction > 0) text[size++] = '.';
    for (size_t k = 0; k < fraction; k++) text[size++] = (char)('0' + next_number(&seed) % 10);
    if (next_number(&seed) % 2) size += (size_t)sprintf(text + size, "e%d", (int)(next_number(&seed) % 80) - 40);
    assert_true(taken(text, size));
  }
}

/* The end of a text is where it says, not at a 0: each lies in a block of its own. */
static bool taken_alone(const char *text, size_t size) {
  char *copy = malloc(size + (size == 0));
  assert_non_null(copy);
  memcpy(copy, text, size);
  const bool good = taken(copy, size);
  free(copy);
  return good;
}

static void test_examples(void **state) {
  (void)state;
  static const char bytes[] = "{}[]\",:\\0179.eE+- \n\t\x80\xc3ux";
  uint32_t seed = 2;
  for (size_t i = 0; i < api_example_count(); i++) {
    const api_example example = api_example_at(i);
    if (!taken_alone(example.text, example.size)) fail_msg("not taken: %s", example.name);
    char *text = malloc(example.size);
    assert_non_null(text);
    for (int k = 0; k < 200; k++) { /* with a few other bytes, and cut off */
      memcpy(text, example.text, example.size);
      for (int changes = 1 + k % 3; changes > 0; changes--)
        text[next_number(&seed) % example.size] = bytes[next_number(&seed) % (sizeof bytes - 1)];
      taken_alone(text, k % 4 ? example.size : next_number(&seed) % example.size);
    }
    free(text);
  }
}

/* What is nested too deeply is left to Jansson, which has a bound of its own. */
static void test_depth(void **state) {
  (void)state;
  enum { DEEP = 100000, SHALLOW = 100 };
  char *text = malloc(2 * DEEP);
  assert_non_null(text);
  memset(text, '[', DEEP);
  memset(text + DEEP, ']', DEEP);
  assert_false(taken(text, 2 * DEEP));
  assert_true(taken(text + DEEP - SHALLOW, 2 * SHALLOW));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_wrong),
                                     cmocka_unit_test(test_numbers), cmocka_unit_test(test_examples),
                                     cmocka_unit_test(test_depth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
