#include "expression/operations.h"

#include "mbs/status.h"

#include <math.h>
#include <string.h>

/* ---- operators ----------------------------------------------------------------------------------------------- */

static const mbs_infix infixes[] = {
#define MBS_INFIX(text, precedence, instruction, swapped, negated) \
  {text, precedence, MBS_OP_##instruction, swapped, negated},
#include "expression/operators.def"
#undef MBS_INFIX
};

const mbs_infix *mbs_infix_find(const char *text) {
  for (size_t i = 0; i < sizeof infixes / sizeof infixes[0]; i++) {
    if (strncmp(text, infixes[i].text, strlen(infixes[i].text)) == 0) {
      return &infixes[i];
    }
  }
  return NULL;
}

int mbs_emit_infix(const mbs_infix *infix, mbs_emitter *emitter, int x, int y, int column) {
  if (infix->op == MBS_OP_divide) return mbs_emitter_divide(emitter, x, y, column);
  if (infix->op == MBS_OP_multiply) return mbs_emitter_multiply(emitter, x, y, column);
  int node = mbs_emitter_apply(emitter, infix->op, infix->swapped ? y : x, infix->swapped ? x : y, column);
  return infix->negated ? mbs_emitter_apply(emitter, MBS_OP_not, node, node, column) : node;
}

int mbs_emit_power(mbs_emitter *emitter, int base, int exponent, int column) {
  double n = 0, value = 0;
  if (!mbs_emitter_is_constant(emitter, exponent, &n)) {
    return mbs_emitter_apply(emitter, MBS_OP_power, base, exponent, column);
  }
  if (mbs_emitter_is_constant(emitter, base, &value)) {
    return mbs_emitter_apply(emitter, MBS_OP_fixed_power, base, exponent, column);
  }
  bool whole = n == floor(n) && fabs(n) <= MBS_LARGEST_WHOLE;
  mbs_emitter_decide(emitter, exponent, whole ? MBS_DECISION_VALUE : MBS_DECISION_FRACTION);
  if (n == 0) {
    return mbs_emitter_constant(emitter, 1);
  }
  if (n == 1) {
    return base;
  }
  if (n == 2) {
    return mbs_emitter_apply(emitter, MBS_OP_multiply, base, base, column);
  }
  return mbs_emitter_apply(emitter, whole ? MBS_OP_whole_power : MBS_OP_fixed_power, base, exponent, column);
}

/* ---- functions ----------------------------------------------------------------------------------------------- */

/* Emits a - b floor(a / b): it has the sign of b, and is 0 if a / b rounds to an integer. The held mode is floor(a /
 * b). */
static int build_mod(mbs_emitter *emitter, const int *arguments, int column) {
  const int a = arguments[0], b = arguments[1];
  int turns = mbs_emitter_apply(emitter, MBS_OP_divide, a, b, column);
  turns = mbs_emitter_apply(emitter, MBS_OP_floor, turns, turns, column);
  turns = mbs_emitter_apply(emitter, MBS_OP_multiply, b, turns, column);
  return mbs_emitter_apply(emitter, MBS_OP_subtract, a, turns, column);
}

static int build_pow(mbs_emitter *emitter, const int *arguments, int column) {
  return mbs_emit_power(emitter, arguments[0], arguments[1], column);
}

static int build_if(mbs_emitter *emitter, const int *arguments, int column) {
  return mbs_emitter_select(emitter, arguments[0], arguments[1], arguments[2], column);
}

/* Emits f0 (1 - s) + f1 s with s = quintic((x - x0) / (x1 - x0)): exactly f0 and f1 outside. */
static int build_smoothstep(mbs_emitter *emitter, const int *arguments, int column) {
  const int x = arguments[0], x0 = arguments[1], f0 = arguments[2], x1 = arguments[3], f1 = arguments[4];
  int from = mbs_emitter_apply(emitter, MBS_OP_subtract, x, x0, column);
  int span = mbs_emitter_apply(emitter, MBS_OP_subtract, x1, x0, column);
  int u = mbs_emitter_apply(emitter, MBS_OP_divide, from, span, column);
  int s = mbs_emitter_apply(emitter, MBS_OP_quintic, u, u, column);
  int rest = mbs_emitter_apply(emitter, MBS_OP_subtract, mbs_emitter_constant(emitter, 1), s, column);
  int before = mbs_emitter_apply(emitter, MBS_OP_multiply, f0, rest, column);
  int after = mbs_emitter_apply(emitter, MBS_OP_multiply, f1, s, column);
  return mbs_emitter_apply(emitter, MBS_OP_add, before, after, column);
}

static const mbs_call functions[] = {
#define MBS_FUNCTION_1(name, derivative, value, da, daa) {#name, 1, 1, MBS_OP_##name, NULL, derivative},
#define MBS_FUNCTION_2(name, derivative, value, da, db, daa, dab, dbb) {#name, 2, 2, MBS_OP_##name, NULL, derivative},
#define MBS_SWITCH_1(name, derivative, guard, value, da) {#name, 1, 1, MBS_OP_##name, NULL, derivative},
#define MBS_SWITCH_2(name, derivative, guard, value, da, db) \
  {#name, 2, MBS_ARGUMENTS_MAX, MBS_OP_##name, NULL, derivative},
#define MBS_COMPOSED(name, derivative, arguments) {#name, arguments, arguments, MBS_OP_COUNT, build_##name, derivative},
#include "expression/functions.def"
};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

const mbs_call *mbs_call_find(const char *name) {
  for (size_t i = 0; i < FUNCTION_COUNT; i++) {
    if (strcmp(functions[i].name, name) == 0) {
      return &functions[i];
    }
  }
  return NULL;
}

const mbs_call *mbs_call_at(size_t number) { return number < FUNCTION_COUNT ? &functions[number] : NULL; }

const char *mbs_call_nearest(const char *name) {
  const char *names[FUNCTION_COUNT];
  for (size_t i = 0; i < FUNCTION_COUNT; i++) {
    names[i] = functions[i].name;
  }
  return mbs_nearest(name, names, FUNCTION_COUNT);
}

int mbs_emit_call(const mbs_call *function, mbs_emitter *emitter, const int *arguments, int count, int column) {
  if (function->compose != NULL) {
    return function->compose(emitter, arguments, column);
  }
  int node = mbs_emitter_apply(emitter, function->op, arguments[0], arguments[count > 1], column);
  for (int i = 2; i < count; i++) {
    node = mbs_emitter_apply(emitter, function->op, node, arguments[i], column);
  }
  return node;
}
