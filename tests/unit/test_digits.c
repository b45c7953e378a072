/* Numbers as text: each reads back as the same double, and fewer digits would not. Also checks the version for the
 * page's module, which does without the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/buffer.h"
#include "api/base/digits.h"

int plain_digits(double value, char out[API_DIGITS_MAX]);
#define api_digits plain_digits
#include "api/base/no_charconv.c"
#undef api_digits

static uint64_t random_bits(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

/* Counts the digits of a text without sign, point, exponent, leading and trailing zeros. */
static int significant(const char *text) {
  int count = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
    count++;
    zeros = *text == '0' ? zeros + 1 : 0;
  }
  return count - zeros;
}

/* Returns true if a text is halfway to the neighbour of `value`. Some readers round such a text to the neighbour. */
static bool is_between(const char *text, double value) {
  const long double read = strtold(text, NULL), other = nextafter(value, read > value ? INFINITY : -INFINITY);
  return read - value == other - read;
}

static void check(double value) {
  char text[API_DIGITS_MAX + 1], fewer[64], plain[API_DIGITS_MAX + 1];
  text[api_digits(value, text)] = 0;
  plain[plain_digits(value, plain)] = 0;
  const double back = strtod(text, NULL), plain_back = strtod(plain, NULL);
  if (memcmp(&back, &value, sizeof value) != 0) fail_msg("%.17g is written %s", value, text);
  if (memcmp(&plain_back, &value, sizeof value) != 0) fail_msg("%.17g is written %s in the page", value, plain);
  const int count = significant(text);
  if (count > 1) snprintf(fewer, sizeof fewer, "%.*e", count - 2, value);
  if (count > 1 && strtod(fewer, NULL) == value && !is_between(fewer, value))
    fail_msg("%s has more digits than %s", text, fewer);
}

static void test_random(void **state) {
  (void)state;
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < 300000; i++) {
    const uint64_t bits = random_bits(&random);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) check(value);
    check(((double)(bits >> 11) * 0x1p-53 - 0.5) * 20);
    check((double)(bits >> 44) / 1000);
  }
}

static void test_powers(void **state) {
  (void)state;
  for (int k = -1074; k < 1024; k++) check(ldexp(1, k));
  for (int k = -307; k < 308; k++) {
    check(pow(10, k));
    check(nextafter(pow(10, k), 0));
  }
}

static void test_forms(void **state) {
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0"},
               {-0.0, "-0.0"},
               {0.1, "0.1"},
               {-2.5, "-2.5"},
               {100, "100"},
               {1e-5, "1e-05"},
               {1.0 / 3, "0.3333333333333333"},
               {1e21, "1e+21"},
               {0.0001, "0.0001"},
               {5e-324, "5e-324"},
               {INFINITY, "inf"},
               {-INFINITY, "-inf"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    api_buffer out = {0};
    api_buffer_number(&out, cases[i].value);
    api_buffer_add(&out, "", 1);
    assert_string_equal(out.data, cases[i].text);
    api_buffer_free(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_powers),
                                     cmocka_unit_test(test_forms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
