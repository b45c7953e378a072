#include "expression/ratio.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger numbers are doubles; up to this limit doubles represent integers exactly. */
static const int64_t largest = INT64_C(1) << 53;

static bool fits(int64_t n) { return n >= -largest && n <= largest; }
static bool is_exact(mbs_ratio a) { return a.under != 0; }

/* Computes a b, if a sum of two such products fits in int64_t. */
static bool times(int64_t a, int64_t b, int64_t *product) {
  if (fabs((double)a * (double)b) > 0x1p61) return false;
  *product = a * b;
  return true;
}

static mbs_ratio inexact(double value) { return (mbs_ratio){.value = value, .decimal = true}; }

static int64_t common(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* Returns over/under in lowest terms, or the double if these are too large. */
static mbs_ratio reduced(int64_t over, int64_t under, bool decimal, double value) {
  const int64_t divisor = common(over, under);
  assert(divisor > 0);
  over /= divisor;
  under /= divisor;
  if (under < 0) {
    over = -over;
    under = -under;
  }
  if (!fits(over) || !fits(under)) return inexact(value);
  return (mbs_ratio){over, under, (double)over / (double)under, decimal};
}

mbs_ratio mbs_ratio_whole(int64_t n) { return (mbs_ratio){n, 1, (double)n, false}; }

mbs_ratio mbs_ratio_read(const char *text) {
  const double value = strtod(text, NULL);
  const size_t mantissa = strcspn(text, "eE");
  const bool decimal = text[strcspn(text, ".eE")] != '\0';
  long tens = text[mantissa] != '\0' ? strtol(text + mantissa + 1, NULL, 10) : 0;
  int64_t over = 0, under = 1;
  bool behind = false;
  for (size_t i = 0; i < mantissa; i++) {
    if (text[i] == '.') {
      behind = true;
      continue;
    }
    over = 10 * over + (text[i] - '0');
    tens -= behind;
    if (!fits(over)) return inexact(value);
  }
  for (; over != 0 && over % 10 == 0; over /= 10) tens++; /* 0.10 is 1/10 */
  for (; tens > 0 && over != 0; tens--) {
    over *= 10;
    if (!fits(over)) return inexact(value);
  }
  for (; tens < 0 && over != 0; tens++) {
    under *= 10;
    if (!fits(under)) return inexact(value);
  }
  return reduced(over, under, decimal, value);
}

mbs_ratio mbs_ratio_sum(mbs_ratio a, mbs_ratio b) {
  const double value = a.value + b.value;
  int64_t left = 0, right = 0, under = 0;
  const bool exact = is_exact(a) && is_exact(b) && times(a.over, b.under, &left) && times(b.over, a.under, &right) &&
                     times(a.under, b.under, &under);
  return exact ? reduced(left + right, under, a.decimal || b.decimal, value) : inexact(value);
}

mbs_ratio mbs_ratio_product(mbs_ratio a, mbs_ratio b) {
  const double value = a.value * b.value;
  int64_t over = 0, under = 0;
  const bool exact = is_exact(a) && is_exact(b) && times(a.over, b.over, &over) && times(a.under, b.under, &under);
  return exact ? reduced(over, under, a.decimal || b.decimal, value) : inexact(value);
}

mbs_ratio mbs_ratio_power(mbs_ratio a, int64_t n) {
  if (n < 0) {
    a = is_exact(a) ? reduced(a.under, a.over, a.decimal, 1 / a.value) : inexact(1 / a.value);
    n = -n;
  }
  mbs_ratio power = mbs_ratio_whole(1);
  for (; n > 0; n--) power = mbs_ratio_product(power, a);
  return power;
}

mbs_ratio mbs_ratio_negative(mbs_ratio a) { return (mbs_ratio){-a.over, a.under, -a.value, a.decimal}; }

bool mbs_ratio_equal(mbs_ratio a, mbs_ratio b) {
  return a.over == b.over && a.under == b.under && (is_exact(a) || a.value == b.value);
}

bool mbs_ratio_is(mbs_ratio a, int64_t n) { return a.under == 1 && a.over == n; }

bool mbs_ratio_is_small(mbs_ratio a) { return a.under == 1 && a.over >= -64 && a.over <= 64; }

/* Writes 2000000 as 2e6. */
static void shorten_zeros(char text[MBS_RATIO_TEXT]) {
  size_t length = strlen(text), digits = length;
  while (digits > 1 && text[digits - 1] == '0') digits--;
  if (length - digits >= 5 && strspn(text, "0123456789") == length && digits <= 4) {
    const char *point = digits > 1 ? "." : "";
    char behind[8];
    snprintf(behind, sizeof behind, "%.*s", (int)digits - 1, text + 1);
    snprintf(text + 1, MBS_RATIO_TEXT - 1, "%s%se%zu", point, behind, length - 1);
  }
}

/* Writes the shortest decimals that represent this number. */
static void decimals(double value, char text[MBS_RATIO_TEXT]) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, MBS_RATIO_TEXT, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  char *exponent = strchr(text, 'e'); /* e-05 becomes e-5 */
  if (exponent == NULL) {
    shorten_zeros(text);
    return;
  }
  const long tens = strtol(exponent + 1, NULL, 10);
  snprintf(exponent, MBS_RATIO_TEXT - (size_t)(exponent - text), "e%ld", tens);
}

void mbs_ratio_text(mbs_ratio a, char over[MBS_RATIO_TEXT], char under[MBS_RATIO_TEXT]) {
  int64_t rest = is_exact(a) ? a.under : 1;
  if (a.decimal) {
    while (rest % 2 == 0) rest /= 2;
    while (rest % 5 == 0) rest /= 5;
  }
  const int64_t decimal = is_exact(a) ? a.under / rest : 1; /* `rest` divides it */
  const double left = is_exact(a) ? (double)a.over / (double)decimal : a.value;
  decimals(fabs(left), over);
  snprintf(under, MBS_RATIO_TEXT, "%lld", (long long)rest);
}
