/* Numbers with a unit: the value of each word, exactly rounded; dimensions; invalid units. */
#include "expression/unit_words.h"

#include "mbs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "close.h"

static const long double pi = 3.141592653589793238462643383279502884L;

/* ---- every word ------------------------------------------------------------------------------------------------ */

/* Value of each word in SI: times / over, in long double, which has 11 bits more than the results. */
static const struct {
  const char *word, *unit;
  long double times, over;
} words[] = {
    {"1", "", 1, 1},
    {"m", "m", 1, 1},
    {"km", "m", 1000, 1},
    {"cm", "m", 1, 100},
    {"mm", "m", 1, 1000},
    {"um", "m", 1, 1e6L},
    {"\302\265m", "m", 1, 1e6L},
    {"nm", "m", 1, 1e9L},
    {"in", "m", 254, 10000},
    {"ft", "m", 3048, 10000},
    {"rad", "rad", 1, 1},
    {"mrad", "rad", 1, 1000},
    {"deg", "rad", pi, 180},
    {"\302\260", "rad", pi, 180},
    {"rev", "rad", 2 * pi, 1},
    {"s", "s", 1, 1},
    {"ms", "s", 1, 1000},
    {"us", "s", 1, 1e6L},
    {"\302\265s", "s", 1, 1e6L},
    {"min", "s", 60, 1},
    {"h", "s", 3600, 1},
    {"Hz", "1/s", 1, 1},
    {"rpm", "rad/s", pi, 30},
    {"kg", "kg", 1, 1},
    {"g", "kg", 1, 1000},
    {"mg", "kg", 1, 1e6L},
    {"lb", "kg", 45359237, 1e8L},
    {"N", "N", 1, 1},
    {"mN", "N", 1, 1000},
    {"kN", "N", 1000, 1},
    {"MN", "N", 1e6L, 1},
    {"lbf", "N", 44482216152605, 1e13L},
    {"Nm", "N m", 1, 1},
    {"Nmm", "N m", 1, 1000},
    {"kNm", "N m", 1000, 1},
    {"J", "N m", 1, 1},
};
enum { WORDS = sizeof words / sizeof *words };

static double value_of(const char *text, const char *unit) {
  char message[512];
  assert_true(mbs_has_unit(text));
  double value = mbs_unit_value(text, unit, message);
  if (isnan(value)) fail_msg("'%s' in %s: %s", text, unit, message);
  return value;
}

/* Expects the double nearest to `exact`, which itself has an error of 2^-61 relative. */
static void expect_nearest(const char *text, double value, long double exact) {
  long double half = (nextafter(fabs(value), INFINITY) - fabs(value)) / 2, slack = fabsl(exact) * 0x1p-61L;
  if (!(fabsl(value - exact) <= half + slack)) fail_msg("'%s' is %.17g, not %.21Lg", text, value, exact);
}

static void words_have_their_values(void **state) {
  (void)state;
  static const char *const numbers[] = {"1",   "5",     "0.1", "100",      "-12.5", "+3e-3",
                                        "7E2", "359.9", ".7",  "123456.7", "1e-12", "0.30000000000000004"};
  static const char *const known[] = {
#define MBS_UNIT(word, times, over, tens, pis, dimension) word,
#include "expression/unit_words.def"
  };
  assert_int_equal(sizeof known / sizeof *known, WORDS);
  for (size_t i = 0; i < WORDS; i++) {
    assert_string_equal(known[i], words[i].word);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
      char text[64];
      if (i == 0) continue; /* a plain number has no unit to check against */
      snprintf(text, sizeof text, "%s %s", numbers[k], words[i].word);
      expect_nearest(text, value_of(text, words[i].unit), strtold(numbers[k], NULL) * words[i].times / words[i].over);
    }
  }
}

/* Decimals are read like strtod() reads them, for every power of ten that the unit adds. */
static void decimals_are_exact(void **state) {
  (void)state;
  char text[64], same[64];
  for (int i = 1; i < 20000; i++) {
    snprintf(text, sizeof text, "%d.%d mm", i % 97, i);
    snprintf(same, sizeof same, "%d.%de-3", i % 97, i);
    assert_true(value_of(text, "m") == strtod(same, NULL));
    snprintf(text, sizeof text, "%de-%d kN", i, i % 40);
    snprintf(same, sizeof same, "%de%d", i, 3 - i % 40);
    assert_true(value_of(text, "N") == strtod(same, NULL));
  }
  assert_true(value_of("12345678901234567890123456789012345 um", "m") == 12345678901234567890123456789.012345);
  assert_true(value_of("100 deg", "rad") == 1.7453292519943295769);
}

static void angles_are_nearest(void **state) {
  (void)state;
  char text[64];
  for (int tenths = 1; tenths <= 36000; tenths++) {
    snprintf(text, sizeof text, "%d.%d deg", tenths / 10, tenths % 10);
    expect_nearest(text, value_of(text, "rad"), pi * tenths / 1800);
  }
}

/* ---- compound units -------------------------------------------------------------------------------------------- */

static void units_combine(void **state) {
  (void)state;
  static const struct {
    const char *text, *unit;
    double value;
  } cases[] = {
      {"30 km/h", "m/s", 30 / 3.6},
      {"10 N/mm", "N/m", 10000},
      {"1 kg*cm^2", "kg m^2", 1e-4},
      {"1 kg cm^2", "kg m^2", 1e-4},
      {"2.5kN", "N", 2500},
      {" 2.5  kN ", "N", 2500},
      {"5 mm^1", "m", 0.005},
      {"2 N s/mm", "N s/m", 2000},
      {"2 N/mm*s", "N s/m", 2000},
      {"2 N*s*m^-1", "N s/m", 2},
      {"2 kg/s^2", "N/m", 2},
      {"10 Hz", "1/s", 10},
      {"10 1/s", "1/s", 10},
      {"10 1/ms", "1/s", 10000},
      {"2 N m", "N m", 2},
      {"9.81 m/s/s", "m/s^2", 9.81},
      {"180 N m/deg", "N m/rad", 180 * 180 / 3.14159265358979323846},
      {"5 N m", "N m/rad", 5}, /* angles are plain numbers in combination with forces */
      {"60 deg/s", "rad/s", 3.14159265358979323846 / 3},
      {"0e9999999999 mm", "m", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double value = value_of(cases[i].text, cases[i].unit);
    if (!(fabs(value - cases[i].value) <= 4e-16 * cases[i].value))
      fail_msg("'%s' is %.17g, not %.17g", cases[i].text, value, cases[i].value);
  }
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static void errors_suggest_a_unit(void **state) {
  (void)state;
  static const struct {
    const char *text, *unit, *message;
  } cases[] = {
      {"5 mm", "rad", "expected an angle, in rad or deg, got '5 mm'"},
      {"5 deg", "m", "expected a length, in m or mm, got '5 deg'"},
      {"2 Hz", "rad/s", "expected an angular velocity, in rad/s, deg/s or rpm, got '2 Hz'"},
      {"2 rad/s", "1/s", "expected a value in 1/s, got '2 rad/s'"},
      {"2 N", "N s/m", "expected a value in N s/m, got '2 N'"},
      {"5 m^13", "m", "in '5 m^13' at column 7: the power of a unit must be a whole number from 1 to 12"},
      {"5 m^0", "m", "in '5 m^0' at column 6: the power of a unit must be a whole number from 1 to 12"},
      {"5 m^12 m^12", "m", "expected a length, in m or mm, got '5 m^12 m^12'"},
      {"5 mm", NULL, "the unit of '5 mm' cannot be checked here; write the number in SI units, 0.005"},
      {"100 deg", "", "the unit of '100 deg' cannot be checked here; write the number in SI units, 1.7453292519943295"},
      {"5 mm", "m or rad",
       "the unit here is m or rad, and '5 mm' cannot be checked against it; write the number in SI units, 0.005"},
      {"5 N/m", "N/m^n",
       "the unit here is N/m^n, and '5 N/m' cannot be checked against it; write the number in SI units, 5"},
      {"5 MM", "m",
       "in '5 MM' at column 3: unknown unit 'MM'; expected a length, in m, km, cm, mm, um, nm, in, ft; did you mean "
       "'mm'?"},
      {"5 degs", "rad",
       "in '5 degs' at column 3: unknown unit 'degs'; expected an angle, in rad, mrad, deg, rev; did you mean 'deg'?"},
      {"2L", "m",
       "in '2L' at column 2: unknown unit 'L'; expected a length, in m, km, cm, mm, um, nm, in, ft; if 'L' is a "
       "name, write '*' before it"},
      {"5 pounds", "kg",
       "in '5 pounds' at column 3: unknown unit 'pounds'; expected a mass, in kg, g, mg, lb; did you mean 'lb'?"},
      {"5 pounds", "N",
       "in '5 pounds' at column 3: unknown unit 'pounds'; expected a force, in N, mN, kN, MN, lbf; if 'pounds' is a "
       "name, write '*' before it"},
      {"30 grad", "rad",
       "in '30 grad' at column 4: unknown unit 'grad'; expected an angle, in rad, mrad, deg, rev; did you mean 'deg'?"},
      {"30 Degrees", NULL, "in '30 Degrees' at column 4: unknown unit 'Degrees'; did you mean 'deg'?"},
      {"5 sec", "s",
       "in '5 sec' at column 3: unknown unit 'sec'; expected a time, in s, ms, us, min, h; did you mean 's'?"},
      {"5 slug ft^2", "kg m^2",
       "in '5 slug ft^2' at column 3: unknown unit 'slug'; expected a moment of inertia, in kg m^2 or kg mm^2; if "
       "'slug' is a name, write '*' before it"},
      {"5 furlongs", NULL,
       "in '5 furlongs' at column 3: unknown unit 'furlongs'; if 'furlongs' is a name, write '*' before it"},
      {"5 zz", "N s/m", "in '5 zz' at column 3: unknown unit 'zz'; expected a value in N s/m; did you mean 'Hz'?"},
      {"2 sin(t)", "m", "in '2 sin(t)' at column 3: unknown unit 'sin'; if 'sin' is a name, write '*' before it"},
      {"5 mm + 1", "m",
       "in '5 mm + 1' at column 6: found '+', but a unit is allowed only after a number that stands alone; in a "
       "formula "
       "write SI values, such as pi/2 + 2*pi*t"},
      {"5 mm*2", "m", "in '5 mm*2' at column 6: expected a unit but found '2'"},
      {"5 N/", "N", "in '5 N/' at column 5: expected a unit but found the end"},
      {"1e400 mm", "m", "in '1e400 mm' the number is too large"},
      {"1e999999999999 mm", "m", "in '1e999999999999 mm' the number is too large"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char message[512] = "";
    assert_true(mbs_has_unit(cases[i].text));
    assert_true(isnan(mbs_unit_value(cases[i].text, cases[i].unit, message)));
    assert_string_equal(message, cases[i].message);
  }
}

/* If the field has no unit, the result contains the dimension. */
static void units_are_read_alone(void **state) {
  (void)state;
  char message[512] = "";
  mbs_measured read;
  assert_true(mbs_unit_read("-60 rpm", &read, message));
  assert_close(read.value, -2 * 3.14159265358979323846, 0);
  assert_string_equal(read.unit, "rpm");
  assert_true(read.dimension.known && read.dimension.s == -1 && read.dimension.rad == 1 && read.dimension.m == 0);
  assert_false(mbs_unit_read("5 mn", &read, message));
  assert_string_equal(message, "in '5 mn' at column 3: unknown unit 'mn'; did you mean 'mN'?");
  const mbs_dimension stiffness = mbs_unit_dimension("N/m");
  assert_true(stiffness.known && stiffness.m == 0 && stiffness.kg == 1 && stiffness.s == -2);
  assert_false(mbs_unit_dimension("N/m^n").known);
  assert_false(mbs_unit_dimension("").known);
  assert_false(mbs_unit_dimension(NULL).known);
}

static void long_texts_are_refused(void **state) {
  (void)state;
  char text[200], message[512];
  memset(text, 'm', sizeof text);
  text[0] = '1';
  for (size_t length = 99; length <= 101; length++) {
    text[length] = '\0';
    assert_true(isnan(mbs_unit_value(text, "m", message)));
    assert_true((strstr(message, "must not be longer than 100 bytes") != NULL) == (length > 100));
    text[length] = 'm';
  }
}

/* Valid and invalid expressions. */
static void expressions_have_no_unit(void **state) {
  (void)state;
  static const char *const texts[] = {"",      "  ",  "5",      "-5.5e3", "2*a",   "2/mm", "2 + mm",  "mm",    "2^mm",
                                      "2 1",   "(5)", "(5 mm)", "2,mm",   "5 ^ m", "-mm",  "- -5 mm", "1e5",   "5e3",
                                      "2 < m", ".",   "2.e",    "!5 mm",  "2 - s", "5)",   "pi/6",    "2*5 mm"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    bool is_number = strcmp(texts[i], "2.e") == 0; /* "2." followed by a word */
    if (mbs_has_unit(texts[i]) != is_number) fail_msg("'%s'", texts[i]);
  }
}

/* ---- the classes of documents ---------------------------------------------------------------------------------- */

static void expect_units(const mbs_class *cls, int depth, size_t *checked) {
  char message[512], text[64];
  for (const mbs_field *field = cls->fields; field->name && depth < 6; field++) {
    if (field->of) expect_units(field->of, depth + 1, checked);
    const char *unit = field->unit;
    if (!unit || strstr(unit, " or ") || strcmp(unit, "N/m^n") == 0)
      continue; /* fields with advice instead of a unit */
    snprintf(text, sizeof text, "2.5 %s", unit);
    if (mbs_unit_value(text, unit, message) != 2.5) fail_msg("%s of %s: %s", field->name, cls->name, message);
    ++*checked;
  }
}

/* The units of fields are those of SI, written as in the table. */
static void fields_have_units(void **state) {
  (void)state;
  size_t checked = 0;
  expect_units(mbs_class_model(), 0, &checked);
  for (mbs_family family = MBS_FAMILY_JOINT; family < MBS_FAMILY_COUNT; family++) {
    const mbs_class *cls;
    for (size_t i = 0; (cls = mbs_class_at(family, i)) != NULL; i++) expect_units(cls, 0, &checked);
  }
  assert_true(checked > 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_have_their_values), cmocka_unit_test(decimals_are_exact),
      cmocka_unit_test(angles_are_nearest),      cmocka_unit_test(units_combine),
      cmocka_unit_test(errors_suggest_a_unit),   cmocka_unit_test(units_are_read_alone),
      cmocka_unit_test(long_texts_are_refused),  cmocka_unit_test(expressions_have_no_unit),
      cmocka_unit_test(fields_have_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
