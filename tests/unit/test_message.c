/* test_message.c - message texts: formatted like printf(), but without non-finite numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "mbs.h"

static char text[200];

static void test_as_printf(void **unused) {
  (void)unused;
  const int length = mbs_message(text, sizeof text, "%s: %d of %zu, %.3g%% at t = %.9g, %-4s|%c|%llu|%.*s", "a", -3,
                                 (size_t)4, 12.5, 1e-9, "nan", 'x', 7ULL, 2, "inf");
  assert_int_equal(length, strlen(text));
  assert_string_equal(text, "a: -3 of 4, 12.5% at t = 1e-09, nan |x|7|in");
  assert_int_equal(mbs_message(text, 5, "%s", "long text"), 9);
  assert_string_equal(text, "long");
}

static void test_no_number(void **unused) {
  (void)unused;
  mbs_message(text, sizeof text, "locks at t = %.9g, by %g, from %*d to %g: infinite, 'nano'", (double)NAN,
              -(double)INFINITY, 3, 5, 1.5);
  assert_string_equal(text, "locks at t = " MBS_NO_NUMBER ", by " MBS_NO_NUMBER ", from   5 to 1.5: infinite, 'nano'");
  mbs_message(text, sizeof text, "%ld %lld %zu %g", 1L, 2LL, (size_t)3, (double)INFINITY);
  assert_string_equal(text, "1 2 3 " MBS_NO_NUMBER);
  mbs_message(text, 12, "it is %g", (double)NAN);
  assert_string_equal(text, "it is (not ");
}

/* Diagnostics of a document follow the same rule. */
static void test_diagnostics(void **unused) {
  (void)unused;
  mbs_diagnostics list = {0};
  mbs_diagnose(&list, MBS_OUT_OF_RANGE, "/x", "%g is too much", (double)INFINITY);
  assert_string_equal(list.items[0].message, MBS_NO_NUMBER " is too much");
  mbs_diagnostics_free(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_printf),
      cmocka_unit_test(test_no_number),
      cmocka_unit_test(test_diagnostics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
