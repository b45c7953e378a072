/* lookup.c - values of tables. */
#include "expression/lookup.h"

#include <assert.h>
#include <math.h>

/* Returns the number of ascending values that are not above `a`. */
static size_t count_up_to(const double *values, size_t count, double a) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (values[middle] <= a)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool has_no_value(const mbs_lookup *lookup, size_t piece) {
  return (piece == 0 && lookup->undefined[0]) || (piece + 1 == lookup->pieces && lookup->undefined[1]);
}

double mbs_lookup_piece(const mbs_lookup *lookup, double a) {
  if (isnan(a)) return a;
  size_t piece = count_up_to(lookup->ends, lookup->pieces - 1, a);
  if (piece > 0 && has_no_value(lookup, piece) && a == lookup->ends[piece - 1]) piece--;
  return (double)piece;
}

double mbs_lookup_guard(const mbs_lookup *lookup, double a, double piece) {
  if (isnan(piece)) return piece;
  const size_t p = (size_t)piece;
  assert(p < lookup->pieces);
  const double below = p > 0 ? a - lookup->ends[p - 1] : 1;
  return p + 1 < lookup->pieces ? below * (lookup->ends[p] - a) : below;
}

/* Returns how many periods `a` is beyond the first. */
static double periods_of(const mbs_lookup *lookup, double a) {
  return lookup->period > 0 ? floor((a - lookup->from) / lookup->period) : 0;
}

/* Returns the cubic of a piece that contains `a` or is nearest to it. */
static size_t cubic_at(const mbs_lookup *lookup, double a, size_t piece) {
  const size_t first = lookup->first[piece], count = lookup->first[piece + 1] - first;
  return first + count_up_to(lookup->knots + first, count - 1, a);
}

/* theory (6.18) */
double mbs_lookup_value(const mbs_lookup *lookup, double a, double piece, int order) {
  if (isnan(a) || isnan(piece) || has_no_value(lookup, (size_t)piece)) return NAN;
  a -= periods_of(lookup, a) * lookup->period;
  const mbs_cubic_piece *cubic = &lookup->cubics[cubic_at(lookup, a, (size_t)piece)];
  const double s = a - cubic->origin, *c = cubic->c;
  if (order == 0) return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
  return order == 1 ? c[1] + s * (2 * c[2] + s * 3 * c[3]) : 2 * c[2] + 6 * s * c[3];
}

double mbs_lookup_entry(const mbs_lookup *lookup, double row, double column) {
  if (isnan(row) || isnan(column)) return NAN;
  assert((size_t)row < lookup->rows && (size_t)column < lookup->columns);
  return lookup->grid[(size_t)row * lookup->columns + (size_t)column];
}

bool mbs_lookup_is_outside(const mbs_lookup *lookup, double a) {
  return !isnan(a) && has_no_value(lookup, (size_t)mbs_lookup_piece(lookup, a));
}

static void include(double value, double out[2]) {
  out[0] = fmin(out[0], value);
  out[1] = fmax(out[1], value);
}

/* Includes the control points of a cubic from `low` to `high`, which bound it. Returns false if they are infinite. */
static bool include_cubic(const mbs_cubic_piece *cubic, double low, double high, double out[2]) {
  const double *c = cubic->c, third = (high - low) / 3, s[2] = {low - cubic->origin, high - cubic->origin};
  if (c[1] == 0 && c[2] == 0 && c[3] == 0) {
    include(c[0], out);
    return true;
  }
  for (int k = 0; k < 2; k++) {
    const double value = c[0] + s[k] * (c[1] + s[k] * (c[2] + s[k] * c[3]));
    include(value, out);
    include(value + (k ? -third : third) * (c[1] + s[k] * (2 * c[2] + s[k] * 3 * c[3])), out);
  }
  return isfinite(low) && isfinite(high);
}

void mbs_lookup_bounds(const mbs_lookup *lookup, double low, double high, double out[2]) {
  const double periods = periods_of(lookup, low);
  const bool whole = periods != periods_of(lookup, high);
  low = whole ? lookup->from : low - periods * lookup->period;
  high = whole ? lookup->from + lookup->period : high - periods * lookup->period;
  bool bounded =
      !isnan(low) && !isnan(high) && !mbs_lookup_is_outside(lookup, low) && !mbs_lookup_is_outside(lookup, high);
  out[0] = INFINITY;
  out[1] = -INFINITY;
  size_t i = bounded ? count_up_to(lookup->knots, lookup->count - 1, low) : 0;
  for (double from = low; bounded; i++) {
    const double to = i + 1 < lookup->count ? fmin(high, lookup->knots[i]) : high;
    bounded = include_cubic(&lookup->cubics[i], from, to, out);
    if (to >= high) break;
    from = to;
  }
  if (bounded) return;
  out[0] = -INFINITY;
  out[1] = INFINITY;
}

void mbs_lookup_entry_bounds(const mbs_lookup *lookup, const double rows[2], const double columns[2], double out[2]) {
  out[0] = INFINITY;
  out[1] = -INFINITY;
  for (size_t i = (size_t)rows[0]; i <= (size_t)rows[1]; i++)
    for (size_t j = (size_t)columns[0]; j <= (size_t)columns[1]; j++)
      include(lookup->grid[i * lookup->columns + j], out);
}

/* Returns the number of extremes from the start of the table to `a`. */
static double extremes_up_to(const mbs_lookup *lookup, double a) {
  const double periods = periods_of(lookup, a), inside = a - periods * lookup->period;
  return periods * (double)lookup->extreme_count + (double)count_up_to(lookup->extremes, lookup->extreme_count, inside);
}

double mbs_lookup_extremes(const mbs_lookup *lookup, double low, double high) {
  return lookup->extreme_count > 0 ? extremes_up_to(lookup, high) - extremes_up_to(lookup, low) : 0;
}
