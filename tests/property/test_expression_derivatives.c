/* Gradients and jets against differences, held branches against live ones, and guards that change sign exactly where
 * the live branch changes; for every function of functions.def and for random expressions. */
#include "random_expression.h"

#include "expression/expression.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SWITCHES_MAX = 200 };

/* ---- expressions over x0, ..., x4 ------------------------------------------------------------------------------- */

typedef struct subject {
  mbs_arena *arena;
  mbs_expression *expression;
  const char *text;
  double *slots;
  size_t inputs, switches;
  const int *numbers;
} subject;

static int scope_input(void *context, const char *path, char why[256]) {
  (void)context;
  (void)why;
  return path[0] == 'x' && strlen(path) == 2 ? path[1] - '0' : -1;
}

/* Returns false for texts like "1/(2 - 2)", which are not valid expressions. */
static bool subject_open(subject *s, const char *text) {
  const mbs_scope scope = {.input = scope_input};
  char message[512] = "";
  *s = (subject){.arena = mbs_arena_new(0), .text = text};
  s->expression = mbs_expression_compile(s->arena, text, &scope, message);
  if (s->expression == NULL) {
    mbs_arena_free(s->arena);
    assert_true(strstr(message, "finite") != NULL || strstr(message, "zero") != NULL);
    return false;
  }
  s->slots = malloc(mbs_expression_slots(s->expression) * sizeof(double));
  s->numbers = mbs_expression_inputs(s->expression, &s->inputs);
  s->switches = mbs_expression_switches(s->expression);
  assert_true(s->inputs <= INPUTS && s->switches <= SWITCHES_MAX);
  return true;
}

static void subject_close(subject *s) {
  free(s->slots);
  mbs_arena_free(s->arena);
}

/* ---- differences ------------------------------------------------------------------------------------------------ */

/* A path: in[k](s) = start[k] + speed[k] s + bend[k] s^2 / 2. */
typedef struct path {
  double start[INPUTS], speed[INPUTS], bend[INPUTS];
} path;

static void path_point(const path *p, double s, double in[INPUTS]) {
  for (int k = 0; k < INPUTS; k++) {
    in[k] = p->start[k] + s * (p->speed[k] + s * p->bend[k] / 2);
  }
}

static double path_value(const subject *f, const path *p, const double *mode, double s) {
  double in[INPUTS];
  path_point(p, s, in);
  return mbs_expression_value(f->expression, in, mode, f->slots);
}

typedef struct estimate {
  double value, doubt;
} estimate;

/* Computes derivatives by Richardson's extrapolation of central differences of step h, h/2, h/4; `doubt` is the change
 * by the last halving. */
static void differences(const subject *f, const path *p, const double *mode, estimate *first, estimate *second) {
  double centre = path_value(f, p, mode, 0), once[3], twice[3];
  for (int level = 0; level < 3; level++) {
    double h = 2e-3 / (1 << level);
    double above = path_value(f, p, mode, h), below = path_value(f, p, mode, -h);
    once[level] = (above - below) / (2 * h);
    twice[level] = (above - 2 * centre + below) / (h * h);
  }
  first->value = (4 * once[2] - once[1]) / 3;
  first->doubt = fabs(first->value - (4 * once[1] - once[0]) / 3);
  second->value = (4 * twice[2] - twice[1]) / 3;
  second->doubt = fabs(second->value - (4 * twice[1] - twice[0]) / 3);
}

/* Compares unless the differences are too doubtful or the derivative is undefined, such as that of x^y by y for x < 0.
 * Returns true if it compared. `noise` bounds the effect of rounding. */
static bool compare(const subject *f, const char *what, double exact, const estimate *by_differences, double noise) {
  double size = 1 + fabs(by_differences->value);
  if (!(by_differences->doubt <= 1e-3 * size) || !isfinite(exact)) {
    return false;
  }
  if (!(fabs(exact - by_differences->value) <= 10 * by_differences->doubt + noise * size)) {
    fail_msg("%s of '%s': %.17g, by differences %.17g", what, f->text, exact, by_differences->value);
  }
  return true;
}

/* ---- the properties at one point -------------------------------------------------------------------------------- */

static void random_path(uint64_t *random, path *p) {
  for (int k = 0; k < INPUTS; k++) {
    p->start[k] = random_between(random, -2, 2);
    p->speed[k] = random_between(random, -1, 1);
    p->bend[k] = random_between(random, -1, 1);
  }
}

/* Checks that the value with the mode of a point held equals the live value at the point. */
static void check_held_is_live(const subject *f, const double *in, const double *mode) {
  double guards[SWITCHES_MAX];
  mbs_expression_guards(f->expression, in, mode, f->slots, guards);
  for (size_t k = 0; k < f->switches; k++) {
    if (guards[k] == 0) {
      return; /* sign(0) is not a branch that can be held */
    }
  }
  double live = mbs_expression_value(f->expression, in, NULL, f->slots);
  double held = mbs_expression_value(f->expression, in, mode, f->slots);
  if (isfinite(live) && live != held) {
    fail_msg("'%s': %.17g live, %.17g held", f->text, live, held);
  }
}

/* Returns true if the point was suitable for a comparison. */
static bool check_derivatives(const subject *f, const path *p, const double *mode) {
  double gradient[INPUTS], jets[3 * INPUTS], jet[3];
  double value = mbs_expression_gradient(f->expression, p->start, mode, f->slots, gradient);
  bool compared = isfinite(value) && fabs(value) < 1e4;
  estimate first, second;
  for (size_t k = 0; compared && k < f->inputs; k++) {
    path along = {.speed = {0}};
    memcpy(along.start, p->start, sizeof along.start);
    along.speed[k] = 1;
    differences(f, &along, mode, &first, &second);
    compared = compare(f, "gradient", gradient[k], &first, 1e-8);
  }
  for (size_t k = 0; k < f->inputs; k++) {
    jets[3 * k] = p->start[k];
    jets[3 * k + 1] = p->speed[k];
    jets[3 * k + 2] = p->bend[k];
  }
  mbs_expression_jet(f->expression, jets, mode, f->slots, jet);
  if (isfinite(value) && isfinite(jet[1]) && isfinite(jet[2]) && jet[0] != value) {
    fail_msg("'%s': value %.17g by gradient, %.17g by jet", f->text, value, jet[0]);
  }
  if (compared) {
    differences(f, p, mode, &first, &second);
    compared = compare(f, "rate", jet[1], &first, 1e-8) && compare(f, "second rate", jet[2], &second, 1e-6);
  }
  return compared;
}

/* Determines the signs of the guards with `mode` held. Returns false if one is exactly 0, on the edge of two
 * branches. */
static bool guard_signs(const subject *f, const double *in, const double *mode, bool *signs) {
  double guards[SWITCHES_MAX];
  mbs_expression_guards(f->expression, in, mode, f->slots, guards);
  bool off_edges = true;
  for (size_t k = 0; k < f->switches; k++) {
    signs[k] = guards[k] > 0;
    off_edges = off_edges && guards[k] != 0;
  }
  return off_edges;
}

/* Holds the mode of the path's start and checks that at `s` a guard has changed its sign exactly if the live mode
 * differs. Returns true if it differs. */
static bool check_guards_at(const subject *f, const path *p, const double *mode, const bool *signs, double s) {
  double in[INPUTS], live_mode[SWITCHES_MAX];
  bool signs_there[SWITCHES_MAX];
  path_point(p, s, in);
  mbs_expression_mode(f->expression, in, NULL, f->slots, live_mode);
  check_held_is_live(f, in, live_mode);
  bool other_mode = memcmp(live_mode, mode, f->switches * sizeof *mode) != 0;
  if (guard_signs(f, in, mode, signs_there) && isfinite(mbs_expression_value(f->expression, in, NULL, f->slots))) {
    bool other_signs = memcmp(signs_there, signs, f->switches * sizeof *signs) != 0;
    if (other_signs != other_mode) {
      fail_msg("'%s' at s = %.17g: %s", f->text, s, other_mode ? "no guard changed" : "a guard changed alone");
    }
  }
  return other_mode;
}

/* Returns true if a switch was found on the path. */
static bool check_guards(const subject *f, const path *p, const double *mode) {
  bool signs[SWITCHES_MAX];
  if (!guard_signs(f, p->start, mode, signs) || !isfinite(path_value(f, p, NULL, 0))) {
    return false;
  }
  for (int i = 1; i <= 40; i++) {
    double low = (i - 1) / 20.0, high = i / 20.0;
    if (check_guards_at(f, p, mode, signs, high)) {
      for (int halving = 0; halving < 60; halving++) {
        double middle = low + (high - low) / 2;
        *(check_guards_at(f, p, mode, signs, middle) ? &high : &low) = middle;
      }
      return true;
    }
  }
  return false;
}

/* ---- every function --------------------------------------------------------------------------------------------- */

/* Checks `points` random points. Returns how many were suitable for differences, and in *switched on how many of their
 * paths a switch was found. */
static int check_everywhere(const subject *f, uint64_t *random, int points, int *switched) {
  int compared = 0;
  for (int i = 0; i < points; i++) {
    path p;
    double mode[SWITCHES_MAX];
    random_path(random, &p);
    mbs_expression_mode(f->expression, p.start, NULL, f->slots, mode);
    check_held_is_live(f, p.start, mode);
    compared += check_derivatives(f, &p, mode);
    *switched += check_guards(f, &p, mode);
  }
  return compared;
}

static void check_text(const char *text, bool has_switch) {
  subject f;
  uint64_t random = 20240607;
  int switched = 0;
  assert_true(subject_open(&f, text));
  int compared = check_everywhere(&f, &random, 400, &switched);
  if (compared < 100 || (has_switch && switched < 50)) {
    fail_msg("'%s': only %d points compared, %d switches met", text, compared, switched);
  }
  subject_close(&f);
}

static void every_function(void **state) {
  (void)state;
  for (size_t i = 0; i < known_function_count; i++) {
    const known_function *function = &known_functions[i];
    char text[100];
    int used = snprintf(text, sizeof text, "%s(x0", function->name);
    for (int k = 1; k < function->arguments; k++) {
      used += snprintf(text + used, sizeof text - (size_t)used, ", x%d", k);
    }
    snprintf(text + used, sizeof text - (size_t)used, ")");
    check_text(text, function->is_switch);
  }
}

static void every_operator(void **state) {
  (void)state;
  const char *const smooth[] = {"x0 + x1", "x0 - x1", "x0 * x1", "x0 / x1", "-x0",      "x0 ^ x1", "x0 ^ 2",
                                "x0 ^ 3",  "x0 ^ -3", "x0 ^ 64", "x0 ^ 65", "x0 ^ 2.5", "2 ^ x0"};
  for (size_t i = 0; i < sizeof smooth / sizeof smooth[0]; i++) {
    check_text(smooth[i], false);
  }
  const char *const switching[] = {"if(x0 < x1, x2^2, x3*x4)",
                                   "if(x0 <= x1, x2^2, x3*x4)",
                                   "if(x0 > x1, x2^2, x3*x4)",
                                   "if(x0 >= x1, x2^2, x3*x4)",
                                   "if(x0 > 0 && x1 > 0, x2^2, x3*x4)",
                                   "if(x0 > 0 || !(x1 > 0), x2^2, x3*x4)",
                                   "mod(x0, 0.7)",
                                   "min(x0, x1, x2, x3)",
                                   "max(x0, x1, x2, x3)",
                                   "if(floor(x0) == 1, x1, x2)"};
  for (size_t i = 0; i < sizeof switching / sizeof switching[0]; i++) {
    check_text(switching[i], true);
  }
}

/* ---- random expressions ----------------------------------------------------------------------------------------- */

static void random_expressions(void **state) {
  (void)state;
  writer w = {.random = 4711};
  int points = 0, compared = 0, switched = 0;
  for (int i = 0; i < 3000; i++) {
    subject f;
    w.used = 0;
    put_expression(&w, 1 + i % 4);
    if (subject_open(&f, w.text)) {
      compared += check_everywhere(&f, &w.random, 6, &switched);
      points += 6;
      subject_close(&f);
    }
  }
  /* Expressions are undefined or too steep at the other points. */
  assert_true(points > 15000 && compared > points / 2 && switched > points / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function),
      cmocka_unit_test(every_operator),
      cmocka_unit_test(random_expressions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
