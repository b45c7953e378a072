/* Lengths that an expression divides by: divisors, and factors of divisors, that are the root of a sum of squares. */
#include "expression/program.h"

typedef struct search {
  const mbs_program *program;
  size_t base;               /* slot of the first instruction */
  int parts[MBS_NORM_PARTS]; /* slots of x, y, ... */
  size_t count;
} search;

static const mbs_instruction *instruction_at(const search *self, int slot) {
  return (size_t)slot >= self->base ? &self->program->code[(size_t)slot - self->base] : NULL;
}

static bool is_literal(const search *self, int slot) { return (size_t)slot < self->program->literal_count; }

/* Whether a slot is a sum of squares, maybe with constant factors; lists what is squared. */
static bool is_square_sum(search *self, int slot) {
  const mbs_instruction *in = instruction_at(self, slot);
  if (!in) return false;
  if (in->op == MBS_OP_add) return is_square_sum(self, in->a) && is_square_sum(self, in->b);
  if (in->op != MBS_OP_multiply) return false;
  if (is_literal(self, in->a)) return is_square_sum(self, in->b);
  if (is_literal(self, in->b)) return is_square_sum(self, in->a);
  if (in->a != in->b || self->count == MBS_NORM_PARTS) return false;
  self->parts[self->count++] = in->a;
  return true;
}

/* Whether a slot is such a root. */
static bool is_norm(search *self, int slot) {
  const mbs_instruction *in = instruction_at(self, slot);
  self->count = 0;
  if (!in) return false;
  if (in->op == MBS_OP_abs) {
    self->parts[self->count++] = in->a;
    return true;
  }
  return (in->op == MBS_OP_sqrt || in->op == MBS_OP_fixed_power) && is_square_sum(self, in->a);
}

/* Length number `index` from here on among a divisor and its factors, counted down; true where it is found. */
static bool find_in(search *self, int slot, size_t *index) {
  const mbs_instruction *in = instruction_at(self, slot);
  if (is_norm(self, slot)) return (*index)-- == 0;
  if (!in || in->op != MBS_OP_multiply) return false;
  return find_in(self, in->a, index) || (in->a != in->b && find_in(self, in->b, index));
}

static search open_search(const mbs_expression *expression) {
  const mbs_program *program = &expression->program;
  return (search){.program = program, .base = program->literal_count + program->name_count};
}

/* Whether there is a length number `index`; its parts are listed then. */
static bool find(search *self, const mbs_expression *expression, size_t index) {
  const mbs_program *program = &expression->program;
  for (size_t i = 0; i < program->code_count; i++) {
    const mbs_instruction *in = &program->code[i];
    const int own = (int)(self->base + i);
    const bool negative = in->op == MBS_OP_fixed_power && is_literal(self, in->b) && expression->constants[in->b] < 0;
    if (in->op == MBS_OP_divide && find_in(self, in->b, &index)) return true;
    if (negative && is_norm(self, own) && index-- == 0) return true;
  }
  return false;
}

size_t mbs_expression_norms(const mbs_expression *expression) {
  size_t count = 0;
  search self = open_search(expression);
  while (find(&self, expression, count)) count++;
  return count;
}

size_t mbs_expression_norm(const mbs_expression *expression, size_t index, const double *slots,
                           double parts[MBS_NORM_PARTS]) {
  search self = open_search(expression);
  if (!find(&self, expression, index)) return 0;
  for (size_t k = 0; k < self.count; k++) parts[k] = slots[self.parts[k]];
  return self.count;
}
