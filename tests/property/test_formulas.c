/* Derivatives of formulas, compiled from their texts, against the exact ones of programs, for every function and
 * operator and for random expressions. Displayed text reads back as the original, and its markup is balanced. */
#include "random_expression.h"

#include "expression/expression.h"
#include "mbs.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* x0, ..., x4, their rates v0, ..., v4 and second rates w0, ..., w4 are inputs 0 to 14. */
enum { NAMES = 3 * INPUTS };

static int scope_input(void *context, const char *path, char why[256]) {
  (void)context;
  (void)why;
  const char *const letters = "xvw", *letter = strlen(path) == 2 ? strchr(letters, path[0]) : NULL;
  return letter != NULL ? INPUTS * (int)(letter - letters) + path[1] - '0' : -1;
}

/* Returns the name of the rate: v3 for x3, w3 for v3. */
static const char *rate_of(void *context, const char *name) {
  (void)context;
  static const char *const rates[] = {"v0", "v1", "v2", "v3", "v4", "w0", "w1", "w2", "w3", "w4"};
  char why[256];
  const int number = scope_input(NULL, name, why);
  return number >= 0 && number < 2 * INPUTS ? rates[number] : NULL;
}

static const mbs_rates rates = {.rate = rate_of};

typedef struct subject {
  mbs_arena *arena;
  mbs_expression *expression;
  double *slots;
} subject;

static bool subject_open(subject *s, const char *text) {
  const mbs_scope scope = {.input = scope_input};
  char message[512] = "";
  *s = (subject){.arena = mbs_arena_new(0)};
  s->expression = mbs_expression_compile(s->arena, text, &scope, message);
  if (s->expression == NULL) {
    mbs_arena_free(s->arena);
    if (strstr(message, "finite") == NULL && strstr(message, "zero") == NULL) fail_msg("'%s': %s", text, message);
    return false;
  }
  s->slots = malloc(mbs_expression_slots(s->expression) * sizeof(double));
  return true;
}

static void subject_close(subject *s) {
  free(s->slots);
  mbs_arena_free(s->arena);
}

static double value_at(const subject *s, const double at[NAMES]) {
  double in[NAMES];
  size_t count = 0;
  const int *numbers = mbs_expression_inputs(s->expression, &count);
  for (size_t i = 0; i < count; i++) in[i] = at[numbers[i]];
  return mbs_expression_value(s->expression, in, NULL, s->slots);
}

static void jet_at(const subject *s, const double at[NAMES], double out[3]) {
  double jets[3 * NAMES];
  size_t count = 0;
  const int *numbers = mbs_expression_inputs(s->expression, &count);
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) jets[3 * i + (size_t)k] = at[numbers[i] + k * INPUTS];
  mbs_expression_jet(s->expression, jets, NULL, s->slots, out);
}

/* Estimates the rounding error of both values: evaluates in other rounding directions, and with inputs changed by a few
 * units in the last place. */
static double doubt_at(const subject *s, const subject *derived, int order, const double at[NAMES], uint64_t *random) {
  static const int directions[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
  double low = INFINITY, high = -INFINITY, low_jet = INFINITY, high_jet = -INFINITY;
  for (int i = 0; i < 8; i++) {
    double beside[NAMES], jet[3];
    for (int k = 0; k < NAMES; k++) beside[k] = at[k] * (1 + random_between(random, -8, 8) * DBL_EPSILON);
    fesetround(directions[i % 4]);
    const double value = value_at(derived, beside);
    jet_at(s, beside, jet);
    fesetround(FE_TONEAREST);
    low = fmin(low, value);
    high = fmax(high, value);
    low_jet = fmin(low_jet, jet[order]);
    high_jet = fmax(high_jet, jet[order]);
  }
  return high - low + (high_jet - low_jet);
}

typedef struct count {
  int compared, exact, refused, undefined;
} count;

/* Compares the derivative of this order, evaluated from its text, with the jet. */
static void compare(const char *text, const subject *s, const char *derived_text, int order, uint64_t *random,
                    count *counts) {
  subject derived;
  if (!subject_open(&derived, derived_text)) {
    counts->refused++;
    return;
  }
  for (int i = 0; i < 5; i++) {
    double at[NAMES], jet[3];
    for (int k = 0; k < NAMES; k++) at[k] = random_between(random, k < INPUTS ? -2 : -1, k < INPUTS ? 2 : 1);
    jet_at(s, at, jet);
    const double shown = value_at(&derived, at), exact = jet[order];
    if (!isfinite(jet[0]) || !isfinite(jet[1]) || !isfinite(exact) || fabs(exact) > 1e12) continue;
    if (!isfinite(shown)) {
      counts->undefined++; /* 0/0, where a program skips constant factors */
      continue;
    }
    const double error = fabs(shown - exact), doubt = doubt_at(s, &derived, order, at, random);
    counts->compared++;
    counts->exact += error <= 1e-12 * fabs(exact);
    if (error <= 1e-12 * fabs(exact)) continue;
    if (!(error <= 1e-12 * fabs(exact) + 100 * doubt))
      fail_msg("derivative %d of '%s' is %.17g, as shown %.17g (doubt %.2g): '%s'", order, text, exact, shown, doubt,
               derived_text);
  }
  subject_close(&derived);
}

/* ---- displayed text ---------------------------------------------------------------------------------------------- */

static void assert_balanced(const char *latex) {
  int braces = 0, fences = 0;
  for (const char *c = latex; *c != '\0'; c++) {
    braces += *c == '{' ? 1 : *c == '}' ? -1 : 0;
    fences += strncmp(c, "\\left", 5) == 0 && c[5] != 'a' ? 1 : strncmp(c, "\\right", 6) == 0 ? -1 : 0;
    assert_true(braces >= 0 && fences >= 0 && (unsigned char)*c < 0x80);
  }
  if (braces != 0 || fences != 0) fail_msg("%s", latex);
}

/* Checks that elements nest, and that < and & occur only in them and in entities. */
static void assert_well_formed(const char *mathml) {
  const char *open[500];
  int depth = 0;
  for (const char *c = mathml; *c != '\0'; c++) {
    if (*c == '&') assert_true(strncmp(c, "&lt;", 4) == 0 || strncmp(c, "&gt;", 4) == 0 || strncmp(c, "&amp;", 5) == 0);
    if (*c != '<') continue;
    const bool ends = c[1] == '/';
    const char *name = c + 1 + ends;
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    assert_true(length > 0 && strchr(name, '>') != NULL);
    if (!ends) {
      assert_true(depth < 500);
      open[depth++] = name;
    } else {
      assert_true(depth > 0 && strncmp(open[--depth], name, length) == 0 && name[length] == '>');
    }
  }
  assert_int_equal(depth, 0);
}

/* Returns the text of a formula after checking all its notations. */
static const char *shown(mbs_arena *arena, const mbs_formula *formula) {
  char message[512];
  const char *latex = mbs_formula_show(arena, formula, MBS_NOTATION_LATEX, NULL, message);
  const char *mathml = mbs_formula_show(arena, formula, MBS_NOTATION_MATHML, NULL, message);
  const char *text = mbs_formula_show(arena, formula, MBS_NOTATION_TEXT, NULL, message);
  assert_true(latex != NULL && mathml != NULL && text != NULL);
  assert_balanced(latex);
  assert_well_formed(mathml);
  return text;
}

static void assert_same_values(const subject *s, const char *text, uint64_t *random) {
  subject again;
  if (!subject_open(&again, text)) fail_msg("'%s' is not read again", text);
  for (int i = 0; i < 3; i++) {
    double at[NAMES];
    for (int k = 0; k < NAMES; k++) at[k] = random_between(random, -2, 2);
    const double was = value_at(s, at), is = value_at(&again, at);
    if (was != is && !(isnan(was) && isnan(is))) fail_msg("'%s' is %.17g, not %.17g", text, is, was);
  }
  subject_close(&again);
}

/* Checks all properties of an expression. */
static void check(const char *text, uint64_t *random, count *counts) {
  subject s;
  if (!subject_open(&s, text)) return;
  char message[512];
  mbs_arena *arena = mbs_arena_new(0);
  const mbs_formula *formula = mbs_formula_read(arena, text, message);
  if (formula == NULL) fail_msg("'%s': %s", text, message);
  assert_same_values(&s, shown(arena, formula), random);
  for (int order = 1; order <= 2 && formula != NULL; order++) {
    formula = mbs_formula_rate(arena, formula, &rates, message);
    if (formula != NULL) {
      compare(text, &s, shown(arena, formula), order, random, counts);
    } else {
      assert_non_null(strstr(message, "the derivative is not shown: "));
      counts->refused++;
    }
  }
  mbs_arena_free(arena);
  subject_close(&s);
}

static void every_function(void **state) {
  (void)state;
  uint64_t random = 20240607;
  for (size_t i = 0; i < known_function_count; i++) {
    const known_function *function = &known_functions[i];
    for (int inside = 0; inside < 2; inside++) {
      char text[200];
      int used = snprintf(text, sizeof text, "%s(", function->name);
      for (int k = 0; k < function->arguments; k++)
        used +=
            snprintf(text + used, sizeof text - (size_t)used, inside ? "%sx%d*x4/3" : "%sx%d", k > 0 ? ", " : "", k);
      snprintf(text + used, sizeof text - (size_t)used, ")");
      count counts = {0};
      for (int times = 0; times < 40; times++) check(text, &random, &counts);
      if (counts.compared < 60 || counts.exact < counts.compared * 9 / 10 || counts.refused > 0)
        fail_msg("'%s': %d of %d are exact, %d refused", text, counts.exact, counts.compared, counts.refused);
    }
  }
}

static void every_operator(void **state) {
  (void)state;
  static const char *const texts[] = {"x0 + x1",
                                      "x0 - x1",
                                      "x0*x1",
                                      "x0/x1",
                                      "-x0",
                                      "x0^2",
                                      "x0^-3",
                                      "x0^65",
                                      "x0^2.5",
                                      "2^x0",
                                      "x0^x1",
                                      "x0^1",
                                      "x0^0",
                                      "(x0/x1)^3",
                                      "x0/x1/x2*x3",
                                      "x0 - (x1 - x2)",
                                      "x0/(x1/x2)",
                                      "-(x0 + x1)^2",
                                      "2*-x0",
                                      "if(x0 < x1, x2^2, x3)",
                                      "(x0 >= 0)*x1^2",
                                      "x0*(x1 == x2)",
                                      "!(x0 > 0)*x1",
                                      "if(x0 > 0 && x1 > 0 || x2 <= 0, x2*x3, x4)",
                                      "min(x0, x1, x2, x3)",
                                      "max(x0, x1, x2)^2",
                                      "sign(x0)*x0",
                                      "abs(x0)*sign(x0)",
                                      "sqrt(x0)*sqrt(x0)",
                                      "1/sqrt(x0)^3",
                                      "(x0*x1)^-2"};
  uint64_t random = 4711;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    count counts = {0};
    for (int times = 0; times < 40; times++) check(texts[i], &random, &counts);
    if (counts.compared < 60 || counts.exact < counts.compared * 9 / 10 || counts.refused > 0)
      fail_msg("'%s': %d of %d are exact, %d refused", texts[i], counts.exact, counts.compared, counts.refused);
  }
}

static void random_expressions(void **state) {
  (void)state;
  writer w = {.random = 815};
  count counts = {0};
  for (int i = 0; i < 4000; i++) {
    w.used = 0;
    put_expression(&w, 1 + i % 5);
    check(w.text, &w.random, &counts);
  }
  print_message("%d compared, %d to 1e-12, %d refused, %d undefined\n", counts.compared, counts.exact, counts.refused,
                counts.undefined);
  assert_true(counts.compared > 15000 && counts.exact > counts.compared * 9 / 10);
  assert_true(counts.refused < 800 && counts.undefined < counts.compared / 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function),
      cmocka_unit_test(every_operator),
      cmocka_unit_test(random_expressions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
