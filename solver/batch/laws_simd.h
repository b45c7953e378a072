/* laws_simd.h - evaluates laws and their inputs over vectors of MBS_LANES numbers, with the same bits as one at a time.
 * Instructions that are not listed below run lane by lane. */
#include "equations/input.c"
#include "equations/law.h"
#include "expression/program.h"

/* Computes a^n for an integer n, like whole_power() of arithmetic.h. n is the same in all lanes, as part of the
 * structure. */
static mbs_real whole_power(mbs_real x, double n) {
  mbs_real power = MBS_ALL(1);
  for (unsigned left = (unsigned)fabs(n); left != 0; left >>= 1) {
    if ((left & 1U) != 0) power = power * x;
    x *= x;
  }
  return n < 0 ? 1 / power : power;
}

static mbs_real sine_of(mbs_real x) {
  mbs_real sine, cosine;
  mbs_sine_of(x, &sine, &cosine);
  return sine;
}

static mbs_real cosine_of(mbs_real x) {
  mbs_real sine, cosine;
  mbs_sine_of(x, &sine, &cosine);
  return cosine;
}

static mbs_real lane_by_lane(const mbs_instruction *in, mbs_real a, mbs_real b) {
  const mbs_instruction single = {.op = in->op, .a = 0, .b = 1, .table = in->table};
  mbs_real out = a;
  for (int k = 0; k < MBS_LANES; k++) {
    double slots[3] = {a[k], b[k], 0};
    mbs_instructions_run(&single, 0, 1, NULL, slots, 2);
    out[k] = slots[2];
  }
  return out;
}

/* theory (6.10), (6.11), without held branches */
static mbs_real run_instruction(const mbs_instruction *in, const mbs_real *slots) {
  const mbs_real a = slots[in->a], b = slots[in->b];
  switch (in->op) {
  case MBS_OP_select: return mbs_if_none(a, a, mbs_if_zero(a, slots[in->c], b));
  case MBS_OP_add: return a + b;
  case MBS_OP_subtract: return a - b;
  case MBS_OP_multiply: return a * b;
  case MBS_OP_divide: return a / b;
  case MBS_OP_negate: return -a;
  case MBS_OP_whole_power: return whole_power(a, b[0]);
  case MBS_OP_sqrt: return mbs_sqrt(a);
  case MBS_OP_sin: return sine_of(a);
  case MBS_OP_cos: return cosine_of(a);
  default: return lane_by_lane(in, a, b);
  }
}

mbs_real mbs_law_value(const mbs_system *system, const mbs_law *law) {
  const mbs_law_constants *numbers = mbs_law_numbers(system->constants, law);
  if (!numbers->expression) return numbers->value;
  const mbs_program *program = &numbers->expression->program;
  mbs_real *slots = system->slots, *next = slots + program->literal_count;
  for (size_t i = 0; i < program->literal_count; i++) slots[i] = numbers->literals[i];
  for (size_t i = 0; i < law->input_count; i++)
    system->in[i] = mbs_input_value(system, &system->model->inputs[law->inputs[i]]);
  for (size_t i = 0; i < program->name_count; i++) *next++ = system->in[i];
  for (size_t i = 0; i < program->code_count; i++) *next++ = run_instruction(&program->code[i], slots);
  return slots[numbers->expression->result];
}
