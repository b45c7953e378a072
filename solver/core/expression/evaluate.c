/* evaluate.c - runs a program: values and guards, gradients, jets.
 *
 *     Value     v_i = f_i(v_a, v_b)                                             one loop forward
 *     Gradient  w_i = dv / dv_i, started by w_result = 1: w_a += w_i df_i/da    one loop backward
 *     Jet       v' = f_a a' + f_b b',
 *               v'' = f_a a'' + f_b b'' + f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2  one loop forward over triples
 *
 * Operands without influence are omitted instead of multiplied by zero (a branch that is not selected, a constant
 * quantity), so that an infinite derivative there has no effect. */
#include <assert.h>

#include "expression/arithmetic.h"
#include "expression/program.h"

size_t mbs_expression_slots(const mbs_expression *expression) {
  return 3 * (expression->program.literal_count + expression->program.name_count + expression->program.code_count);
}

size_t mbs_expression_switches(const mbs_expression *expression) { return expression->switch_count; }

const int *mbs_expression_inputs(const mbs_expression *expression, size_t *count) {
  *count = expression->program.name_count;
  return expression->program.names;
}

bool mbs_expression_is_constant(const mbs_expression *expression, double *value) {
  bool constant = (size_t)expression->result < expression->program.literal_count;
  if (constant) {
    *value = expression->constants[expression->result];
  }
  return constant;
}

/* ---- parameters ---------------------------------------------------------------------------------------------- */

bool mbs_expression_depends(const mbs_expression *expression) { return expression->dependence != NULL; }

bool mbs_expression_same(const mbs_expression *one, const mbs_expression *other) {
  assert(one->program.literal_count == other->program.literal_count);
  for (size_t i = 0; i < one->program.literal_count; i++) {
    if (one->constants[i] != other->constants[i]) {
      return false;
    }
  }
  return true;
}

mbs_expression *mbs_expression_copy(const mbs_expression *expression, mbs_arena *arena) {
  mbs_expression *copy = mbs_arena_alloc(arena, 1, sizeof *copy);
  size_t count = expression->program.literal_count;
  double *constants = mbs_arena_alloc(arena, count, sizeof *constants);
  if (copy == NULL || constants == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    constants[i] = expression->constants[i];
  }
  *copy = *expression;
  copy->constants = constants;
  return copy;
}

size_t mbs_expression_bind_slots(const mbs_expression *expression) {
  const mbs_program *program = expression->dependence != NULL ? &expression->dependence->program : NULL;
  return program != NULL ? program->literal_count + program->name_count + program->code_count : 0;
}

static bool is_whole(double n) { return n == floor(n) && fabs(n) <= MBS_LARGEST_WHOLE; }

static bool decides_alike(const mbs_decision *decision, double value) {
  switch (decision->kind) {
  case MBS_DECISION_TRUTH:
    return isfinite(value) == isfinite(decision->value) && (value != 0) == (decision->value != 0);
  case MBS_DECISION_DIVISOR: return (value == 0) == (decision->value == 0);
  case MBS_DECISION_VALUE: return value == decision->value;
  case MBS_DECISION_FRACTION: return !is_whole(value);
  }
  return false;
}

/* Computes constants by the rule of folding: a value computed from a non-finite one is not finite. */
static void fold(const mbs_program *program, double *slots) {
  const size_t base = program->literal_count + program->name_count;
  for (size_t i = 0; i < program->code_count; i++) {
    const double a = slots[program->code[i].a], b = slots[program->code[i].b];
    if (isfinite(a) && isfinite(b)) {
      mbs_instructions_run(program->code, i, i + 1, NULL, slots, base);
    } else {
      slots[base + i] = isfinite(a) ? b : a;
    }
  }
}

const int *mbs_expression_parameters(const mbs_expression *expression, size_t *count) {
  const mbs_dependence *dependence = expression->dependence;
  *count = dependence != NULL ? dependence->program.name_count : 0;
  return dependence != NULL ? dependence->program.names : NULL;
}

/* Computes the constants of an expression for these parameters. */
static mbs_bind_outcome bind(const mbs_expression *expression, const double *parameters, double *slots,
                             double *constants) {
  const mbs_dependence *dependence = expression->dependence;
  if (dependence == NULL) {
    return MBS_BIND_OK;
  }
  const mbs_program *program = &dependence->program;
  for (size_t i = 0; i < program->literal_count; i++) {
    slots[i] = program->literals[i];
  }
  for (size_t i = 0; i < program->name_count; i++) {
    slots[program->literal_count + i] = parameters[program->names[i]];
  }
  fold(program, slots);
  for (size_t i = 0; i < dependence->decision_count; i++) {
    if (!decides_alike(&dependence->decisions[i], slots[dependence->decisions[i].slot])) {
      return MBS_BIND_OTHER_FORM;
    }
  }
  bool finite = true;
  for (size_t i = 0; i < expression->program.literal_count; i++) {
    constants[i] = slots[dependence->sources[i]];
    finite = finite && isfinite(constants[i]);
  }
  return finite ? MBS_BIND_OK : MBS_BIND_NOT_FINITE;
}

mbs_bind_outcome mbs_expression_bind(mbs_expression *copy, const double *parameters, double *slots) {
  return bind(copy, parameters, slots, copy->constants);
}

mbs_bind_outcome mbs_expression_bind_value(const mbs_expression *constant, const double *parameters, double *slots,
                                           double *value) {
  assert(constant->program.literal_count == 1);
  *value = constant->constants[0];
  return bind(constant, parameters, slots, value);
}

/* ---- values -------------------------------------------------------------------------------------------------- */

/* theory (6.10), (6.11) */
void mbs_instructions_run(const mbs_instruction *code, size_t first, size_t last, const double *mode, double *slots,
                          size_t base) {
  assert(first <= last);
  for (size_t i = first; i < last; i++) {
    const double a = slots[code[i].a], b = slots[code[i].b];
    const int k = code[i].c;
    const mbs_lookup *table = code[i].table;
    double v = NAN;
    switch (code[i].op) {
    case MBS_OP_select: v = isnan(a) ? a : a != 0 ? b : slots[k]; break;
#define MBS_SMOOTH(name, text, operands, value, first_a, first_b, second_aa, second_ab, second_bb) \
  case MBS_OP_##name:                                                                              \
    v = value;                                                                                     \
    break;
#define MBS_SWITCH(name, text, operands, guard, value, first_a, first_b) MBS_SMOOTH(name, , , value, , , , , )
#define MBS_LOGIC(name, text, operands, value) MBS_SMOOTH(name, , , value, , , , , )
#include "expression/instructions.def"
    default: break;
    }
    slots[base + i] = v;
  }
}

/* Returns the slot of the first instruction. */
static size_t code_base(const mbs_expression *e) { return e->program.literal_count + e->program.name_count; }

static void load(const mbs_expression *e, const double *in, double *slots) {
  for (size_t i = 0; i < e->program.literal_count; i++) {
    slots[i] = e->constants[i];
  }
  for (size_t i = 0; i < e->program.name_count; i++) {
    slots[e->program.literal_count + i] = in[i];
  }
}

static double run(const mbs_expression *e, const double *mode, double *slots) {
  assert(e->result >= 0);
  mbs_instructions_run(e->program.code, 0, e->program.code_count, mode, slots, code_base(e));
  return slots[e->result];
}

int mbs_expression_is_input(const mbs_expression *expression) {
  const int input = (int)expression->result - (int)expression->program.literal_count;
  return input >= 0 && input < (int)expression->program.name_count ? input : -1;
}

bool mbs_expression_is_condition(const mbs_expression *expression) {
  const mbs_program *program = &expression->program;
  const int last = expression->result - (int)(program->literal_count + program->name_count);
  if (last < 0) return false;
  switch (program->code[last].op) {
  case MBS_OP_at_least:
  case MBS_OP_equal:
  case MBS_OP_not:
  case MBS_OP_and:
  case MBS_OP_or: return true;
  default: return false;
  }
}

double mbs_expression_value(const mbs_expression *expression, const double *in, const double *mode, double *slots) {
  double value = 0;
  if (mbs_expression_is_constant(expression, &value)) {
    return value;
  }
  load(expression, in, slots);
  value = run(expression, mode, slots);
  return mode != NULL && !isfinite(value) ? run(expression, NULL, slots) : value;
}

/* ---- switches ------------------------------------------------------------------------------------------------ */

/* Returns the guard of a switch with operands a, b and value v. */
static double guard_of(const mbs_instruction *in, double a, double b, double v) {
  const mbs_lookup *table = in->table;
  double value_of_guard = NAN;
  switch (in->op) {
#define MBS_SWITCH(name, text, operands, guard, value, first_a, first_b) \
  case MBS_OP_##name:                                                    \
    value_of_guard = guard;                                              \
    break;
#include "expression/instructions.def"
  default: break;
  }
  return value_of_guard;
}

/* Returns the guard of instruction i, whose operands and value are in the slots. */
static double guard_value(const mbs_expression *e, size_t i, const double *slots) {
  assert(i < e->program.code_count);
  return guard_of(&e->program.code[i], slots[e->program.code[i].a], slots[e->program.code[i].b],
                  slots[code_base(e) + i]);
}

/* Returns true if the mode of a switch is an integer, not 0 or 1. */
static bool counts(mbs_op op) { return op == MBS_OP_floor || op == MBS_OP_piece; }

void mbs_expression_guards(const mbs_expression *expression, const double *in, const double *mode, double *slots,
                           double *guards) {
  load(expression, in, slots);
  run(expression, mode, slots);
  for (size_t k = 0; k < expression->switch_count; k++) {
    size_t i = (size_t)expression->switches[k];
    guards[k] = guard_value(expression, i, slots);
    if (isnan(guards[k])) {
      /* Undefined, as may happen in a branch that is not selected: report no change. */
      bool above = counts(expression->program.code[i].op) || (mode != NULL && mode[k] != 0);
      guards[k] = above ? 1 : -1;
    }
  }
}

bool mbs_expression_switch_is_binary(const mbs_expression *expression, size_t index) {
  assert(index < expression->switch_count);
  return !counts(expression->program.code[expression->switches[index]].op);
}

bool mbs_expression_switch_is_sign(const mbs_expression *expression, size_t index) {
  assert(index < expression->switch_count);
  return expression->program.code[expression->switches[index]].op == MBS_OP_sign;
}

bool mbs_expression_joins_branches(const mbs_expression *expression) {
  bool joins = true;
  for (size_t k = 0; k < expression->switch_count; k++) {
    const mbs_op op = expression->program.code[expression->switches[k]].op;
    joins = joins && (op == MBS_OP_abs || op == MBS_OP_min || op == MBS_OP_max);
  }
  return joins;
}

void mbs_expression_margins(const mbs_expression *expression, const double *in, const double *mode, double *slots,
                            double *margins) {
  assert(mode != NULL || expression->switch_count == 0);
  mbs_expression_guards(expression, in, mode, slots, margins);
  for (size_t k = 0; k < expression->switch_count; k++)
    if (mode[k] == 0 && mbs_expression_switch_is_binary(expression, k)) margins[k] = -margins[k];
}

const char *mbs_expression_outside(const mbs_expression *expression, const double *in, double *slots, double out[2]) {
  load(expression, in, slots);
  run(expression, NULL, slots);
  for (size_t i = 0; i < expression->program.code_count; i++) {
    const mbs_instruction *code = &expression->program.code[i];
    if (code->op != MBS_OP_lookup || !mbs_lookup_is_outside(code->table, slots[code->a])) continue;
    const mbs_lookup *table = code->table;
    const double piece = mbs_lookup_piece(table, slots[code->a]);
    out[0] = slots[code->a];
    out[1] = table->pieces > 1 ? table->ends[piece > 0 ? (size_t)piece - 1 : 0] : table->cubics[0].origin;
    return table->name;
  }
  return NULL;
}

/* Returns the mode next to `part` for an argument that leaves it at its end. */
static double left_for(const mbs_instruction *in, const double *slots, double part) {
  const bool above = in->op == MBS_OP_piece && (part == 0 || slots[in->a] > in->table->ends[(size_t)part - 1]);
  return above ? part + 1 : part - 1;
}

void mbs_expression_mode(const mbs_expression *expression, const double *in, const double *guard_rate, double *slots,
                         double *mode) {
  load(expression, in, slots);
  size_t done = 0, base = code_base(expression);
  for (size_t k = 0; k < expression->switch_count; k++) {
    size_t i = (size_t)expression->switches[k];
    /* A switch depends only on earlier switches, whose branches are already fixed, never on later ones. */
    mbs_instructions_run(expression->program.code, done, i, mode, slots, base);
    mbs_instructions_run(expression->program.code, i, i + 1, NULL, slots, base);
    double guard = guard_value(expression, i, slots);
    bool leaving = guard == 0 && guard_rate != NULL && guard_rate[k] < 0;
    if (counts(expression->program.code[i].op)) {
      double part = slots[base + i];
      mode[k] = !isfinite(part) ? 0 : leaving ? left_for(&expression->program.code[i], slots, part) : part;
    } else {
      mode[k] = guard >= 0 && !leaving;
    }
    done = i;
  }
}

/* ---- gradients ----------------------------------------------------------------------------------------------- */

/* Adds the contribution of instruction i, with the adjoint `weight`, to the adjoints of its operands. */
static void hand_back(const mbs_instruction *in, const double *mode, const double *slots, double v, double weight,
                      double *adjoints) {
  const double a = slots[in->a], b = slots[in->b];
  const int k = in->c;
  const mbs_lookup *table = in->table;
  double da = 0, db = 0;
  switch (in->op) {
  case MBS_OP_select: adjoints[a != 0 ? in->b : k] += weight; break;
#define MBS_SMOOTH(name, text, operands, value, first_a, first_b, second_aa, second_ab, second_bb) \
  case MBS_OP_##name:                                                                              \
    da = first_a;                                                                                  \
    db = first_b;                                                                                  \
    break;
#define MBS_SWITCH(name, text, operands, guard, value, first_a, first_b) MBS_SMOOTH(name, , , , first_a, first_b, , , )
#include "expression/instructions.def"
  default: break;
  }
  adjoints[in->a] += scaled(da, weight);
  adjoints[in->b] += scaled(db, weight);
}

/* Computes value and gradient for loaded inputs. Returns false if one of them is not finite. */
static bool sweep_back(const mbs_expression *e, const double *mode, double *slots, double *value, double *gradient) {
  const size_t base = code_base(e);
  double *adjoints = slots + base + e->program.code_count;
  *value = run(e, mode, slots);
  for (size_t i = 0; i < base + e->program.code_count; i++) {
    adjoints[i] = 0;
  }
  adjoints[e->result] = 1;
  for (size_t i = e->program.code_count; i-- > 0;) {
    if (adjoints[base + i] != 0) {
      hand_back(&e->program.code[i], mode, slots, slots[base + i], adjoints[base + i], adjoints);
    }
  }
  bool finite = isfinite(*value);
  for (size_t i = 0; i < e->program.name_count; i++) {
    gradient[i] = adjoints[e->program.literal_count + i];
    finite = finite && isfinite(gradient[i]);
  }
  return finite;
}

/* theory (6.12) */
double mbs_expression_gradient(const mbs_expression *expression, const double *in, const double *mode, double *slots,
                               double *gradient) {
  double value = 0;
  load(expression, in, slots);
  if (!sweep_back(expression, mode, slots, &value, gradient) && mode != NULL) {
    sweep_back(expression, NULL, slots, &value, gradient);
  }
  return value;
}

/* ---- jets ---------------------------------------------------------------------------------------------------- */

static void jet_smooth(const double *a, const double *b, double v, double da, double db, double daa, double dab,
                       double dbb, double *jet) {
  jet[0] = v;
  jet[1] = scaled(da, a[1]) + scaled(db, b[1]);
  jet[2] = scaled(da, a[2]) + scaled(db, b[2]) + scaled(daa, a[1] * a[1]) + 2 * scaled(dab, scaled(a[1], b[1])) +
           scaled(dbb, b[1] * b[1]);
}

static const double *jet_at(const double *slots, int slot) { return slots + 3 * (size_t)slot; }

static void jet_copy(const double *from, double *jet) {
  for (int i = 0; i < 3; i++) {
    jet[i] = from[i];
  }
}

static void jet_instruction(const mbs_instruction *in, const double *mode, const double *slots, double *jet) {
  const double *jet_a = jet_at(slots, in->a), *jet_b = jet_at(slots, in->b);
  const double a = jet_a[0], b = jet_b[0];
  const int k = in->c;
  const mbs_lookup *table = in->table;
  switch (in->op) {
  case MBS_OP_select: jet_copy(isnan(a) ? jet_a : a != 0 ? jet_b : jet_at(slots, k), jet); break;
#define MBS_SMOOTH(name, text, operands, value, first_a, first_b, second_aa, second_ab, second_bb) \
  case MBS_OP_##name: {                                                                            \
    const double v = (value), da = (first_a), db = (first_b);                                      \
    jet_smooth(jet_a, jet_b, v, da, db, second_aa, second_ab, second_bb, jet);                     \
    break;                                                                                         \
  }
#define MBS_SWITCH(name, text, operands, guard, value, first_a, first_b) \
  MBS_SMOOTH(name, , , value, first_a, first_b, 0, 0, 0)
#define MBS_LOGIC(name, text, operands, value) MBS_SMOOTH(name, , , value, 0, 0, 0, 0, 0)
#include "expression/instructions.def"
  default: break;
  }
}

static void load_jets(const mbs_expression *e, const double *jets, double *slots) {
  for (size_t i = 0; i < e->program.literal_count; i++) {
    slots[3 * i] = e->constants[i];
    slots[3 * i + 1] = slots[3 * i + 2] = 0;
  }
  for (size_t i = 0; i < 3 * e->program.name_count; i++) {
    slots[3 * e->program.literal_count + i] = jets[i];
  }
}

/* Computes the jet for loaded inputs. Returns false if a part of it is not finite. */
static bool jet_run(const mbs_expression *e, const double *mode, double *slots, double out[3]) {
  const size_t base = code_base(e);
  for (size_t i = 0; i < e->program.code_count; i++) {
    jet_instruction(&e->program.code[i], mode, slots, slots + 3 * (base + i));
  }
  jet_copy(jet_at(slots, e->result), out);
  return isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]);
}

/* theory (6.13), (6.14) */
void mbs_expression_jet(const mbs_expression *expression, const double *jets, const double *mode, double *slots,
                        double out[3]) {
  load_jets(expression, jets, slots);
  if (!jet_run(expression, mode, slots, out) && mode != NULL) {
    jet_run(expression, NULL, slots, out);
  }
}

/* Computes the rates of a guard. Guards of switches with two modes are linear in the operands, so their rates are the
 * same function of the operands' rates. */
void mbs_expression_guard_jet(const mbs_expression *expression, size_t index, const double *jets, const double *mode,
                              double *slots, double out[3]) {
  assert(index < expression->switch_count);
  const mbs_instruction *code = &expression->program.code[expression->switches[index]];
  double ignored[3];
  load_jets(expression, jets, slots);
  jet_run(expression, mode, slots, ignored);
  const double *a = jet_at(slots, code->a), *b = jet_at(slots, code->b);
  for (int i = 0; i < 3; i++) {
    out[i] = guard_of(code, a[i], b[i], 0);
  }
}
