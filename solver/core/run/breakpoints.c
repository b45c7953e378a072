/* Finds breaks (jumps and kinks) of functions of time. Functions list those that follow from their parameters.
 * Expressions can have others that are not listed: where atan2() wraps, at a pole, at the root of a root,
 *
 *   atan2(sin(w t), cos(w t)),   atan(1/(t - a)),   sqrt((t - a)^2).
 *
 * Interval arithmetic excludes parts of the span. The remainder is bisected down to intervals as short as an instant
 * (mbs_instant_share). There f or f' has a break if it changes between neighbouring doubles and has one value on each
 * side. theory page 6 */
#include "run/breakpoints.h"

#include "equations/discrete.h"
#include "equations/externals.h"
#include "model/report_times.h"
#include "model/units.h"
#include "run/impulse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Largest share of the change at a break by which values on one side of it differ within an instant. If a function is
 * smooth, has an infinite slope, or is mostly rounding, they differ by more. */
static const double side_share = 0.25;
/* Largest number of parts of a span that a search examines; a pole or root without a break needs about 70. */
enum { MOST_PARTS = 20000 };

/* A search for a break of one function. */
typedef struct break_search {
  mbs_system probe;
  const mbs_function *function;
  double unit;  /* typical size of its values */
  double start; /* a break does not end a span before it */
  size_t parts; /* examined so far */
} break_search;

/* Evaluates f (order 0) or f' (order 1) at t, on the branches that belong to t. */
static double value_at(const break_search *self, double t, int order) {
  assert(order == 0 || order == 1);
  double out[3];
  self->function->cls->value(&self->probe, self->function, t, out);
  return out[order];
}

/* Returns true if all values between `far` and `near` differ from that at `near` by at most `most`. */
static bool is_level(const break_search *self, double near, double far, int order, double most) {
  const double value = value_at(self, near, order);
  for (double way = far - near; near + way != near; way *= 0.25)
    if (!(fabs(value_at(self, near + way, order) - value) <= most)) return false;
  return true;
}

/* Bisects [low, high] down to the change of the value from `before` to `after`. The doubles at the change may have
 * other values, as 0/0 at a pole; the break extends to the doubles next to them. */
static mbs_break between(const break_search *self, double low, double high, int order, double before, double after) {
  assert(low <= high);
  double middle = low + 0.5 * (high - low);
  while (middle > low && middle < high) {
    const double value = value_at(self, middle, order);
    const bool is_before = fabs(value - before) <= fabs(value - after); /* false for NaN */
    *(is_before ? &low : &high) = middle;
    middle = low + 0.5 * (high - low);
  }
  return (mbs_break){.end = nextafter(low, -INFINITY), .next = nextafter(high, INFINITY)};
}

/* Finds the break of f (order 0) or f' (order 1) in [low, high]. Returns false if there is none. */
static bool find_change(const break_search *self, double low, double high, int order, mbs_break *out) {
  const double before = value_at(self, low, order), after = value_at(self, high, order);
  const double unit = order == 0 ? self->unit : self->unit / self->probe.constants->time;
  const double share = order == 0 ? mbs_impulse_value_share : mbs_impulse_rate_share;
  const double least = share * fmax(unit, fabs(before));
  if (!isfinite(after) || !(fabs(after - before) > least)) return false;
  *out = between(self, low, high, order, before, after);
  const double change = fabs(value_at(self, out->next, order) - value_at(self, out->end, order));
  return change > least && is_level(self, out->end, low, order, side_share * change) &&
         is_level(self, out->next, high, order, side_share * change);
}

/* Finds the first break in (low, high]. Returns false if there is none. */
static bool find_hidden(break_search *self, double low, double high, mbs_break *out) {
  assert(self->function->cls->smooth != NULL);
  const mbs_function *function = self->function;
  if (++self->parts > MOST_PARTS || function->cls->smooth(&self->probe, function, low, high)) return false;
  const double middle = low + 0.5 * (high - low),
               shortest = mbs_instant_share * (self->probe.constants->time + fabs(middle));
  if (high - low > shortest) return find_hidden(self, low, middle, out) || find_hidden(self, middle, high, out);
  const double from = middle - shortest, to = middle + shortest;
  return (find_change(self, from, to, 0, out) || find_change(self, from, to, 1, out)) && out->end >= self->start;
}

mbs_break mbs_next_break(const mbs_system *system, bool sampled, double t, double t_end) {
  const mbs_model *model = system->model;
  const double knot = fmin(t_end, mbs_next_external_knot(model, t));
  mbs_break first = {.end = knot, .next = knot}, found;
  for (size_t f = 0; f < model->function_count; f++) {
    const mbs_function *function = &model->functions[f];
    const mbs_function_constants *numbers = &system->constants->functions[function->number];
    for (size_t k = 0; k < numbers->break_count; k++)
      if (numbers->breaks[k] > t && numbers->breaks[k] < first.end)
        first = (mbs_break){.end = numbers->breaks[k], .next = numbers->breaks[k]};
    if (!function->cls->smooth) continue;
    break_search search = {
        .probe = *system, .function = function, .unit = mbs_function_unit(system->constants, f), .start = t};
    search.probe.mode = NULL;
    search.probe.span_end = INFINITY;
    if (find_hidden(&search, t, first.end, &found) && found.end < first.end) first = found;
  }
  const double sample = sampled ? mbs_next_sample(system->constants, t) : INFINITY;
  const double resolution = mbs_time_resolution(model);
  if (sample < first.end - resolution) first = (mbs_break){.end = sample, .next = sample};
  first.samples = sample <= first.end + resolution;
  first.next = fmin(first.next, t_end);
  return first;
}

mbs_break *mbs_find_breaks(const mbs_system *system, bool sampled, size_t *count) {
  const mbs_model *model = system->model;
  mbs_break *breaks = NULL;
  size_t most = 0;
  double t = model->t_start;
  bool ends = false;
  for (*count = 0; !ends; t = breaks[(*count)++].next) {
    if (*count == most) {
      const size_t room = 2 * most + 8;
      mbs_break *grown = mbs_arena_alloc(system->arena, room, sizeof *grown);
      if (!grown) return NULL;
      if (most) memcpy(grown, breaks, most * sizeof *grown);
      breaks = grown;
      most = room;
    }
    breaks[*count] = mbs_next_break(system, sampled, t, model->t_end);
    assert(breaks[*count].end <= breaks[*count].next);
    /* zeros that the motion reaches at its end are events, whose rows show the state after them */
    if (sampled && model->trigger_count && (*count == 0 || breaks[*count - 1].end < model->t_end))
      breaks[*count].samples |= breaks[*count].end >= model->t_end;
    ends = breaks[*count].end >= model->t_end && !breaks[*count].samples;
  }
  return breaks;
}
