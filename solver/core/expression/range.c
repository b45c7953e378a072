/* range.c - an expression over intervals of its inputs: how far the argument of each of its functions moves, counted in
 * lengths on which that function changes its course.
 *
 * A polynomial has no feature narrower than what it is a function of; exp(-x^2/s^2), tanh(x/s), 1/(x^2 + s^2),
 * sin(x/s) have. Whatever is narrow has an instruction whose argument moves through many of these lengths meanwhile. */
#include "expression/arithmetic.h"
#include "expression/program.h"

#include <math.h>

typedef struct range {
  double low, high;
} range;

static const range anything = {-INFINITY, INFINITY};

static const double half_pi = 1.57079632679489661923;

/* Below exp() is nothing; beyond tanh() is flat, on either side. */
static const double exp_begins = -100, tanh_ends = 20;

static range ordered(double a, double b) {
  if (isnan(a) || isnan(b)) return anything;
  return (range){fmin(a, b), fmax(a, b)};
}

static range joined(range a, range b) { return (range){fmin(a.low, b.low), fmax(a.high, b.high)}; }

static double width(range a) { return a.high - a.low; }

static bool holds(range a, double value) { return a.low <= value && value <= a.high; }

static range product(range a, range b) {
  return joined(ordered(scaled(a.low, b.low), scaled(a.low, b.high)),
                ordered(scaled(a.high, b.low), scaled(a.high, b.high)));
}

static range reciprocal(range a) { return holds(a, 0) ? anything : ordered(1 / a.low, 1 / a.high); }

/* sin(a + turn), of which the extremes are where a + turn is pi/2 and 3 pi/2, but for whole turns. */
static range sine(range a, double turn) {
  const double pi = 2 * half_pi, low = a.low + turn, high = a.high + turn;
  if (!(width(a) < 2 * pi)) return (range){-1, 1};
  range out = ordered(sin(low), sin(high));
  if (floor((high - 0.5 * pi) / (2 * pi)) != floor((low - 0.5 * pi) / (2 * pi))) out.high = 1;
  if (floor((high - 1.5 * pi) / (2 * pi)) != floor((low - 1.5 * pi) / (2 * pi))) out.low = -1;
  return out;
}

/* Of what has a pole or a root at 0. */
static double logarithmic(range a) {
  if (holds(a, 0)) return a.low == a.high ? 0 : INFINITY;
  return fabs(log(a.high / a.low));
}

/* A quotient, from the tails of a hill 1/(1 + x^2) to its top and down again. Divisors beyond e^100 leave nothing, as
 * exp() does below e^-100. */
static double by_divisor(range b) {
  const double most = exp(-exp_begins);
  return 4 * logarithmic((range){fmax(fmin(b.low, most), -most), fmax(fmin(b.high, most), -most)});
}

/* a a, which is not the product of two ranges. */
static range even_power(range a, double n) {
  range ends = ordered(whole_power(a.low, n), whole_power(a.high, n));
  return holds(a, 0) ? (range){fmin(ends.low, 0), ends.high} : ends;
}

/* a^n, n > 2; where it is nothing as exp() is, none. A part of a range must not move more than all of it. */
static double by_power(range a, double n) {
  const double most = fmax(fabs(a.low), fabs(a.high));
  if (!(width(a) > 0) || n * log(most) <= exp_begins) return 0;
  return n * (holds(a, 0) ? 1 : width(a) / most);
}

static range whole(range a, double n, double *moves) {
  if (n < 0) *moves = -n * by_divisor(a);
  if (n > 2) *moves = by_power(a, n);
  if (n < 0) return reciprocal(whole(a, -n, &(double){0}));
  return fmod(n, 2) == 0 ? even_power(a, n) : ordered(whole_power(a.low, n), whole_power(a.high, n));
}

/* a^b for a > 0. Of a constant power above 0, as of a square root, the root is told by `roots` only. */
static range powers(range a, range b, bool roots, double *moves) {
  if (!roots && b.low > 0 && b.low == b.high) {
    if (b.low > 2) *moves = by_power(a, b.low);
    return (range){pow(fmax(a.low, 0), b.low), pow(fmax(fabs(a.low), fabs(a.high)), b.low)};
  }
  if (!(a.low > 0)) {
    *moves = width(a) > 0 || width(b) > 0 ? INFINITY : 0;
    return anything;
  }
  const range exponent = product((range){log(a.low), log(a.high)}, b);
  *moves = width(exponent) + logarithmic(a);
  return (range){exp(exponent.low), exp(exponent.high)};
}

/* atan2(a, b): the corners of the box have the extremes, unless it holds the origin or the cut. */
static range directions(range a, range b, double *moves) {
  const double across = holds(a, 0) ? 0 : fmin(fabs(a.low), fabs(a.high)),
               along = holds(b, 0) ? 0 : fmin(fabs(b.low), fabs(b.high)), away = hypot(across, along),
               way = width(a) + width(b);
  *moves = way > 0 ? way / away : 0;
  if (holds(a, 0) && b.low <= 0 && way > 0) return (range){-2 * half_pi, 2 * half_pi};
  return joined(ordered(atan2(a.low, b.low), atan2(a.low, b.high)),
                ordered(atan2(a.high, b.low), atan2(a.high, b.high)));
}

static range within_one(range a) { return (range){fmin(fmax(a.low, -1), 1), fmin(fmax(a.high, -1), 1)}; }

/* asin() and acos(), which end at -1 and 1. */
static range arc(mbs_op op, range a, double *moves) {
  const range in = within_one(a);
  *moves = width(a) > 0 ? fabs(log((1 - a.low) / (1 - a.high))) + fabs(log((1 + a.high) / (1 + a.low))) : 0;
  return op == MBS_OP_asin ? (range){asin(in.low), asin(in.high)} : (range){acos(in.high), acos(in.low)};
}

/* cosh(), which has its least value at 0. */
static range hyperbola(range a) {
  range out = ordered(cosh(a.low), cosh(a.high));
  if (holds(a, 0)) out.low = 1;
  return out;
}

/* Between two of its poles. */
static range tangent(range a) { return holds(sine(a, half_pi), 0) ? anything : (range){tan(a.low), tan(a.high)}; }

/* An instruction without a switch. */
static range smooth(const mbs_instruction *code, range a, range b, bool roots, double *moves) {
  switch (code->op) {
  case MBS_OP_add: return (range){a.low + b.low, a.high + b.high};
  case MBS_OP_subtract: return (range){a.low - b.high, a.high - b.low};
  case MBS_OP_multiply: return code->a == code->b ? even_power(a, 2) : product(a, b);
  case MBS_OP_divide: *moves = by_divisor(b); return product(a, reciprocal(b));
  case MBS_OP_negate: return (range){-a.high, -a.low};
  case MBS_OP_whole_power: return whole(a, b.low, moves);
  case MBS_OP_fixed_power:
  case MBS_OP_power: return powers(a, b, roots, moves);
  case MBS_OP_quintic:
    *moves = a.high > 0 && a.low < 1 ? 4 * width(a) : 0;
    return (range){quintic(a.low), quintic(a.high)};
  case MBS_OP_sin: *moves = width(a); return sine(a, 0);
  case MBS_OP_cos: *moves = width(a); return sine(a, half_pi);
  case MBS_OP_tan: *moves = width(a) + logarithmic(sine(a, half_pi)); return tangent(a);
  case MBS_OP_asin:
  case MBS_OP_acos: return arc(code->op, a, moves);
  case MBS_OP_atan: *moves = asinh(a.high) - asinh(a.low); return (range){atan(a.low), atan(a.high)};
  case MBS_OP_sinh: *moves = width(a); return (range){sinh(a.low), sinh(a.high)};
  case MBS_OP_cosh: *moves = width(a); return hyperbola(a);
  case MBS_OP_tanh:
    *moves = a.high > -tanh_ends && a.low < tanh_ends ? width(a) : 0;
    return (range){tanh(a.low), tanh(a.high)};
  case MBS_OP_exp: *moves = a.high > exp_begins ? width(a) : 0; return (range){exp(a.low), exp(a.high)};
  case MBS_OP_log: *moves = logarithmic(a); return a.low > 0 ? (range){log(a.low), log(a.high)} : anything;
  case MBS_OP_sqrt: *moves = roots ? logarithmic(a) : 0; return (range){sqrt(fmax(a.low, 0)), sqrt(fmax(a.high, 0))};
  case MBS_OP_atan2: return directions(a, b, moves);
  default: return anything;
  }
}

/* The value of min() or max() where nothing holds its branch. */
static range extreme(mbs_op op, range a, range b) {
  const bool least = op == MBS_OP_min;
  return (range){least ? fmin(a.low, b.low) : fmax(a.low, b.low), least ? fmin(a.high, b.high) : fmax(a.high, b.high)};
}

/* A switch whose branch follows its guard: its values on all branches that the operands allow. */
static range live(const mbs_instruction *code, range a, range b) {
  switch (code->op) {
  case MBS_OP_at_least: return (range){a.low >= b.high, a.high >= b.low};
  case MBS_OP_abs: return (range){holds(a, 0) ? 0 : fmin(fabs(a.low), fabs(a.high)), fmax(fabs(a.low), fabs(a.high))};
  case MBS_OP_sign: return (range){a.low > 0 ? 1 : -1, a.high < 0 ? -1 : 1};
  case MBS_OP_min:
  case MBS_OP_max: return extreme(code->op, a, b);
  case MBS_OP_floor: return (range){floor(a.low), floor(a.high)};
  default: return anything;
  }
}

/* A switch whose branch is held. */
static range held(const mbs_instruction *code, range a, range b, double mode) {
  switch (code->op) {
  case MBS_OP_at_least: return (range){mode, mode};
  case MBS_OP_abs: return mode != 0 ? a : (range){-a.high, -a.low};
  case MBS_OP_sign: return mode != 0 ? (range){1, 1} : (range){-1, -1};
  case MBS_OP_min:
  case MBS_OP_max: return mode != 0 ? a : b;
  case MBS_OP_floor: return (range){mode, mode};
  default: return anything;
  }
}

static bool is_true_all_over(range a) { return !holds(a, 0); }
static bool is_false_all_over(range a) { return a.low == 0 && a.high == 0; }

/* What is true or false. */
static range truth(mbs_op op, range a, range b) {
  const range yes = {1, 1}, no = {0, 0}, either = {0, 1};
  const bool a_true = is_true_all_over(a), b_true = is_true_all_over(b), a_false = is_false_all_over(a),
             b_false = is_false_all_over(b);
  switch (op) {
  case MBS_OP_not: return a_true ? no : a_false ? yes : either;
  case MBS_OP_and: return a_true && b_true ? yes : a_false || b_false ? no : either;
  case MBS_OP_or: return a_true || b_true ? yes : a_false && b_false ? no : either;
  default: return either;
  }
}

static range chosen(range condition, range yes, range no) {
  if (is_true_all_over(condition)) return yes;
  return is_false_all_over(condition) ? no : joined(yes, no);
}

static bool is_logic(mbs_op op) {
  return op == MBS_OP_equal || op == MBS_OP_not || op == MBS_OP_and || op == MBS_OP_or;
}

static bool is_switch(mbs_op op) {
  return op == MBS_OP_at_least || op == MBS_OP_abs || op == MBS_OP_sign || op == MBS_OP_min || op == MBS_OP_max ||
         op == MBS_OP_floor;
}

/* Sums, products and branches of smooth functions are as smooth as these. */
static bool may_be_narrow(const mbs_instruction *code) {
  return !is_logic(code->op) && !is_switch(code->op) && code->op != MBS_OP_select && code->op != MBS_OP_add &&
         code->op != MBS_OP_subtract && code->op != MBS_OP_multiply && code->op != MBS_OP_negate;
}

/* The same of an instruction, by what its operands are. */
static bool has_lengths(const mbs_program *program, const mbs_instruction *code) {
  const bool by_constant = code->op == MBS_OP_divide && (size_t)code->b < program->literal_count;
  return may_be_narrow(code) && !by_constant;
}

bool mbs_expression_may_be_narrow(const mbs_expression *expression) {
  const mbs_program *program = &expression->program;
  for (size_t i = 0; i < program->code_count; i++)
    if (has_lengths(program, &program->code[i])) return true;
  return false;
}

bool mbs_expression_may_be_narrow_in(const mbs_expression *expression, size_t input, double *slots) {
  const mbs_program *program = &expression->program;
  const size_t base = program->literal_count + program->name_count;
  /* 1: follows from the input */
  for (size_t i = 0; i < base; i++) slots[i] = i == program->literal_count + input;
  for (size_t i = 0; i < program->code_count; i++) {
    const mbs_instruction *code = &program->code[i];
    const bool third = code->op == MBS_OP_select && slots[code->c] != 0;
    slots[base + i] = slots[code->a] != 0 || slots[code->b] != 0 || third;
    if (slots[base + i] != 0 && has_lengths(program, code)) return true;
  }
  return false;
}

/* Returns true if atan2(a, b) may come to its cut, where it jumps by 2 pi, or to the origin. */
static bool meets_cut(const mbs_instruction *code, range a, range b) {
  return code->op == MBS_OP_atan2 && holds(a, 0) && b.low <= 0 && (width(a) > 0 || width(b) > 0);
}

/* Computes the range of an instruction, and how far its argument moves. `mode` NULL: switches follow their guards. */
static range range_of(const mbs_instruction *code, const range *ranges, const double *mode, bool roots, double *moves) {
  const range a = ranges[code->a], b = ranges[code->b];
  range v;
  if (code->op == MBS_OP_select)
    v = chosen(a, b, ranges[code->c]);
  else if (is_logic(code->op))
    v = truth(code->op, a, b);
  else if (is_switch(code->op))
    v = mode ? held(code, a, b, mode[code->c]) : live(code, a, b);
  else
    v = smooth(code, a, b, roots, moves);
  if (isnan(*moves)) *moves = INFINITY;
  return isnan(v.low) || isnan(v.high) ? anything : v;
}

/* Fills the ranges of the literals and of the inputs. Returns the number of the first instruction's slot. */
static size_t fill_ranges(const mbs_expression *expression, const double *low, const double *high, range *ranges) {
  const mbs_program *program = &expression->program;
  for (size_t i = 0; i < program->literal_count; i++)
    ranges[i] = (range){expression->constants[i], expression->constants[i]};
  for (size_t i = 0; i < program->name_count; i++) ranges[program->literal_count + i] = (range){low[i], high[i]};
  return program->literal_count + program->name_count;
}

double mbs_expression_moves(const mbs_expression *expression, const double *low, const double *high, const double *mode,
                            bool roots, double *slots) {
  const mbs_program *program = &expression->program;
  range *ranges = (range *)(void *)slots;
  const size_t base = fill_ranges(expression, low, high, ranges);
  double most = 0;
  for (size_t i = 0; i < program->code_count; i++) {
    double moves = 0;
    ranges[base + i] = range_of(&program->code[i], ranges, mode, roots, &moves);
    most = fmax(most, moves);
  }
  return most;
}

bool mbs_expression_is_smooth(const mbs_expression *expression, const double *low, const double *high, double *slots) {
  const mbs_program *program = &expression->program;
  range *ranges = (range *)(void *)slots;
  const size_t base = fill_ranges(expression, low, high, ranges);
  for (size_t i = 0; i < program->code_count; i++) {
    const mbs_instruction *code = &program->code[i];
    double moves = 0;
    ranges[base + i] = range_of(code, ranges, NULL, true, &moves);
    if (!isfinite(moves) || meets_cut(code, ranges[code->a], ranges[code->b])) return false;
  }
  return true;
}
