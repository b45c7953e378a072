/* The expression language, its errors, and evaluation at chosen points; property/test_expression_derivatives.c checks
 * the derivatives. */
#include "expression/expression.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a scope: t, x, y and bob.B.x are inputs 0, 1, 2, 3; k and L constants; distance(a, b) is input 4 ---------- */

static bool scope_constant(void *context, const char *path, double *value) {
  (void)context;
  *value = strcmp(path, "k") == 0 ? 20 : strcmp(path, "L") == 0 ? 1.5 : strcmp(path, "zero") == 0 ? 0 : NAN;
  return !isnan(*value) || strcmp(path, "nan") == 0;
}

static int scope_input(void *context, const char *path, char why[256]) {
  (void)context;
  const char *const names[] = {"t", "x", "y", "bob.B.x"};
  for (int i = 0; i < 4; i++) {
    if (strcmp(path, names[i]) == 0) {
      return i;
    }
  }
  if (strcmp(path, "silent") != 0) {
    snprintf(why, 256, "no quantity '%s'; did you mean 'bob.B.x'?", path);
  }
  return -1;
}

static bool scope_is_measure(void *context, const char *function) {
  (void)context;
  return strcmp(function, "distance") == 0;
}

static int scope_measure(void *context, const char *function, const char *const *paths, size_t count, char why[256]) {
  (void)context;
  assert_string_equal(function, "distance");
  if (count == 2 && strcmp(paths[0], "bob.B") == 0 && strcmp(paths[1], "ground.O") == 0) {
    return 4;
  }
  snprintf(why, 256, "distance takes two points");
  return -1;
}

static const mbs_scope scope = {
    .constant = scope_constant, .input = scope_input, .is_measure = scope_is_measure, .measure = scope_measure};
static const mbs_scope constants_only = {.constant = scope_constant};

/* ---- one expression with its work space ------------------------------------------------------------------------ */

typedef struct fixture {
  mbs_arena *arena;
  mbs_expression *expression;
  double *slots; /* exactly as many as requested */
} fixture;

static fixture open_text(const char *text) {
  char message[512] = "";
  fixture f = {.arena = mbs_arena_new(0)};
  f.expression = mbs_expression_compile(f.arena, text, &scope, message);
  if (f.expression == NULL) {
    fail_msg("'%s': %s", text, message);
  }
  f.slots = malloc(mbs_expression_slots(f.expression) * sizeof(double));
  return f;
}

static void close_text(fixture *f) {
  free(f->slots);
  mbs_arena_free(f->arena);
}

/* Returns the value; inputs are indexed by their numbers in the scope. */
static double live_value(const char *text, const double inputs[5]) {
  fixture f = open_text(text);
  double in[5] = {0};
  size_t count = 0;
  const int *numbers = mbs_expression_inputs(f.expression, &count);
  for (size_t i = 0; i < count; i++) {
    in[i] = inputs[numbers[i]];
  }
  double value = mbs_expression_value(f.expression, in, NULL, f.slots);
  close_text(&f);
  return value;
}

static void assert_close(double value, double expected, double relative) {
  if (!(fabs(value - expected) <= relative * fmax(fabs(expected), 1e-300))) {
    fail_msg("%.17g is not %.17g", value, expected);
  }
}

static void assert_constant(const char *text, double expected) {
  fixture f = open_text(text);
  double value = NAN;
  size_t count = 99;
  assert_true(mbs_expression_is_constant(f.expression, &value));
  if (!(fabs(value - expected) <= 4 * DBL_EPSILON * fabs(expected))) {
    fail_msg("'%s' is %.17g, not %.17g", text, value, expected);
  }
  mbs_expression_inputs(f.expression, &count);
  assert_int_equal(count, 0);
  assert_int_equal(mbs_expression_switches(f.expression), 0);
  assert_true(mbs_expression_value(f.expression, NULL, NULL, f.slots) == value);
  close_text(&f);
}

/* ---- the language ---------------------------------------------------------------------------------------------- */

static void numbers_and_operators(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"1", 1},
      {"1.5", 1.5},
      {".5", 0.5},
      {"2.", 2},
      {"1e-3", 1e-3},
      {"1E+3", 1e3},
      {" \t\n 7 \r\n", 7},
      {"1+2*3", 7},
      {"(1+2)*3", 9},
      {"7-4-2", 1},
      {"16/4/2", 2},
      {"2^3^2", 512},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-1", 0.5},
      {"2*-3", -6},
      {"--3", 3},
      {"+3", 3},
      {"-2^-2", -0.25},
      {"10^-3", 1e-3},
      {"10^30", 1e30},
      {"0^0", 1},
      {"(-2)^3", -8},
      {"x^0", 1},
      {"pi", 3.14159265358979323846},
      {"pi/6", 3.14159265358979323846 / 6},
      {"k*L", 30},
      {"1 < 2", 1},
      {"2 < 2", 0},
      {"2 <= 2", 1},
      {"2 > 2", 0},
      {"3 > 2", 1},
      {"2 >= 2", 1},
      {"2 == 2", 1},
      {"2 != 2", 0},
      {"1 < 2 && 2 < 1", 0},
      {"1 < 2 || 2 < 1", 1},
      {"0 || 0", 0},
      {"1 || 0 && 0", 1},
      {"!0", 1},
      {"!(1 < 2)", 0},
      {"1 + 1 == 2", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_constant(cases[i].text, cases[i].value);
  }
}

/* x / |x| is sign(x) with its value at 0, also as a factor of products. In other quotients 0 / 0 is undefined. */
static void quotients_are_signs(void **state) {
  (void)state;
  static const char *const signs[] = {"x/abs(x)",         "x/sqrt(x^2)",          "x/(x*x)^0.5",        "-x/abs(-x)*-1",
                                      "3*x*y/abs(x)/3/y", "x*(y/(2*abs(x)))*2/y", "(x - 0)/abs(0 - x)", "1/abs(x)*x"};
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
    for (int k = -1; k <= 1; k++) assert_close(live_value(signs[i], (double[5]){0, k * 0.3, 0.7}), k, 1e-15);
  static const char *const others[] = {"x/abs(2*x)", "x/sqrt(x^2 + y^2)", "x^2/abs(y)"};
  const double inputs[5] = {0, 0, 0};
  for (size_t i = 0; i < 3; i++) {
    fixture f = open_text(others[i]);
    assert_true(mbs_expression_may_be_localized(f.expression));
    close_text(&f);
    assert_true(isnan(live_value(others[i], inputs)));
  }
  /* more of them than the simplification can hold, and squares of squares */
  char text[4000] = "1";
  for (int k = 0; k < 200; k++) strcat(text, "*x/abs(x)");
  assert_close(live_value(text, (double[5]){0, -0.3, 0.7}), 1, 1e-12);
  strcpy(text, "x");
  for (int k = 0; k < 60; k++) strcat(text, "^1*x");
  strcat(text, "/abs(x)");
  assert_close(live_value(text, (double[5]){0, -1, 0.7}), -1, 1e-12);
  strcpy(text,
         "x/abs(((((((((((((((((((((((((((((((((x^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)^2"
         ")^2)^2)^2)^2)^2)^2)^2)^2)^2)^2)");
  assert_close(live_value(text, (double[5]){0, -1, 0.7}), -1, 0);
}

static void functions_have_their_values(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"sin(0.3)", sin(0.3)},
      {"cos(0.3)", cos(0.3)},
      {"tan(0.3)", tan(0.3)},
      {"asin(0.3)", asin(0.3)},
      {"acos(0.3)", acos(0.3)},
      {"atan(0.3)", atan(0.3)},
      {"atan2(1, -2)", atan2(1, -2)},
      {"sinh(0.3)", sinh(0.3)},
      {"cosh(0.3)", cosh(0.3)},
      {"tanh(0.3)", tanh(0.3)},
      {"exp(0.3)", exp(0.3)},
      {"log(0.3)", log(0.3)},
      {"sqrt(2)", sqrt(2)},
      {"abs(-2)", 2},
      {"sign(-3)", -1},
      {"sign(0)", 0},
      {"sign(3)", 1},
      {"min(3, 2)", 2},
      {"min(3, 2, 1, 4)", 1},
      {"max(3, 2)", 3},
      {"max(3, 5, 4)", 5},
      {"floor(-0.5)", -1},
      {"floor(2)", 2},
      {"mod(5, 3)", 2},
      {"mod(-1, 3)", 2},
      {"mod(1, -3)", -2},
      {"mod(1, 0.1)", 0},
      {"pow(2, 10)", 1024},
      {"pow(2, 0.5)", sqrt(2)},
      {"if(1 < 2, 3, 4)", 3},
      {"if(1 > 2, 3, 4)", 4},
      {"smoothstep(0.5, 0, 2, 1, 4)", 3},
      {"smoothstep(-1, 0, 0.1, 1, 0.3)", 0.1},
      {"smoothstep(2, 0, 0.1, 1, 0.3)", 0.3},
      {"smoothstep(0.25, 0, 0, 1, 1)", 0.103515625},
      {"sin ( 0 )", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_constant(cases[i].text, cases[i].value);
  }
}

static void inputs_are_found_and_shared(void **state) {
  (void)state;
  fixture f = open_text("bob.B.x * x + k * bob.B.x + distance ( bob.B , ground.O )");
  size_t count = 0;
  const int *numbers = mbs_expression_inputs(f.expression, &count);
  assert_int_equal(count, 3);
  assert_int_equal(numbers[0], 3);
  assert_int_equal(numbers[1], 1);
  assert_int_equal(numbers[2], 4);
  const double in[] = {2, 5, 0.25};
  assert_true(mbs_expression_value(f.expression, in, NULL, f.slots) == 50.25);
  close_text(&f);

  f = open_text("if(k > 0, x, y)"); /* y is not an input */
  numbers = mbs_expression_inputs(f.expression, &count);
  assert_int_equal(count, 1);
  assert_int_equal(numbers[0], 1);
  close_text(&f);

  f = open_text("abs(x - y) + abs(x - y) * 2"); /* a single switch */
  assert_int_equal(mbs_expression_switches(f.expression), 1);
  close_text(&f);
}

static void input_alone(void **state) {
  (void)state;
  fixture f = open_text("x");
  const double in[] = {3}, jet[] = {3, 4, 5};
  double gradient[1], out[3];
  assert_true(mbs_expression_value(f.expression, in, NULL, f.slots) == 3);
  assert_true(mbs_expression_gradient(f.expression, in, NULL, f.slots, gradient) == 3);
  assert_true(gradient[0] == 1);
  mbs_expression_jet(f.expression, jet, NULL, f.slots, out);
  assert_memory_equal(out, jet, sizeof jet);
  close_text(&f);
}

static void constant_expression(void **state) {
  (void)state;
  mbs_arena *arena = mbs_arena_new(0);
  mbs_expression *expression = mbs_expression_constant(arena, 2.5);
  double value = 0, slots[3], out[3];
  assert_int_equal(mbs_expression_slots(expression), 3);
  assert_true(mbs_expression_is_constant(expression, &value));
  assert_true(value == 2.5);
  assert_true(mbs_expression_value(expression, NULL, NULL, slots) == 2.5);
  assert_true(mbs_expression_gradient(expression, NULL, NULL, slots, NULL) == 2.5);
  mbs_expression_jet(expression, NULL, NULL, slots, out);
  assert_true(out[0] == 2.5 && out[1] == 0 && out[2] == 0);
  mbs_expression_mode(expression, NULL, NULL, slots, NULL);
  mbs_expression_guards(expression, NULL, NULL, slots, NULL);
  mbs_arena_free(arena);

  arena = mbs_arena_new(100);
  assert_null(mbs_expression_constant(arena, 1));
  mbs_arena_free(arena);
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static void assert_error(const char *text, const char *expected) {
  char message[512] = "";
  mbs_arena *arena = mbs_arena_new(0);
  assert_null(mbs_expression_compile(arena, text, &scope, message));
  assert_string_equal(message, expected);
  mbs_arena_free(arena);
}

static void errors_name_place_and_reason(void **state) {
  (void)state;
  const struct {
    const char *text, *message;
  } cases[] = {
      {"", "at column 1: expected a number, a name or '(' but found the end"},
      {"   ", "at column 4: expected a number, a name or '(' but found the end"},
      {"2 * (1+)", "at column 8: expected a number, a name or '(' but found ')'"},
      {"(1", "at column 3: expected an operator or ')' but found the end"},
      {"(1 2", "at column 4: expected an operator or ')' but found '2'"},
      {"1)", "at column 2: expected an operator or the end but found ')'"},
      {"2,5 kg", "at column 2: a number has a decimal point, not a comma: write 2.5"},
      {"(x*12,75)", "at column 6: a number has a decimal point, not a comma: write 12.75"},
      {"1,234,567", "at column 2: expected an operator or the end but found ','"},
      {"x,5", "at column 2: expected an operator or the end but found ','"},
      {"2x", "at column 2: expected an operator or the end but found 'x'"},
      {"0x10", "at column 2: expected an operator or the end but found 'x10'"},
      {"1..2", "at column 3: expected an operator or the end but found '.2'"},
      {"x = 2", "at column 3: expected an operator or the end but found '='; compare with '=='"},
      {"x .* y", "at column 3: expected an operator or the end but found '.'; write '*'"},
      {"diff(x)", "at column 1: unknown function 'diff'; no function differentiates: use the names of rates, such as "
                  "BODY.vx, BODY.ax or JOINT.qd"},
      {"x & y", "at column 3: expected an operator or the end but found '&'; write '&&'"},
      {".", "at column 1: expected a number, a name or '(' but found '.'"},
      {"1 +", "at column 4: expected a number, a name or '(' but found the end"},
      {"bob.", "at column 5: expected a name after the dot but found the end"},
      {"bob.3", "at column 5: expected a name after the dot but found '3'"},
      {"2 \xC3\x97 3", "at column 3: expected an operator or the end but found '\xC3\x97'"},
      {"0 < x < 1", "at column 7: comparisons cannot be chained: join them with &&"},
      {"bob.Q.x + 1", "at column 1: no quantity 'bob.Q.x'; did you mean 'bob.B.x'?"},
      {"1 + silent", "at column 5: unknown name 'silent'"},
      {"sin", "at column 1: 'sin' is a function: write its arguments in parentheses"},
      {"1 + sinn(2)", "at column 5: unknown function 'sinn'; did you mean 'sin'?"},
      {"quintic(2)", "at column 1: unknown function 'quintic'"},
      {"sin()", "at column 1: sin takes 1 argument, not 0"},
      {"sin(1, 2)", "at column 1: sin takes 1 argument, not 2"},
      {"atan2(1)", "at column 1: atan2 takes 2 arguments, not 1"},
      {"min(1)", "at column 1: min takes at least 2 arguments, not 1"},
      {"if(1, 2)", "at column 1: if takes 3 arguments, not 2"},
      {"sin(1", "at column 6: expected an operator, ',' or ')' but found the end"},
      {"sin(1,)", "at column 7: expected a number, a name or '(' but found ')'"},
      {"distance(bob.B, 3)", "at column 17: expected a name but found '3'"},
      {"distance(bob.B ground.O)", "at column 16: expected ',' or ')' but found 'ground.O'"},
      {"distance(bob.B)", "at column 1: distance takes two points"},
      {"distance(a,a,a,a,a,a,a,a,a)", "at column 26: distance has too many arguments"},
      {"1e400", "at column 1: the number is too large"},
      {"1 + nan", "at column 5: 'nan' is not a finite number"},
      {"x + 1/0", "at column 6: division by zero"},
      {"x / zero", "at column 3: division by zero"},
      {"mod(x, 0)", "at column 1: division by zero"},
      {"smoothstep(x, 1, 0, 1, 2)", "at column 1: division by zero"},
      {"exp(-1/0)", "at column 7: division by zero"},
      {"1 + sqrt(-1)", "at column 5: sqrt(-1) is not a finite number"},
      {"x * log(0)", "at column 5: log(0) is not a finite number"},
      {"0^-1", "at column 2: 0 ^ -1 is not a finite number"},
      {"1e300*1e300", "at column 6: 1e+300 * 1e+300 is not a finite number"},
      {"if(x > 0, 1/0, 1)", "at column 12: division by zero"},
      {"if(1/0, 1, 2)", "at column 5: division by zero"},
      {"x > 0 && 1/0", "at column 11: division by zero"},
      {"abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij(1)",
       "at column 1: unknown function 'abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij'"},
      {"1 abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij",
       "at column 3: expected an operator or the end but found 'abcdefghijabcdefghijabcdefghijabcdefghij...'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_error(cases[i].text, cases[i].message);
  }
}

static void unused_branches_may_be_undefined(void **state) {
  (void)state;
  assert_constant("if(zero > 0, 1/zero, 5)", 5);
  assert_constant("zero != 0 && 1/zero > 2", 0);
  assert_constant("1/zero > 2 && zero != 0", 0);
  assert_constant("zero == 0 || 1/zero > 2", 1);
}

static void where_only_constants_may_stand(void **state) {
  (void)state;
  char message[512] = "";
  double value = 0;
  mbs_arena *arena = mbs_arena_new(0);
  mbs_expression *expression = mbs_expression_compile(arena, "2*L", &constants_only, message);
  assert_true(mbs_expression_is_constant(expression, &value));
  assert_true(value == 3);
  assert_null(mbs_expression_compile(arena, "2*x", &constants_only, message));
  assert_string_equal(message, "at column 3: unknown name 'x'");
  assert_null(mbs_expression_compile(arena, "distance(a, b)", &constants_only, message));
  assert_string_equal(message, "at column 1: unknown function 'distance'");
  mbs_arena_free(arena);
}

/* Returns `unit` repeated as often as it fits into `length`, then `tail`. */
static char *repeated(const char *unit, size_t length, const char *tail) {
  char *text = malloc(length + strlen(tail) + 1);
  size_t period = strlen(unit), used = length / period * period;
  for (size_t i = 0; i < used; i++) {
    text[i] = unit[i % period];
  }
  memcpy(text + used, tail, strlen(tail) + 1);
  return text;
}

static void depth_and_length_are_bounded(void **state) {
  (void)state;
  char message[512] = "";
  mbs_arena *arena = mbs_arena_new(0);
  const char *const deep[] = {"(", "-", "2^", "!", "sin(", "if(1,2,", "1+(", "min(1,"};
  for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
    char *text = repeated(deep[i], 60000, "1");
    assert_null(mbs_expression_compile(arena, text, &scope, message));
    assert_non_null(strstr(message, "nested too deeply (the limit is 200 levels)"));
    free(text);
  }
  const char *const wide[] = {"x+", "1<2||", "t<x||", "x^0*", "pow(x,0)*", "smoothstep(t,x,y,k,L)-", "1-"};
  for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
    char *text = repeated(wide[i], MBS_EXPRESSION_LENGTH - 1, "1");
    assert_non_null(mbs_expression_compile(arena, text, &scope, message));
    free(text);
  }
  char *text = repeated("1+", MBS_EXPRESSION_LENGTH, "1");
  assert_null(mbs_expression_compile(arena, text, &scope, message));
  assert_string_equal(message, "longer than 65536 characters");
  free(text);
  text = repeated("1,", 130, "1)");
  char call[300];
  snprintf(call, sizeof call, "max(%s", text);
  free(text);
  assert_null(mbs_expression_compile(arena, call, &scope, message));
  assert_string_equal(message, "at column 1: max takes at most 64 arguments, not 66");
  mbs_arena_free(arena);
}

static void a_full_arena_is_an_error(void **state) {
  (void)state;
  char message[512] = "";
  mbs_arena *arena = mbs_arena_new(200);
  assert_null(mbs_expression_compile(arena, "x + y * t + sin(x)", &scope, message));
  assert_string_equal(message, "out of memory");
  mbs_arena_free(arena);
}

/* ---- derivatives ----------------------------------------------------------------------------------------------- */

static void the_drivers_lecture(void **state) {
  (void)state;
  fixture f = open_text("(1.5*sin(t) + 3*t^2)^2");
  const double jet[] = {2.3, 1, 0};
  double out[3], gradient[1];
  mbs_expression_jet(f.expression, jet, NULL, f.slots, out);
  assert_close(out[0], 288.6110967445356, 1e-15);
  assert_close(out[1], 434.9269896528085, 1e-15);
  assert_close(out[2], 493.5673277342701, 1e-15);
  assert_close(mbs_expression_gradient(f.expression, jet, NULL, f.slots, gradient), out[0], 1e-15);
  assert_close(gradient[0], out[1], 1e-15);
  close_text(&f);
}

/* Checks the value and the first and second derivative by x. */
static void assert_jet(const char *text, double x, double value, double first, double second) {
  fixture f = open_text(text);
  const double jet[] = {x, 1, 0};
  double out[3], gradient[1];
  mbs_expression_jet(f.expression, jet, NULL, f.slots, out);
  mbs_expression_gradient(f.expression, &x, NULL, f.slots, gradient);
  const double expected[3] = {value, first, second};
  for (int i = 0; i < 3; i++) {
    if (!(out[i] == expected[i] || fabs(out[i] - expected[i]) <= 1e-15 * fabs(expected[i]))) {
      fail_msg("'%s' at %g: derivative %d is %.17g, not %.17g", text, x, i, out[i], expected[i]);
    }
  }
  assert_true(gradient[0] == out[1] || fabs(gradient[0] - out[1]) <= 1e-15 * fabs(out[1]));
  close_text(&f);
}

static void powers_at_zero_and_below(void **state) {
  (void)state;
  assert_jet("x^1", 0, 0, 1, 0);
  assert_jet("x^2", 0, 0, 0, 2);
  assert_jet("x^2", -3, 9, -6, 2);
  assert_jet("x^3", 0, 0, 0, 0);
  assert_jet("x^3", -2, -8, 12, -12);
  assert_jet("pow(x, 5)", -1, -1, 5, -20);
  assert_jet("x^-1", -2, -0.5, -0.25, -0.25);
  assert_jet("x^-2", 2, 0.25, -0.25, 0.375);
  assert_jet("x^1.5", 0, 0, 0, INFINITY);
  assert_jet("x^2.5", 0, 0, 0, 0);
  assert_jet("x^100", 1, 1, 100, 9900);
  assert_jet("2^x", 3, 8, 8 * log(2), 8 * log(2) * log(2));
}

static void kinks_and_steep_places(void **state) {
  (void)state;
  assert_jet("abs(x)", 0, 0, 1, 0);
  assert_jet("max(x, 0)", 0, 0, 1, 0);
  assert_jet("min(x, 0)", 0, 0, 1, 0);
  assert_jet("sqrt(x)", 0, 0, INFINITY, -INFINITY);
  assert_jet("sign(x)", 0, 0, 0, 0);
  assert_jet("smoothstep(x, 0, 1, 1, 3)", 0, 1, 0, 0);
  assert_jet("smoothstep(x, 0, 1, 1, 3)", 1, 3, 0, 0);
  assert_jet("smoothstep(x, 0, 1, 1, 3)", 0.5, 2, 3.75, 0);
  assert_jet("if(x > 0, sqrt(x), 2*x)", -1, -2, 2, 0);
  assert_jet("if(x > 0, log(x), 2*x)", 0, 0, 2, 0);
  assert_jet("0*sqrt(x) + x", 0, 0, 1, -0.0);
}

static void a_quantity_at_rest_has_no_influence(void **state) {
  (void)state;
  fixture f = open_text("sqrt(x)");
  const double jet[] = {0, 0, 0};
  double out[3];
  mbs_expression_jet(f.expression, jet, NULL, f.slots, out);
  assert_true(out[0] == 0 && out[1] == 0 && out[2] == 0);
  close_text(&f);
}

static void an_exponent_at_rest_needs_no_logarithm(void **state) {
  (void)state;
  fixture f = open_text("x^y");
  const double jet[] = {-2, 3, 1, 2, 0, 0};
  double out[3];
  mbs_expression_jet(f.expression, jet, NULL, f.slots, out);
  assert_true(out[0] == 4 && out[1] == -12 && out[2] == 14);
  close_text(&f);
}

static void undefined_conditions_stay_undefined(void **state) {
  (void)state;
  const double at[5] = {0, -1, 2, 0, 0};
  assert_true(isnan(live_value("if(sqrt(x) < 1, 3, 4)", at)));
  assert_true(isnan(live_value("if(!(sqrt(x) == 1), 3, 4)", at)));
  assert_true(isnan(live_value("min(sqrt(x), 1)", at)));
  assert_true(isnan(live_value("max(1, sqrt(x))", at)));
  assert_true(isnan(live_value("abs(sqrt(x)) + sign(sqrt(x))", at)));
  assert_true(isnan(live_value("floor(sqrt(x))", at)));
  assert_true(isnan(live_value("y > 0 && sqrt(x) < 1", at)));
  assert_true(isnan(live_value("y < 0 || sqrt(x) < 1", at)));
  assert_true(live_value("y < 0 && sqrt(x) < 1", at) == 0);
  assert_true(live_value("y > 0 || sqrt(x) < 1", at) == 1);
}

/* Compares the value and rates of the guard of switch `index` with those of the expression `guard`. */
static void assert_guard_jet(const char *text, size_t index, const char *guard) {
  fixture f = open_text(text), own = open_text(guard);
  const double jets[] = {0.3, -1.2, 2.5, 0.7, 0.4, -0.9};
  double out[3], expected[3], mode[8] = {0};
  mbs_expression_guard_jet(f.expression, index, jets, mode, f.slots, out);
  mbs_expression_jet(own.expression, jets, NULL, own.slots, expected);
  for (int i = 0; i < 3; i++) assert_close(out[i], expected[i], 1e-14);
  close_text(&own);
  close_text(&f);
}

static void guards_have_rates(void **state) {
  (void)state;
  assert_guard_jet("sign(x*y)", 0, "x*y + 0*y");
  assert_guard_jet("abs(x - y^2)", 0, "x - y^2");
  assert_guard_jet("if(x >= sin(y), 1, 2)", 0, "x - sin(y)");
  assert_guard_jet("if(x < y, 1, 2)", 0, "x - y");
  assert_guard_jet("min(x, x*y)", 0, "x*y - x");
  assert_guard_jet("max(x, x*y)*sign(y - x)", 0, "x - x*y");
  assert_guard_jet("sign(x + y)*sign(x*x - y)", 1, "x*x - y");
  fixture f = open_text("sign(x)*y");
  const double jets[] = {1, 2, NAN, 1, NAN, NAN};
  double out[3], mode[1] = {1};
  mbs_expression_guard_jet(f.expression, 0, jets, mode, f.slots, out);
  assert_true(out[0] == 1 && out[1] == 2 && isnan(out[2]));
  close_text(&f);
}

/* ---- switches -------------------------------------------------------------------------------------------------- */

/* The mode, guards and values of an expression of x with one switch. */
typedef struct switched {
  double mode, guard, held, live;
} switched;

static switched at_x(const char *text, double mode_of, double x) {
  fixture f = open_text(text);
  switched s = {0};
  assert_int_equal(mbs_expression_switches(f.expression), 1);
  mbs_expression_mode(f.expression, &mode_of, NULL, f.slots, &s.mode);
  mbs_expression_guards(f.expression, &x, &s.mode, f.slots, &s.guard);
  s.held = mbs_expression_value(f.expression, &x, &s.mode, f.slots);
  s.live = mbs_expression_value(f.expression, &x, NULL, f.slots);
  close_text(&f);
  return s;
}

static void branches_are_held(void **state) {
  (void)state;
  const struct {
    const char *text;
    double before, after;    /* x on either side of the switch */
    double held_from_before; /* value at `after` with the branch chosen at `before` */
    double live_after;
  } cases[] = {
      {"abs(x)", -1, 2, -2, 2},
      {"abs(x)", 1, -2, -2, 2},
      {"sign(x)", -1, 2, -1, 1},
      {"min(x, 1)", 0, 3, 3, 1},
      {"max(x, 1)", 0, 3, 1, 3},
      {"floor(x)", 0.5, 1.25, 0, 1},
      {"floor(x)", 0.5, -0.25, 0, -1},
      {"mod(x, 2)", 1.5, 2.25, 2.25, 0.25},
      {"mod(x, 2)", 2.5, 1.75, -0.25, 1.75},
      {"if(x < 1, 10*x, 20*x)", 0, 2, 20, 40},
      {"if(x <= 1, 10*x, 20*x)", 0, 2, 20, 40},
      {"if(x > 1, 10*x, 20*x)", 0, 2, 40, 20},
      {"if(x >= 1, 10*x, 20*x)", 0, 2, 40, 20},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    switched inside = at_x(cases[i].text, cases[i].before, cases[i].before);
    assert_true(inside.guard != 0 && inside.held == inside.live);
    switched outside = at_x(cases[i].text, cases[i].before, cases[i].after);
    assert_true((inside.guard > 0) != (outside.guard > 0));
    if (outside.held != cases[i].held_from_before || outside.live != cases[i].live_after) {
      fail_msg("'%s': %g held, %g live", cases[i].text, outside.held, outside.live);
    }
  }
}

static void conditions_at_equality_are_as_written(void **state) {
  (void)state;
  const double at[5] = {0, 1, 0, 0, 0};
  assert_true(live_value("if(x < 1, 3, 4)", at) == 4);
  assert_true(live_value("if(x <= 1, 3, 4)", at) == 3);
  assert_true(live_value("if(x > 1, 3, 4)", at) == 4);
  assert_true(live_value("if(x >= 1, 3, 4)", at) == 3);
  /* The mode selected at x = 1 agrees with the value. */
  assert_true(at_x("if(x < 1, 3, 4)", 1, 1).held == 4);
  assert_true(at_x("if(x <= 1, 3, 4)", 1, 1).held == 3);
}

static void the_rate_decides_at_a_guard_of_zero(void **state) {
  (void)state;
  const struct {
    const char *text;
    double x, rate, mode;
  } cases[] = {
      {"abs(x)", 0, 1, 1},  {"abs(x)", 0, 0, 1},   {"abs(x)", 0, -1, 0},   {"abs(x)", 1, -1, 1},
      {"abs(x)", -1, 1, 0}, {"floor(x)", 3, 1, 3}, {"floor(x)", 3, -1, 2}, {"floor(x)", 3.5, -1, 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fixture f = open_text(cases[i].text);
    double mode = NAN;
    mbs_expression_mode(f.expression, &cases[i].x, &cases[i].rate, f.slots, &mode);
    assert_true(mode == cases[i].mode);
    close_text(&f);
  }
}

static void held_conditions_combine(void **state) {
  (void)state;
  fixture f = open_text("if(x > 0 && y > 0 || t > 0, 1, 2)");
  assert_int_equal(mbs_expression_switches(f.expression), 3);
  size_t count = 0;
  const int *numbers = mbs_expression_inputs(f.expression, &count);
  assert_int_equal(count, 3);
  for (int held = 0; held < 8; held++) {
    double inputs[3], opposite[3], mode[3];
    for (int i = 0; i < 3; i++) {
      bool positive = (held >> numbers[i] & 1) != 0;
      inputs[i] = positive ? 1 : -1;
      opposite[i] = -inputs[i];
    }
    mbs_expression_mode(f.expression, inputs, NULL, f.slots, mode);
    bool t = (held & 1) != 0, x = (held & 2) != 0, y = (held & 4) != 0;
    double expected = (x && y) || t ? 1 : 2;
    assert_true(mbs_expression_value(f.expression, inputs, NULL, f.slots) == expected);
    assert_true(mbs_expression_value(f.expression, opposite, mode, f.slots) == expected);
  }
  close_text(&f);
}

static void inner_switches_are_held_for_outer_ones(void **state) {
  (void)state;
  /* The outer switch uses the held integer part: at 2.5 with part 1 its guard is 1 - 1.5. */
  fixture f = open_text("abs(floor(x) - 1.5)");
  double mode[2], guards[2], x = 1.5;
  mbs_expression_mode(f.expression, &x, NULL, f.slots, mode);
  assert_true(mode[0] == 1 && mode[1] == 0);
  x = 2.5;
  mbs_expression_guards(f.expression, &x, mode, f.slots, guards);
  assert_true(guards[0] < 0 && guards[1] == -0.5);
  mbs_expression_guards(f.expression, &x, NULL, f.slots, guards);
  assert_true(guards[0] > 0 && guards[1] == 0.5);
  close_text(&f);
}

static void a_held_branch_that_is_undefined_gives_way(void **state) {
  (void)state;
  fixture f = open_text("if(x >= 0, sqrt(x), 3*x)");
  double mode = 1, x = -0.5, gradient[1], out[3];
  const double jet[] = {-0.5, 2, 1};
  assert_true(mbs_expression_value(f.expression, &x, &mode, f.slots) == -1.5);
  assert_true(mbs_expression_gradient(f.expression, &x, &mode, f.slots, gradient) == -1.5);
  assert_true(gradient[0] == 3);
  mbs_expression_jet(f.expression, jet, &mode, f.slots, out);
  assert_true(out[0] == -1.5 && out[1] == 6 && out[2] == 3);
  close_text(&f);

  f = open_text("if(x >= 2, log(x - 1.5), x)"); /* no other branch hides a value that is really infinite */
  mode = 1;
  x = 1;
  assert_true(mbs_expression_value(f.expression, &x, &mode, f.slots) == 1);
  close_text(&f);
  f = open_text("if(x >= 0, 1/(x - 1), 0)");
  assert_true(isinf(mbs_expression_value(f.expression, &x, &mode, f.slots)));
  close_text(&f);
}

static void undefined_guards_keep_their_sign(void **state) {
  (void)state;
  fixture f = open_text("if(x > 0, abs(log(x)) + floor(log(x)), 0)");
  assert_int_equal(mbs_expression_switches(f.expression), 3);
  double x = -1, mode[3], guards[3];
  mbs_expression_mode(f.expression, &x, NULL, f.slots, mode);
  for (int i = 0; i < 3; i++) {
    assert_true(isfinite(mode[i]));
  }
  mbs_expression_guards(f.expression, &x, mode, f.slots, guards);
  for (int i = 0; i < 3; i++) {
    assert_true(isfinite(guards[i]) && guards[i] != 0);
  }
  close_text(&f);
}

static void smoothstep_and_equality_have_no_switch(void **state) {
  (void)state;
  fixture f = open_text("smoothstep(x, 0, 1, 1, 2) + if(y == 0, 1, 2) + if(t != 0, 1, 2)");
  assert_int_equal(mbs_expression_switches(f.expression), 0);
  close_text(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_and_operators),
      cmocka_unit_test(functions_have_their_values),
      cmocka_unit_test(quotients_are_signs),
      cmocka_unit_test(inputs_are_found_and_shared),
      cmocka_unit_test(input_alone),
      cmocka_unit_test(constant_expression),
      cmocka_unit_test(errors_name_place_and_reason),
      cmocka_unit_test(unused_branches_may_be_undefined),
      cmocka_unit_test(where_only_constants_may_stand),
      cmocka_unit_test(depth_and_length_are_bounded),
      cmocka_unit_test(a_full_arena_is_an_error),
      cmocka_unit_test(the_drivers_lecture),
      cmocka_unit_test(powers_at_zero_and_below),
      cmocka_unit_test(kinks_and_steep_places),
      cmocka_unit_test(a_quantity_at_rest_has_no_influence),
      cmocka_unit_test(an_exponent_at_rest_needs_no_logarithm),
      cmocka_unit_test(undefined_conditions_stay_undefined),
      cmocka_unit_test(guards_have_rates),
      cmocka_unit_test(branches_are_held),
      cmocka_unit_test(conditions_at_equality_are_as_written),
      cmocka_unit_test(the_rate_decides_at_a_guard_of_zero),
      cmocka_unit_test(held_conditions_combine),
      cmocka_unit_test(inner_switches_are_held_for_outer_ones),
      cmocka_unit_test(a_held_branch_that_is_undefined_gives_way),
      cmocka_unit_test(undefined_guards_keep_their_sign),
      cmocka_unit_test(smoothstep_and_equality_have_no_switch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
