/* affine.c - decides if an expression is affine in some of its inputs, by one loop forward over its program. */
#include "expression/program.h"

#include <assert.h>

/* Dependence of a value on the chosen inputs. */
typedef enum degree { CONSTANT, AFFINE, CURVED } degree;

static degree larger(degree a, degree b) { return a > b ? a : b; }

static degree degree_of(const mbs_instruction *code, const degree *of) {
  const degree a = of[code->a], b = of[code->b];
  switch (code->op) {
  case MBS_OP_add:
  case MBS_OP_subtract:
  case MBS_OP_negate: return larger(a, b);
  case MBS_OP_multiply: return a == CONSTANT ? b : b == CONSTANT ? a : CURVED;
  case MBS_OP_divide: return b == CONSTANT ? a : CURVED;
  case MBS_OP_select: return a == CONSTANT ? larger(b, of[code->c]) : CURVED;
  default: return larger(a, b) == CONSTANT ? CONSTANT : CURVED;
  }
}

bool mbs_expression_is_affine(const mbs_expression *expression, const bool *inputs, mbs_arena *arena) {
  const mbs_program *program = &expression->program;
  const size_t named = program->literal_count, first = named + program->name_count;
  degree *of = mbs_arena_alloc(arena, first + program->code_count, sizeof *of);
  assert(expression->result >= 0 && (size_t)expression->result < first + program->code_count);
  if (!of) return false;
  for (size_t i = 0; i < program->name_count; i++) of[named + i] = inputs[i] ? AFFINE : CONSTANT;
  for (size_t k = 0; k < program->code_count; k++) of[first + k] = degree_of(&program->code[k], of);
  return of[expression->result] != CURVED;
}
