/* dimension.c - see expression/dimension.h: one forward loop over the program of the parameters, then one over that of
 * the inputs. */
#include "expression/dimension.h"

#include "expression/program.h"

#include <math.h>

typedef struct term {
  mbs_value_dimension of;
  bool constant; /* a constant of any dimension, `value`; NaN if the value is not known here */
  bool literal;  /* a constant without a parameter */
  double value;
} term;

static const mbs_dimension unknown = MBS_DIMENSION_UNKNOWN, number = MBS_DIMENSION_NUMBER;

static term of_dimension(mbs_dimension dimension) { return (term){.of = {.dimension = dimension}}; }

/* Returns the result of a product, a quotient, a power or a root. */
static term derived(mbs_dimension dimension, const term *a, const term *b) {
  return (term){.of = {.dimension = dimension, .given = a->of.given || b->of.given, .any_angle = true}};
}

/* Returns true if the values agree. Radians are compared if it is known for both whether they have any. */
static bool agree(const mbs_value_dimension *a, const mbs_value_dimension *b) {
  mbs_dimension one = a->dimension, other = b->dimension;
  if (!one.known || !other.known) return true;
  if (a->any_angle || b->any_angle) one.rad = other.rad = 0;
  return mbs_dimension_sum(one, other).known;
}

/* Combines both sides of a sum, or branches of one value: a constant has the dimension of the other side. */
static term alike(const term *a, const term *b, mbs_dimension_clash *clash) {
  if (a->constant) return *b;
  if (b->constant) return *a;
  if (!a->of.given && !b->of.given) return of_dimension(mbs_dimension_sum(a->of.dimension, b->of.dimension));
  if (!agree(&a->of, &b->of)) {
    if (!clash->found) *clash = (mbs_dimension_clash){true, a->of.dimension, b->of.dimension};
    return of_dimension(unknown);
  }
  const bool first = a->of.dimension.known && (!a->of.any_angle || b->of.any_angle || !b->of.dimension.known);
  return (term){.of = {.dimension = first ? a->of.dimension : b->of.dimension,
                       .given = true,
                       .any_angle = a->of.any_angle && b->of.any_angle}};
}

static term product(const term *a, const term *b, int power) {
  if (a->constant || b->constant) {
    const term *one = a->constant ? a : b, *other = a->constant ? b : a;
    if (!one->literal || !other->of.given) return of_dimension(unknown);
    return derived(mbs_dimension_product(number, other->of.dimension, a->constant ? power : 1), a, b);
  }
  return derived(mbs_dimension_product(a->of.dimension, b->of.dimension, power), a, b);
}

static term power(const term *a, const term *b) {
  if (!b->constant || a->constant) return of_dimension(unknown);
  if (b->value == 0.5) return derived(mbs_dimension_root(a->of.dimension), a, a);
  if (b->value != floor(b->value) || fabs(b->value) > 100) return of_dimension(unknown);
  return derived(mbs_dimension_product(number, a->of.dimension, (int)b->value), a, a);
}

/* Returns the angle of a direction, from two lengths or two plain numbers. */
static term direction(const term *a, const term *b) {
  const bool same = mbs_dimension_sum(a->of.dimension, b->of.dimension).known;
  return of_dimension(same ? (mbs_dimension)MBS_DIMENSION_ANGLE : unknown);
}

static term angle_of(const term *a) {
  const term one = of_dimension(number);
  return direction(a, &one);
}

/* Returns a plain number, the value of functions such as sin, exp and sign, and of comparisons, for any arguments. */
static term plain_number(void) {
  term out = of_dimension(number);
  out.of.any_angle = true;
  return out;
}

static term apply(const mbs_instruction *code, const term *terms, mbs_dimension_clash *clash) {
  const term *a = &terms[code->a], *b = &terms[code->b];
  if (code->op != MBS_OP_select && a->constant && b->constant)
    return (term){.constant = true, .literal = a->literal && b->literal, .value = NAN};
  switch (code->op) {
  case MBS_OP_select: return alike(b, &terms[code->c], clash);
  case MBS_OP_add:
  case MBS_OP_subtract:
  case MBS_OP_min:
  case MBS_OP_max: return alike(a, b, clash);
  case MBS_OP_at_least:
  case MBS_OP_equal: alike(a, b, clash); return plain_number();
  case MBS_OP_multiply: return product(a, b, 1);
  case MBS_OP_divide: return product(a, b, -1);
  case MBS_OP_negate:
  case MBS_OP_abs: return *a;
  case MBS_OP_whole_power:
  case MBS_OP_fixed_power: return power(a, b);
  case MBS_OP_sqrt: return derived(mbs_dimension_root(a->of.dimension), a, a);
  case MBS_OP_atan2: return direction(a, b);
  case MBS_OP_asin:
  case MBS_OP_acos:
  case MBS_OP_atan: return angle_of(a);
  case MBS_OP_constant:
  case MBS_OP_input:
  case MBS_OP_power:
  case MBS_OP_floor:
  case MBS_OP_lookup:
  case MBS_OP_entry:
  case MBS_OP_COUNT: return of_dimension(unknown);
  default: return plain_number();
  }
}

/* Computes the terms of a program whose literals and names are in terms[] already. */
static void walk(const mbs_program *program, term *terms, mbs_dimension_clash *clash) {
  size_t first = program->literal_count + program->name_count;
  for (size_t i = 0; i < program->code_count; i++) terms[first + i] = apply(&program->code[i], terms, clash);
}

static term *open_terms(const mbs_program *program, mbs_arena *scratch) {
  size_t count = program->literal_count + program->name_count + program->code_count;
  term *terms = mbs_arena_alloc(scratch, count + 1, sizeof *terms);
  for (size_t i = 0; terms && i < program->literal_count; i++)
    terms[i] = (term){.constant = true, .literal = true, .value = program->literals[i]};
  return terms;
}

/* Returns the terms of the program of the parameters; NULL if there is none, nothing is known, or memory runs out. */
static const term *walk_parameters(const mbs_dependence *dependence, const mbs_value_dimension *parameter,
                                   mbs_arena *scratch, mbs_dimension_clash *clash) {
  term *terms = dependence && parameter ? open_terms(&dependence->program, scratch) : NULL;
  if (!terms) return NULL;
  for (size_t i = 0; i < dependence->program.name_count; i++)
    terms[dependence->program.literal_count + i] =
        (term){.of = parameter[i], .constant = !parameter[i].dimension.known, .value = NAN};
  walk(&dependence->program, terms, clash);
  return terms;
}

mbs_value_dimension mbs_expression_dimension(const mbs_expression *expression, const mbs_dimension *input,
                                             const mbs_value_dimension *parameter, mbs_arena *scratch,
                                             mbs_dimension_clash *clash) {
  const mbs_program *program = &expression->program;
  const mbs_dependence *dependence = expression->dependence;
  mbs_dimension_clash none = {.found = false};
  clash = clash ? clash : &none;
  const term *constants = walk_parameters(dependence, parameter, scratch, clash);
  term *terms = open_terms(program, scratch);
  if (!terms) return of_dimension(unknown).of;
  for (size_t k = 0; k < program->literal_count; k++) {
    terms[k].literal = !dependence; /* otherwise the sources determine it */
    if (!constants) continue;
    terms[k] = constants[dependence->sources[k]];
    terms[k].value = program->literals[k];
  }
  for (size_t i = 0; i < program->name_count; i++) terms[program->literal_count + i] = of_dimension(input[i]);
  walk(program, terms, clash);
  return terms[expression->result].of;
}

bool mbs_dimension_fits(mbs_value_dimension value, mbs_dimension wanted) {
  const mbs_value_dimension other = {.dimension = wanted};
  return !value.given || agree(&value, &other);
}
