/* File names of arrays: safe, unique, and equal to the array's own name if possible. */
#include "api/formats/file_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *const *names, const char *const *files, size_t count) {
  char **got = api_unique_names(&api_file_names, names, count);
  assert_non_null(got);
  for (size_t i = 0; i < count; i++) assert_string_equal(got[i], files[i]);
  api_unique_names_free(got, count);
}

#define EXPECT(names, files) expect(names, files, sizeof names / sizeof *names)

static void test_ordinary_names(void **state) {
  (void)state;
  static const char *const names[] = {"uT", "tip height", "\xc3\xa4", "a.b", "a_b_2", "M", "m", "-x"};
  EXPECT(names, names);
}

static void test_unsafe_names(void **state) {
  (void)state;
  static const char *const names[] = {"../up", "/etc/passwd", "C:\\x", "..", ".", "", "a..b", ".h", "a\nb\x7f"};
  static const char *const files[] = {"___up", "_etc_passwd", "C__x", "__", "_", "__2", "a._b", "_h", "a_b_"};
  EXPECT(names, files);
}

/* An array whose name is a valid file name keeps it, in any order of the arrays. */
static void test_names_that_become_the_same(void **state) {
  (void)state;
  static const char *const names[] = {"a/b", "a_b_2", "a\\b", "a:b", "a_b"};
  static const char *const files[] = {"a_b_3", "a_b_2", "a_b_4", "a_b_5", "a_b"};
  EXPECT(names, files);
}

static void test_long_names(void **state) {
  (void)state;
  char one[402], other[402];
  for (size_t i = 0; i < 200; i++) memcpy(one + 2 * i, "\xc3\xa4", 2);
  memcpy(one + 400, "1", 2);
  memcpy(other, one, sizeof one);
  other[400] = '2';
  memmove(one + 1, one, 400); /* odd: the cut falls into a character */
  one[0] = 'x';
  one[401] = '\0';
  const char *const names[] = {one, other, "\xc3\xa4"};
  char **files = api_unique_names(&api_file_names, names, 3);
  assert_int_equal(strlen(files[0]), 199);
  assert_int_equal(strlen(files[1]), 200);
  api_unique_names_free(files, 3);
}

/* A document may have very many sensors. */
static void test_many_names(void **state) {
  (void)state;
  enum { MANY = 50000 };
  static char texts[MANY][24];
  const char **names = calloc(MANY, sizeof *names);
  for (size_t i = 0; i < MANY; i++) {
    for (int k = 0; k < 16; k++) texts[i][k] = (i >> k) & 1 ? '/' : ':'; /* all get the same name */
    names[i] = texts[i];
  }
  char **files = api_unique_names(&api_file_names, names, MANY);
  assert_string_equal(files[0], "________________");
  assert_string_equal(files[MANY - 1], "_________________50000");
  api_unique_names_free(files, MANY);
  free(names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ordinary_names),
      cmocka_unit_test(test_unsafe_names),
      cmocka_unit_test(test_names_that_become_the_same),
      cmocka_unit_test(test_long_names),
      cmocka_unit_test(test_many_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
