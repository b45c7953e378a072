/* fuzz_expression.c - any text: it compiles or is refused with a message, and compiled expressions can be evaluated,
 * displayed and differentiated, within bounds. A number with a unit is not an expression. */
#include "expression/expression.h"
#include "expression/unit_words.h"
#include "mbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names are inputs by their first letters; "bob.B.x" is number 1, names beyond 'p' are unknown. */
static int scope_input(void *context, const char *path, char why[256]) {
  (void)context;
  if (path[0] >= 'a' && path[0] <= 'p') {
    return path[0] - 'a';
  }
  snprintf(why, 256, "no quantity '%.100s'", path);
  return -1;
}

static bool scope_constant(void *context, const char *path, double *value) {
  (void)context;
  *value = path[0] == 'K' ? 0 : 2.5;
  return path[0] == 'K' || path[0] == 'L';
}

static bool scope_is_measure(void *context, const char *function) {
  (void)context;
  return strcmp(function, "distance") == 0;
}

static int scope_measure(void *context, const char *function, const char *const *paths, size_t count, char why[256]) {
  (void)context;
  (void)function;
  snprintf(why, 256, "distance takes two points, not %zu", count);
  return count == 2 ? 16 + (paths[0][0] == paths[1][0]) : -1;
}

static void require(bool condition) {
  if (!condition) {
    abort();
  }
}

static double *doubles(size_t count) {
  double *array = calloc(count + (count == 0), sizeof *array);
  require(array != NULL);
  return array;
}

/* Evaluates with arrays of exactly the documented size, so that the sanitizer detects an overrun. */
static void evaluate(const mbs_expression *expression, double start) {
  size_t inputs = 0, switches = mbs_expression_switches(expression);
  mbs_expression_inputs(expression, &inputs);
  double *slots = doubles(mbs_expression_slots(expression)), *in = doubles(inputs), *jets = doubles(3 * inputs);
  double *gradient = doubles(inputs), *mode = doubles(switches), *guards = doubles(switches);
  double jet[3], constant = 0;
  for (size_t i = 0; i < inputs; i++) {
    in[i] = jets[3 * i] = start + 0.37 * (double)i;
    jets[3 * i + 1] = 1;
    jets[3 * i + 2] = -0.5;
  }
  mbs_expression_mode(expression, in, NULL, slots, mode);
  mbs_expression_guards(expression, in, mode, slots, guards);
  bool edge = false;
  for (size_t k = 0; k < switches; k++) {
    require(isfinite(mode[k]) && !isnan(guards[k]));
    edge = edge || guards[k] == 0 || isinf(guards[k]); /* sign(0) and floor(1/0) cannot be held */
  }
  double live = mbs_expression_value(expression, in, NULL, slots);
  double held = mbs_expression_value(expression, in, mode, slots);
  require(edge || !isfinite(live) || live == held);
  double value = mbs_expression_gradient(expression, in, NULL, slots, gradient);
  require(value == live || isnan(live));
  mbs_expression_jet(expression, jets, NULL, slots, jet);
  require(jet[0] == live || isnan(live));
  require(!mbs_expression_is_constant(expression, &constant) || (constant == live && isfinite(constant)));
  free(slots);
  free(in);
  free(jets);
  free(gradient);
  free(mode);
  free(guards);
}

static void read_with_unit(const char *text) {
  static const char *const units[] = {NULL, "m", "rad/s", "N/m", "N/m^n"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    char message[512] = "";
    double value = mbs_unit_value(text, units[i], message);
    require(isfinite(value) || (isnan(value) && message[0] != '\0' && strlen(message) < sizeof message));
  }
}

static const mbs_scope scope = {
    .constant = scope_constant, .input = scope_input, .is_measure = scope_is_measure, .measure = scope_measure};

/* Displays a formula in all notations. Returns its text. */
static const char *show(mbs_arena *arena, const mbs_formula *formula) {
  const char *shown[3] = {NULL};
  for (int i = 0; i < 3; i++) {
    char message[512] = "";
    shown[i] = mbs_formula_show(arena, formula, (mbs_notation)i, NULL, message);
    require(shown[i] != NULL || strstr(message, "out of memory") != NULL);
  }
  return shown[MBS_NOTATION_TEXT];
}

/* Compiles the displayed text again and expects equal numbers of inputs and switches. */
static void compile_again(mbs_arena *arena, const mbs_expression *expression, const char *text) {
  char message[512] = "";
  const mbs_expression *again = mbs_expression_compile(arena, text, &scope, message);
  require(again != NULL || strstr(message, "out of memory") != NULL);
  if (again == NULL) return;
  size_t inputs = 0, others = 0;
  mbs_expression_inputs(expression, &inputs);
  mbs_expression_inputs(again, &others);
  require(inputs == others && mbs_expression_switches(expression) == mbs_expression_switches(again));
}

static void derive(mbs_arena *arena, const mbs_formula *formula, const char *text) {
  size_t count = 0;
  const char *const *names = mbs_formula_names(formula, arena, &count);
  for (size_t i = 0; i < count && i < 4; i++) {
    char message[512] = "";
    const mbs_formula *derivative = mbs_formula_derivative(arena, formula, names[i], message);
    require(derivative != NULL || (message[0] != '\0' && strlen(message) < sizeof message));
    const char *shown = derivative != NULL ? show(arena, derivative) : NULL;
    if (shown == NULL) continue;
    require(strlen(shown) <= MBS_EXPRESSION_LENGTH && strlen(shown) <= 100 * (strlen(text) + 100));
    message[0] = '\0';
    const bool compiled = mbs_expression_compile(arena, shown, &scope, message) != NULL;
    require(compiled || strstr(message, "finite") || strstr(message, "zero") || strstr(message, "out of memory"));
  }
}

/* Every compiled expression can be displayed, unless it is nested too deeply. */
static void show_and_derive(mbs_arena *arena, const mbs_expression *expression, const char *text) {
  char message[512] = "";
  const mbs_formula *formula = mbs_formula_read(arena, text, message);
  require(formula != NULL || strstr(message, "nested too deeply") || strstr(message, "out of memory"));
  const char *shown = formula != NULL ? show(arena, formula) : NULL;
  if (shown == NULL) return;
  compile_again(arena, expression, shown);
  derive(arena, formula, shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char message[512] = "";
  char *text = malloc(size + 1);
  mbs_arena *arena = mbs_arena_new(64 << 20);
  require(text != NULL && arena != NULL);
  if (size > 0) {
    memcpy(text, data, size);
  }
  text[size] = '\0';
  const mbs_expression *expression = mbs_expression_compile(arena, text, &scope, message);
  require(expression != NULL || (message[0] != '\0' && strlen(message) < sizeof message));
  if (mbs_has_unit(text)) {
    require(expression == NULL);
    read_with_unit(text);
  }
  if (expression != NULL) {
    evaluate(expression, 0);
    evaluate(expression, -1.3);
    evaluate(expression, 2);
    show_and_derive(arena, expression, text);
  }
  free(text);
  mbs_arena_free(arena);
  return 0;
}
