/* range.c - interval arithmetic of an expression: bounds of its value, and the travel of the arguments of its
 * functions.
 *
 * Travel is measured in lengths over which a function g(u) changes:
 *
 *     sin, cos, tanh, exp, smoothstep    1 of u
 *     1/u, log(u), u^-n, atan2           the smallest distance of u to the pole (over n)
 *     u^n, n > 2                         max(1, |u|) / n
 *
 *     a table                            a third of the distance between extremes of its second derivative
 *
 * Sums, products, branches, sinh and cosh are as smooth as their operands. A localized function, such as exp(-x^2/s^2),
 * tanh(x/s) or 1/(x^2 + s^2), has an instruction whose argument travels through many lengths. */
#include "expression/arithmetic.h"
#include "expression/program.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct range {
  double low, high;
} range;

static const range anything = {-INFINITY, INFINITY};

static const double pi = 3.14159265358979323846;

/* A function whose value changes by less than this has no travel: exp below -69, tanh beyond 19, 1/cosh beyond 70. */
static const double nothing = 1e-30;

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

static range magnitude(range a) {
  return (range){holds(a, 0) ? 0 : fmin(fabs(a.low), fabs(a.high)), fmax(fabs(a.low), fabs(a.high))};
}

/* Returns the range of sin(a + turn), whose extremes are at pi/2 and 3 pi/2, up to full revolutions. */
static range sine(range a, double turn) {
  const double low = a.low + turn, high = a.high + turn;
  if (!(width(a) < 2 * pi)) return (range){-1, 1};
  range out = ordered(sin(low), sin(high));
  if (floor((high - 0.5 * pi) / (2 * pi)) != floor((low - 0.5 * pi) / (2 * pi))) out.high = 1;
  if (floor((high - 1.5 * pi) / (2 * pi)) != floor((low - 1.5 * pi) / (2 * pi))) out.low = -1;
  return out;
}

static range cosine(range a) { return sine(a, 0.5 * pi); }

static range even_power(range a, double n) {
  const range m = magnitude(a);
  return (range){whole_power(m.low, n), whole_power(m.high, n)};
}

static range whole(range a, double n) {
  if (n < 0) return reciprocal(whole(a, -n));
  return fmod(n, 2) == 0 ? even_power(a, n) : ordered(whole_power(a.low, n), whole_power(a.high, n));
}

/* Returns b ln(a) of a^b, a > 0. */
static range exponent(range a, range b) { return product((range){log(a.low), log(a.high)}, b); }

static bool is_root(range b) { return b.low > 0 && b.low == b.high; }

static range powers(range a, range b) {
  if (is_root(b)) return (range){pow(fmax(a.low, 0), b.low), pow(magnitude(a).high, b.low)};
  return a.low > 0 ? (range){exp(exponent(a, b).low), exp(exponent(a, b).high)} : anything;
}

/* Returns the range of atan2(a, b): the extremes are at the corners of the box, unless it contains the origin or the
 * cut. */
static range directions(range a, range b) {
  if (holds(a, 0) && b.low <= 0 && (width(a) > 0 || width(b) > 0)) return (range){-pi, pi};
  return joined(ordered(atan2(a.low, b.low), atan2(a.low, b.high)),
                ordered(atan2(a.high, b.low), atan2(a.high, b.high)));
}

static double within_one(double a) { return fmin(fmax(a, -1), 1); }

static range hyperbola(range a) { return (range){cosh(magnitude(a).low), cosh(magnitude(a).high)}; }

/* Returns {1, 1} for true, {0, 0} for false, {0, 1} if undecided. */
static range truth(range a) { return (range){!holds(a, 0), a.low != 0 || a.high != 0}; }

static range chosen(range condition, range yes, range no) {
  condition = truth(condition);
  return condition.low > 0 ? yes : condition.high > 0 ? joined(yes, no) : no;
}

static range logical(mbs_op op, range a, range b) {
  switch (op) {
  case MBS_OP_at_least: return (range){a.low >= b.high, a.high >= b.low};
  case MBS_OP_not: return (range){1 - a.high, 1 - a.low};
  case MBS_OP_and: return (range){fmin(a.low, b.low), fmin(a.high, b.high)};
  case MBS_OP_or: return (range){fmax(a.low, b.low), fmax(a.high, b.high)};
  default: return (range){0, 1};
  }
}

/* Returns the range of an instruction that looks up a table. */
static range looked_up(mbs_op op, const mbs_lookup *table, range a, range b) {
  double out[2];
  if (op == MBS_OP_piece) return (range){mbs_lookup_piece(table, a.low), mbs_lookup_piece(table, a.high)};
  if (op == MBS_OP_entry)
    mbs_lookup_entry_bounds(table, (double[]){a.low, a.high}, (double[]){b.low, b.high}, out);
  else
    mbs_lookup_bounds(table, a.low, a.high, out);
  return (range){out[0], out[1]};
}

/* Returns the range of an instruction. Branches follow their guards. */
static range value_of(mbs_op op, range a, range b, range c) {
  switch (op) {
  case MBS_OP_add: return (range){a.low + b.low, a.high + b.high};
  case MBS_OP_subtract: return (range){a.low - b.high, a.high - b.low};
  case MBS_OP_multiply: return product(a, b);
  case MBS_OP_divide: return product(a, reciprocal(b));
  case MBS_OP_negate: return (range){-a.high, -a.low};
  case MBS_OP_whole_power: return whole(a, b.low);
  case MBS_OP_fixed_power:
  case MBS_OP_power: return powers(a, b);
  case MBS_OP_quintic: return (range){quintic(a.low), quintic(a.high)};
  case MBS_OP_sin: return sine(a, 0);
  case MBS_OP_cos: return cosine(a);
  case MBS_OP_tan: return holds(cosine(a), 0) ? anything : (range){tan(a.low), tan(a.high)};
  case MBS_OP_asin: return (range){asin(within_one(a.low)), asin(within_one(a.high))};
  case MBS_OP_acos: return (range){acos(within_one(a.high)), acos(within_one(a.low))};
  case MBS_OP_atan: return (range){atan(a.low), atan(a.high)};
  case MBS_OP_sinh: return (range){sinh(a.low), sinh(a.high)};
  case MBS_OP_cosh: return hyperbola(a);
  case MBS_OP_tanh: return (range){tanh(a.low), tanh(a.high)};
  case MBS_OP_exp: return (range){exp(a.low), exp(a.high)};
  case MBS_OP_log: return a.low > 0 ? (range){log(a.low), log(a.high)} : anything;
  case MBS_OP_sqrt: return (range){sqrt(fmax(a.low, 0)), sqrt(fmax(a.high, 0))};
  case MBS_OP_atan2: return directions(a, b);
  case MBS_OP_at_least:
  case MBS_OP_equal: return logical(op, a, b);
  case MBS_OP_not:
  case MBS_OP_and:
  case MBS_OP_or: return logical(op, truth(a), truth(b));
  case MBS_OP_select: return chosen(a, b, c);
  case MBS_OP_abs: return magnitude(a);
  case MBS_OP_sign: return (range){a.low > 0 ? 1 : -1, a.high < 0 ? -1 : 1};
  case MBS_OP_min: return (range){fmin(a.low, b.low), fmin(a.high, b.high)};
  case MBS_OP_max: return (range){fmax(a.low, b.low), fmax(a.high, b.high)};
  case MBS_OP_floor: return (range){floor(a.low), floor(a.high)};
  default: return anything;
  }
}

/* Limits a travel: only a pole makes it infinite, not an overflowing bound. */
static double capped(double way) { return fmin(way, FLT_MAX); }

/* Returns the travel in distances `least` to a pole. */
static double away(double way, double least) {
  if (!(way > 0)) return 0;
  return least > 0 ? capped(way / least) : INFINITY;
}

static double from_zero(range a) { return away(width(a), magnitude(a).low); }

static double from_one(range a) {
  return from_zero((range){1 - a.high, 1 - a.low}) + from_zero((range){1 + a.low, 1 + a.high});
}

static double from_origin(range a, range b) {
  return away(width(a) + width(b), hypot(magnitude(a).low, magnitude(b).low));
}

/* Returns the travel of a^n, n > 2. */
static double by_power(range a, double n) {
  const range m = magnitude(a);
  return n * (m.high > 1 ? 1 - m.low / m.high : width(m));
}

/* Returns the travel of a^b; with `roots` a root of 0 is a pole of the derivative. */
static double by_powers(range a, range b, bool roots) {
  if (is_root(b) && (!roots || b.low > 2)) return b.low > 2 ? by_power(a, b.low) : 0;
  if (a.low > 0) return capped(width(exponent(a, b))) + from_zero(a);
  return width(a) > 0 || width(b) > 0 ? INFINITY : 0;
}

/* Returns the travel in a table. A sine has an extreme every half period, about three lengths. */
static double in_table(const mbs_lookup *table, range a, bool roots) {
  const bool outside = mbs_lookup_is_outside(table, a.low) || mbs_lookup_is_outside(table, a.high);
  return outside && roots ? INFINITY : 3 * mbs_lookup_extremes(table, a.low, a.high);
}

/* Returns the lengths through which an argument travels. */
static double lengths_of(mbs_op op, range a, range b, bool roots) {
  switch (op) {
  case MBS_OP_divide: return from_zero(b);
  case MBS_OP_whole_power: return b.low < 0 ? -b.low * from_zero(a) : b.low > 2 ? by_power(a, b.low) : 0;
  case MBS_OP_fixed_power:
  case MBS_OP_power: return by_powers(a, b, roots);
  case MBS_OP_sqrt: return roots ? from_zero(a) : 0;
  case MBS_OP_log: return from_zero(a);
  case MBS_OP_tan: return from_zero(cosine(a));
  case MBS_OP_asin:
  case MBS_OP_acos: return from_one(a);
  case MBS_OP_atan: return from_origin(a, (range){1, 1});
  case MBS_OP_atan2: return from_origin(a, b);
  case MBS_OP_quintic:
  case MBS_OP_sin:
  case MBS_OP_cos:
  case MBS_OP_tanh:
  case MBS_OP_exp: return capped(width(a));
  default: return 0;
  }
}

/* Sets the range of instruction `i`. Returns the lengths through which its argument travels. */
static double bound(const mbs_program *program, size_t i, bool roots, range *ranges) {
  const mbs_instruction *code = &program->code[i];
  const range a = ranges[code->a], b = ranges[code->b], c = code->op == MBS_OP_select ? ranges[code->c] : b;
  const bool square = code->op == MBS_OP_multiply && code->a == code->b;
  range *out = &ranges[program->literal_count + program->name_count + i];
  *out = square ? even_power(a, 2) : code->table ? looked_up(code->op, code->table, a, b) : value_of(code->op, a, b, c);
  if (isnan(out->low) || isnan(out->high)) *out = anything;
  if (code->op == MBS_OP_lookup) return in_table(code->table, a, roots);
  const double lengths = width(*out) <= nothing ? 0 : lengths_of(code->op, a, b, roots);
  return isnan(lengths) ? INFINITY : lengths;
}

static range *fill_ranges(const mbs_expression *expression, const double *low, const double *high, double *slots) {
  const mbs_program *program = &expression->program;
  range *ranges = (range *)(void *)slots;
  for (size_t i = 0; i < program->literal_count; i++)
    ranges[i] = (range){expression->constants[i], expression->constants[i]};
  for (size_t i = 0; i < program->name_count; i++) ranges[program->literal_count + i] = (range){low[i], high[i]};
  return ranges;
}

double mbs_expression_argument_travel(const mbs_expression *expression, const double *low, const double *high,
                                      bool roots, double *slots) {
  range *ranges = fill_ranges(expression, low, high, slots);
  double most = 0;
  for (size_t i = 0; i < expression->program.code_count; i++)
    most = fmax(most, bound(&expression->program, i, roots, ranges));
  return most;
}

bool mbs_expression_may_be_localized(const mbs_expression *expression) {
  const mbs_program *program = &expression->program;
  for (size_t i = 0; i < program->code_count; i++) {
    const int slot = program->code[i].b;
    const double b = (size_t)slot < program->literal_count ? expression->constants[slot] : NAN;
    if (program->code[i].op == MBS_OP_lookup && program->code[i].table->extreme_count > 0) return true;
    if (lengths_of(program->code[i].op, anything, isnan(b) ? anything : (range){b, b}, true) > 0) return true;
  }
  return false;
}

bool mbs_expression_is_smooth(const mbs_expression *expression, const double *low, const double *high, double *slots) {
  range *ranges = fill_ranges(expression, low, high, slots);
  for (size_t i = 0; i < expression->program.code_count; i++) {
    const mbs_instruction *code = &expression->program.code[i];
    const range a = ranges[code->a], b = ranges[code->b];
    const bool cut = code->op == MBS_OP_atan2 && width(directions(a, b)) == 2 * pi; /* or the origin */
    if (!isfinite(bound(&expression->program, i, true, ranges)) || cut) return false;
  }
  return true;
}

/* Returns the slot of the divisor of an instruction, or -1. */
static int divisor_of(const mbs_expression *expression, const mbs_instruction *code) {
  const bool literal = (size_t)code->b < expression->program.literal_count;
  if (code->op == MBS_OP_divide) return literal ? -1 : code->b;
  const bool power = code->op == MBS_OP_whole_power || code->op == MBS_OP_fixed_power;
  return power && literal && expression->constants[code->b] < 0 ? code->a : -1;
}

bool mbs_expression_divisor_vanishes(const mbs_expression *expression, const double *in, const double *beside,
                                     double times, double *slots) {
  const mbs_program *program = &expression->program;
  const size_t n = program->literal_count + program->name_count + program->code_count;
  mbs_expression_value(expression, in, NULL, slots);
  memcpy(slots + n, slots, n * sizeof *slots);
  mbs_expression_value(expression, beside, NULL, slots);
  for (size_t i = 0; i < program->code_count; i++) {
    const int slot = divisor_of(expression, &program->code[i]);
    if (slot < 0) continue;
    const double d = slots[n + (size_t)slot], change = times * (slots[slot] - d);
    if (d != 0 && (d + change) * d <= 0) return true; /* d + d' s */
  }
  return false;
}
