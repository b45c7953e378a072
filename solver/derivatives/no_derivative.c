/* A derivative is missing where the instant of an extreme is not sharp, where there is a corner, or where slopes do not
 * settle. What parts the runs on both sides may be an event that only one of them has, which is named. */
#include "derivatives/no_derivative.h"
#include "base/message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How much nearer than the widest stencil the runs are whose events are compared first. */
static const double instant_share = 1e-3;
/* A corner that is a share of what it was in a wider stencil, or so many times that. */
static const double falling = 0.75, rising = 2;

static void tell(const mbs_stencil_runs *self, size_t parameter, const char *why, double time, mbs_error *error) {
  const struct mbs_plan *plan = self->model.plan;
  const char *name = self->model.parameters[plan->vary[parameter].parameter].name;
  *error = (mbs_error){.status = MBS_NO_DERIVATIVE, .time = time};
  mbs_message(error->message, sizeof error->message, "in '%.80s' at %.9g %s", name, self->values[parameter], why);
}

/* The first event that only one of two runs has, 0 the first or 1 the second; NULL: they have the same. */
static const mbs_event *first_other(const mbs_event *const lists[2], const size_t counts[2], int *side) {
  for (size_t i = 0; i < counts[0] || i < counts[1]; i++) {
    const mbs_event *one = i < counts[0] ? &lists[0][i] : NULL, *other = i < counts[1] ? &lists[1][i] : NULL;
    if (one && other && strcmp(one->element, other->element) == 0 && strcmp(one->kind, other->kind) == 0) continue;
    *side = !one || (other && other->t < one->t);
    return *side ? other : one;
  }
  return NULL;
}

/* The first event that only one of the runs at p + step and p - step has, by the value of that one; NULL: they have the
 * same. */
static const mbs_event *find_parting(mbs_stencil_runs *self, size_t parameter, double step, double values[2],
                                     int *side) {
  const mbs_vary *vary = &self->model.plan->vary[parameter];
  const double p = self->point[parameter];
  const mbs_event *lists[2];
  size_t counts[2];
  mbs_arena_clear(self->events);
  for (int k = 0; k < 2; k++) {
    self->values[parameter] = values[k] = fmin(fmax(k ? p - step : p + step, vary->least), vary->most);
    lists[k] = mbs_point_events(self->runs, self->values, &self->hooks, self->events, &counts[k]);
  }
  self->values[parameter] = p;
  return first_other(lists, counts, side);
}

/* When runs on both sides part, if that is at an event: near the point, else as far from it as `widest`. What parts
 * them is added to `why`. */
static double find_instant(mbs_stencil_runs *self, size_t parameter, double widest, char *why, size_t size) {
  if (!mbs_stencil_runs_move(self)) return NAN;
  double values[2];
  int side = 0;
  const mbs_event *event = find_parting(self, parameter, instant_share * widest, values, &side);
  if (!event) event = find_parting(self, parameter, widest, values, &side);
  if (!event) return NAN;
  const size_t length = strlen(why);
  snprintf(why + length, size - length, "; at %.9g '%.80s' %.80s at t = %.9g, at %.9g it does not", values[side],
           event->element, event->kind, event->t, values[!side]);
  return event->t;
}

/* What parts the slopes on both sides, as far as runs have come near. */
static void tell_corner(const mbs_planned_output *output, const mbs_stencil_slope *at, char *why, size_t size) {
  const bool falls = at->corner<falling * at->corner_before, rises = at->corner> rising * at->corner_before;
  if (rises && at->disordered)
    snprintf(why, size,
             "the output '%s' has no derivative that can be determined: within %.2g of this value it goes up and down "
             "by %.2g, because of noise or high sensitivity",
             output->name, at->width, at->spread);
  else if (rises)
    snprintf(why, size,
             "the output '%s' has no derivative: its slope increases as runs approach this value, so that it jumps "
             "there, rises without bound, or is too sensitive",
             output->name);
  else if (falls)
    snprintf(why, size,
             "the output '%s' has no derivative that can be determined: in runs within %.2g of this value it is %.6g "
             "from below and %.6g from above, and the difference decreases with the distance, as %s",
             output->name, at->width, at->below, at->above,
             output->of ? "at the extreme of a nearly constant quantity" : "where two eigenvalues nearly meet");
  else
    snprintf(why, size,
             "the output '%s' has no derivative: in runs within %.2g of this value it is %.6g from below and %.6g from "
             "above; its curve has a corner, as where %s",
             output->name, at->width, at->below, at->above,
             output->of ? "a contact or a switch is barely reached or two extremes are equal"
                        : "two eigenvalues are equal or nearly equal");
}

bool mbs_has_no_derivative(mbs_stencil_runs *runs, const mbs_stencil_slopes *slopes, size_t output, size_t parameter,
                           double widest, mbs_error *error) {
  const mbs_stencil_slope *at = &slopes->of[output];
  const mbs_planned_output *planned = &runs->model.plan->outputs[output];
  char why[600];
  double when = NAN;
  if (!planned->of && mbs_followed_modes_is_critical(runs->modes, planned->number)) {
    snprintf(why, sizeof why,
             "the output '%s' has no derivative: it is a double eigenvalue, as at critical damping, and splits with "
             "the square root of a change",
             planned->name);
    tell(runs, parameter, why, NAN, error);
    return true;
  }
  if (slopes->flat[output]) {
    when = slopes->centre[output];
    snprintf(why, sizeof why,
             "the output '%s' has no derivative: the second derivative at the extreme is zero, so that its time varies "
             "with a root of a change",
             planned->name);
  } else if (at->cornered) {
    tell_corner(planned, at, why, sizeof why);
  } else if (!(at->error < INFINITY)) {
    snprintf(why, sizeof why,
             "the output '%s' has no derivative that can be determined: near this value it goes up and down too fast",
             planned->name);
  } else if (!mbs_slopes_will_do(slopes, output)) {
    snprintf(why, sizeof why,
             "the output '%s' has no derivative that converges (%.3g, uncertain by %.2g): near this value it jumps, "
             "has a corner or an infinite slope, or is too sensitive",
             planned->name, at->value, at->error);
  } else {
    return false;
  }
  if (!slopes->flat[output]) when = find_instant(runs, parameter, widest, why, sizeof why);
  tell(runs, parameter, why, when, error);
  return true;
}

void mbs_no_derivative_beside(const mbs_stencil_runs *runs, size_t parameter, mbs_error *error) {
  char why[600];
  snprintf(why, sizeof why, "no output has a derivative, because runs near this value fail: %.400s",
           runs->failure.message);
  tell(runs, parameter, why, runs->failure.time, error);
}
