/* dimension.c - see expression/dimension.h: one loop forward over the program. */
#include "expression/dimension.h"

#include "expression/program.h"

#include <math.h>

typedef struct term {
  mbs_dimension dimension;
  bool constant; /* of any dimension; then `value` */
  double value;
} term;

static const mbs_dimension unknown = MBS_DIMENSION_UNKNOWN, number = MBS_DIMENSION_NUMBER;

/* Both sides of a sum, or branches of one value: a constant is of what the other one is of. */
static mbs_dimension alike(const term *a, const term *b) {
  if (a->constant) return b->dimension;
  return b->constant ? a->dimension : mbs_dimension_sum(a->dimension, b->dimension);
}

static mbs_dimension power(const term *a, const term *b) {
  if (!b->constant || a->constant) return unknown;
  if (b->value == 0.5) return mbs_dimension_root(a->dimension);
  if (b->value != floor(b->value) || fabs(b->value) > 100) return unknown;
  return mbs_dimension_product(number, a->dimension, (int)b->value);
}

/* The angle of a direction, of two lengths or of two plain numbers. */
static mbs_dimension direction(const term *a, const term *b) {
  return mbs_dimension_sum(a->dimension, b->dimension).known ? (mbs_dimension)MBS_DIMENSION_ANGLE : unknown;
}

static mbs_dimension angle_of(const term *a) {
  const term one = {.dimension = number};
  return direction(a, &one);
}

static mbs_dimension apply(const mbs_instruction *code, const term *terms) {
  const term *a = &terms[code->a], *b = &terms[code->b];
  switch (code->op) {
  case MBS_OP_select: return alike(b, &terms[code->c]);
  case MBS_OP_add:
  case MBS_OP_subtract:
  case MBS_OP_min:
  case MBS_OP_max: return alike(a, b);
  case MBS_OP_multiply: return mbs_dimension_product(a->dimension, b->dimension, 1);
  case MBS_OP_divide: return mbs_dimension_product(a->dimension, b->dimension, -1);
  case MBS_OP_negate:
  case MBS_OP_abs: return a->dimension;
  case MBS_OP_whole_power:
  case MBS_OP_fixed_power: return power(a, b);
  case MBS_OP_sqrt: return mbs_dimension_root(a->dimension);
  case MBS_OP_atan2: return direction(a, b);
  case MBS_OP_asin:
  case MBS_OP_acos:
  case MBS_OP_atan: return angle_of(a);
  case MBS_OP_constant:
  case MBS_OP_input:
  case MBS_OP_power:
  case MBS_OP_floor:
  case MBS_OP_COUNT: return unknown;
  default: return number; /* sin, exp, sign, comparisons: plain numbers whatever they are of */
  }
}

mbs_dimension mbs_expression_dimension(const mbs_expression *expression, const mbs_dimension *input,
                                       mbs_arena *scratch) {
  const mbs_program *program = &expression->program;
  size_t first_input = program->literal_count, first_code = first_input + program->name_count;
  term *terms = mbs_arena_alloc(scratch, first_code + program->code_count + 1, sizeof *terms);
  if (!terms) return unknown;
  for (size_t i = 0; i < first_input; i++) terms[i] = (term){.constant = true, .value = program->literals[i]};
  for (size_t i = 0; i < program->name_count; i++) terms[first_input + i].dimension = input[i];
  for (size_t i = 0; i < program->code_count; i++) terms[first_code + i].dimension = apply(&program->code[i], terms);
  return terms[expression->result].dimension;
}
