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

/* Returns the initializer of a function of the table. */
#define MBS_CALL(text, from, to, code, build, formula) \
  { .name = text, .least = from, .most = to, .op = code, .compose = build, .derivative = formula }

static const mbs_call functions[] = {
#define MBS_FUNCTION_1(name, derivative, value, da, daa) MBS_CALL(#name, 1, 1, MBS_OP_##name, NULL, derivative),
#define MBS_FUNCTION_2(name, derivative, value, da, db, daa, dab, dbb) \
  MBS_CALL(#name, 2, 2, MBS_OP_##name, NULL, derivative),
#define MBS_SWITCH_1(name, derivative, guard, value, da) MBS_CALL(#name, 1, 1, MBS_OP_##name, NULL, derivative),
#define MBS_SWITCH_2(name, derivative, guard, value, da, db) \
  MBS_CALL(#name, 2, MBS_ARGUMENTS_MAX, MBS_OP_##name, NULL, derivative),
#define MBS_COMPOSED(name, derivative, arguments) \
  MBS_CALL(#name, arguments, arguments, MBS_OP_COUNT, build_##name, derivative),
#include "expression/functions.def"
#undef MBS_CALL
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

/* ---- tables -------------------------------------------------------------------------------------------------- */

/* Emits a - period floor((a - from) / period). */
static int emit_wrapped(const mbs_table *table, int k, mbs_emitter *emitter, int a, int column) {
  if (!table->wraps) return a;
  const int period = mbs_emitter_constant(emitter, table->period[k]);
  const int beyond =
      mbs_emitter_apply(emitter, MBS_OP_subtract, a, mbs_emitter_constant(emitter, table->from[k]), column);
  int turns = mbs_emitter_apply(emitter, MBS_OP_divide, beyond, period, column);
  turns = mbs_emitter_apply(emitter, MBS_OP_floor, turns, turns, column);
  turns = mbs_emitter_apply(emitter, MBS_OP_multiply, period, turns, column);
  return mbs_emitter_apply(emitter, MBS_OP_subtract, a, turns, column);
}

/* Emits the piece of a lookup at a; a lookup with one piece needs no switch. */
static int emit_piece(const mbs_lookup *lookup, mbs_emitter *emitter, int a, int column) {
  if (lookup->pieces == 1) return mbs_emitter_constant(emitter, 0);
  return mbs_emitter_look_up(emitter, MBS_OP_piece, lookup, a, a, column);
}

/* Emits if(a >= jump, segment after it, segments before it), from the first jump to the last. */
static int emit_segments(const mbs_table *table, mbs_emitter *emitter, int a, int column) {
  int node = -1;
  for (size_t k = 0; k < table->segment_count; k++) {
    const mbs_lookup *segment = &table->segments[k];
    const int piece = emit_piece(segment, emitter, a, column);
    const int value = mbs_emitter_look_up(emitter, MBS_OP_lookup, segment, a, piece, column);
    const int after = k > 0 ? mbs_emitter_apply(emitter, MBS_OP_at_least, a,
                                                mbs_emitter_constant(emitter, table->jumps[k - 1]), column)
                            : -1;
    node = k > 0 ? mbs_emitter_select(emitter, after, value, node, column) : value;
  }
  return node;
}

/* theory (6.19) */
static int emit_cells(const mbs_table *table, mbs_emitter *emitter, const int *a, int column) {
  int piece[2], u[2], g[4];
  for (int k = 0; k < 2; k++) {
    piece[k] = emit_piece(&table->fractions[k], emitter, a[k], column);
    u[k] = mbs_emitter_look_up(emitter, MBS_OP_lookup, &table->fractions[k], a[k], piece[k], column);
  }
  for (int k = 0; k < 4; k++)
    g[k] = mbs_emitter_look_up(emitter, MBS_OP_entry, &table->grids[k], piece[0], piece[1], column);
  /* g0 + g2 w + u (g1 + g3 w) */
  const int edge = mbs_emitter_apply(emitter, MBS_OP_multiply, g[2], u[1], column);
  const int twist = mbs_emitter_apply(emitter, MBS_OP_multiply, g[3], u[1], column);
  const int slope = mbs_emitter_apply(emitter, MBS_OP_add, g[1], twist, column);
  const int along = mbs_emitter_apply(emitter, MBS_OP_multiply, u[0], slope, column);
  const int start = mbs_emitter_apply(emitter, MBS_OP_add, g[0], edge, column);
  return mbs_emitter_apply(emitter, MBS_OP_add, start, along, column);
}

int mbs_emit_table(const mbs_named_function *function, mbs_emitter *emitter, const int *arguments, int column) {
  const mbs_table *table = function->table;
  int a[2] = {-1, -1};
  for (int k = 0; k < function->arguments; k++) a[k] = emit_wrapped(table, k, emitter, arguments[k], column);
  return function->arguments == 1 ? emit_segments(table, emitter, a[0], column) : emit_cells(table, emitter, a, column);
}

size_t mbs_table_nodes(const mbs_table *table) {
  enum { OF_WRAP = 8, OF_SEGMENT = 6, OF_CELLS = 16 };
  return OF_WRAP * table->arguments + (table->arguments == 1 ? OF_SEGMENT * table->segment_count : OF_CELLS);
}
