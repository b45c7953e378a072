#include "random_expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- random numbers: the same in every run (xorshift64*) -------------------------------------------------------- */

uint64_t random_bits(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545F4914F6CDD1DU;
}

int random_below(uint64_t *state, int bound) { return (int)((random_bits(state) >> 33) % (uint64_t)bound); }

double random_between(uint64_t *state, double low, double high) {
  return low + (high - low) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

const known_function known_functions[] = {
#define MBS_FUNCTION_1(name, derivative, value, da, daa) {#name, 1, false},
#define MBS_FUNCTION_2(name, derivative, value, da, db, daa, dab, dbb) {#name, 2, false},
#define MBS_SWITCH_1(name, derivative, guard, value, da) {#name, 1, true},
#define MBS_SWITCH_2(name, derivative, guard, value, da, db) {#name, 2, true},
#define MBS_COMPOSED(name, derivative, arguments) {#name, arguments, false},
#include "expression/functions.def"
};

const size_t known_function_count = sizeof known_functions / sizeof known_functions[0];

/* ---- random expressions ----------------------------------------------------------------------------------------- */

static void put(writer *w, const char *text) {
  size_t length = strlen(text);
  assert_true(w->used + length < TEXT_SIZE);
  memcpy(w->text + w->used, text, length + 1);
  w->used += length;
}

static void put_leaf(writer *w) {
  char text[32];
  if (random_below(&w->random, 3) > 0) {
    snprintf(text, sizeof text, "x%d", random_below(&w->random, INPUTS));
  } else {
    snprintf(text, sizeof text, "%.3g", random_between(&w->random, 0, 3));
  }
  put(w, text);
}

/* Appends an expression that is finite everywhere, so that the branch not taken has no undefined guards. */
static void put_harmless(writer *w) {
  const char *const functions[] = {"sin(", "abs(", "tanh(", "floor(", "sign("};
  put(w, functions[random_below(&w->random, 5)]);
  put_leaf(w);
  put(w, random_below(&w->random, 2) > 0 ? " * " : " - ");
  put_leaf(w);
  put(w, ")");
}

static void put_if(writer *w) {
  const char *const comparisons[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
  const char *const connectives[] = {" && ", " || "};
  put(w, "if(");
  put_harmless(w);
  put(w, comparisons[random_below(&w->random, 6)]);
  put_harmless(w);
  if (random_below(&w->random, 2) > 0) {
    put(w, connectives[random_below(&w->random, 2)]);
    put_harmless(w);
    put(w, comparisons[random_below(&w->random, 6)]);
    put_harmless(w);
  }
  put(w, ", ");
  put_harmless(w);
  put(w, ", ");
  put_harmless(w);
  put(w, ")");
}

/* Appends a random expression; `depth` bounds the recursion. */
void put_expression(writer *w, int depth) {
  const char *const operators[] = {" + ", " - ", " * ", " / "};
  const char *const powers[] = {"^2", "^3", "^-1", "^1.5"};
  int kind = depth == 0 ? 0 : random_below(&w->random, 9);
  if (kind == 0) {
    put_leaf(w);
  } else if (kind == 1) {
    put_if(w);
  } else if (kind == 2) {
    put(w, "-(");
    put_expression(w, depth - 1);
    put(w, ")");
    put(w, powers[random_below(&w->random, 4)]);
  } else if (kind <= 5) {
    put(w, "(");
    put_expression(w, depth - 1);
    put(w, operators[random_below(&w->random, 4)]);
    put_expression(w, depth - 1);
    put(w, ")");
  } else {
    const known_function *function = &known_functions[random_below(&w->random, (int)known_function_count)];
    if (strcmp(function->name, "if") == 0) {
      put_if(w);
      return;
    }
    put(w, function->name);
    put(w, "(");
    for (int k = 0; k < function->arguments; k++) {
      put(w, k > 0 ? ", " : "");
      put_expression(w, depth - 1);
    }
    put(w, ")");
  }
}
