/* Finds zeros of an expression. The signal's polynomials enclose possible changes of sign; the zero is found from the
 * expression itself. */
#include "study/reduction_state.h"

#include "equations/law.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* A value at the start below this share of the values in the first interval counts as zero. */
static const double start_share = 1e-9;
/* Accuracy of the instant of a zero, in roundings of time. */
static const double between_roundings = 4;
/* The change of sign is a pole if values next to it are larger by this factor than those farther away. */
static const double growth = 4;
enum { STEPS = 150 };
/* A zero is only touched if the rate there, over the whole motion, would change the value by less than this share of
 * the range. */
static const double touch_share = 1e-6;

void mbs_reduction_state_begin_zeros(mbs_reduction_state *output) {
  output->passed = NAN;
  output->touched = INFINITY;
  output->approach = (mbs_approach){.t = NAN, .value = INFINITY, .nearest = NAN};
}

/* Records a value of `when` without a zero: if it turns back, its value nearest to zero. */
static void approach(mbs_reduction_state *output, double t, double value) {
  mbs_approach *now = &output->approach;
  if (fabs(value) > fabs(now->value) && now->nearing && !(fabs(now->value) >= fabs(now->nearest))) {
    now->nearest_t = now->t;
    now->nearest = now->value;
  }
  if (value != now->value) now->nearing = fabs(value) < fabs(now->value);
  now->t = t;
  now->value = value;
}

/* Records the values of `when` from x on. */
static void approach_along(mbs_reduction_state *output, const mbs_chebyshev_piece *smooth, double x) {
  const int n = smooth->degree;
  double rate[MBS_CHEBYSHEV_MAX], roots[MBS_CHEBYSHEV_MAX], around = 0;
  for (int k = 1; k <= n; k++) around += fabs(smooth->c[k]);
  if (x <= -1) approach(output, smooth->a, smooth->values[0]);
  if (n > 1 && !(fabs(smooth->c[0]) - around > fabs(output->approach.nearest))) {
    mbs_chebyshev_derivative(n, smooth->c, rate);
    const int count = mbs_chebyshev_roots(n - 1, rate, MBS_CHEBYSHEV_MAX, roots);
    for (int k = 0; k < count; k++)
      if (roots[k] > x)
        approach(output, mbs_chebyshev_piece_time(smooth, roots[k]), mbs_chebyshev_value(n, smooth->c, roots[k]));
  }
  approach(output, smooth->b, smooth->values[n]);
}

/* Counts a zero of `when` at t; its sign is `side` afterwards. */
static mbs_status count_zero(mbs_reduction_state *output, const mbs_piece *piece, double t, double side) {
  const int direction = output->output->direction;
  output->side = side;
  output->passed = t;
  output->touched = fmin(output->touched, fabs(output->approach.nearest)); /* NaN: it did not turn back */
  output->approach = (mbs_approach){.t = t, .nearest = NAN};
  if (output->known || (direction != 0 && direction != (int)side)) return MBS_OK;
  if (++output->passages < output->output->count) return MBS_OK;
  return mbs_reduction_state_read_at(output, piece, t);
}

static double sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

/* Considers a value of `when` and the last possible zero before it; counts the zero if the sign has changed. */
static mbs_status consider_value(mbs_reduction_state *output, const mbs_piece *piece, double value, double zero) {
  const double side = sign(value);
  if (side == 0 || output->known) return MBS_OK;
  if (output->side == 0) {
    output->side = side;
    return MBS_OK;
  }
  return side == output->side ? MBS_OK : count_zero(output, piece, zero, side);
}

/* Considers two values of `when`. If they have different signs, finds the zero of the expression between them: regula
 * falsi with halved weights (Dowell, Jarratt, BIT 11, 1971), with every third step a bisection, so that a jump is
 * enclosed, too. Returns MBS_NOT_FINITE if the expression has a pole there, growing on both sides. */
static mbs_status consider_interval(mbs_reduction_state *output, const mbs_piece *piece, double t, double before,
                                    double t1, double after) {
  const double side = sign(after), least = between_roundings * DBL_EPSILON * fmax(fabs(t), fabs(t1));
  double low = t, high = t1, last = 0;
  mbs_status status = MBS_OK;
  if (side == 0 || output->known || output->side == 0 || side == output->side)
    return consider_value(output, piece, after, t1);
  if (sign(before) != output->side) before = output->side * DBL_MIN; /* zero, or unknown */
  const double size = growth * fmax(fabs(before), fabs(after));
  double nearest[2] = {0, 0}; /* values before and after the zero */
  for (int step = 1; step <= STEPS && high - low > least && status == MBS_OK; step++) {
    const double chord = high - after * (high - low) / (after - before);
    const double at = step % 3 && chord > low && chord < high ? chord : 0.5 * (low + high);
    status = piece->set_state(piece->context, at);
    const double value = status == MBS_OK ? mbs_law_value(piece->system, &output->output->when) : NAN;
    if (value == 0 || isnan(value)) {
      low = high = at;
    } else if (sign(value) == side) {
      high = at;
      after = nearest[1] = value;
      if (last == side) before *= 0.5;
    } else {
      low = at;
      before = nearest[0] = value;
      if (last == -side) after *= 0.5;
    }
    last = sign(value);
  }
  if (status != MBS_OK) return status;
  if (fabs(nearest[0]) > size && fabs(nearest[1]) > size)
    return mbs_reduction_state_not_finite(output, piece->system, low);
  return count_zero(output, piece, 0.5 * (low + high), side);
}

/* Evaluates `when` between the zeros of its polynomial, where the expression may have another sign, up to time `to`. *t
 * and *before are the last time and value, *k the number of the next zero. */
static mbs_status consider_between_roots(mbs_reduction_state *output, const mbs_piece *piece,
                                         const mbs_chebyshev_piece *smooth, int count, const double *roots, double to,
                                         int *k, double *t, double *before) {
  mbs_status status = MBS_OK;
  for (; *k + 1 < count && status == MBS_OK; ++*k) {
    const double middle = mbs_chebyshev_piece_time(smooth, 0.5 * (roots[*k] + roots[*k + 1]));
    if (middle >= to) break;
    if (middle <= *t || (status = piece->set_state(piece->context, middle)) != MBS_OK) continue;
    const double value = mbs_law_value(piece->system, &output->output->when);
    status = consider_interval(output, piece, *t, *before, middle, value);
    *t = middle;
    *before = value;
  }
  return status;
}

mbs_status mbs_reduction_state_update_zeros(void *user, const mbs_piece *piece, const mbs_chebyshev_piece *smooth) {
  mbs_reduction_state *output = user;
  const int n = smooth->degree;
  double roots[MBS_CHEBYSHEV_MAX], size = 0, t = smooth->a, before = smooth->values[0];
  if (output->known) return MBS_OK;
  const int count = mbs_chebyshev_roots(n, smooth->c, MBS_CHEBYSHEV_MAX, roots);
  for (int k = 0; k <= n; k++) size = fmax(size, fabs(smooth->values[k]));
  const bool from_zero = output->side == 0 && fabs(before) <= start_share * size;
  if (from_zero) output->approach.value = 0;
  /* first the beginning, where the sign may have jumped, then the inside */
  mbs_status status = from_zero ? MBS_OK : consider_value(output, piece, before, t);
  for (int i = 1, k = 0; i <= n && status == MBS_OK && !output->known; i++) {
    const double node = mbs_chebyshev_piece_time(smooth, mbs_chebyshev_node(n, i));
    status = consider_between_roots(output, piece, smooth, count, roots, node, &k, &t, &before);
    if (status == MBS_OK) status = consider_interval(output, piece, t, before, node, smooth->values[i]);
    t = node;
    before = smooth->values[i];
  }
  if (status == MBS_OK && !output->known)
    approach_along(output, smooth, count > 0 ? roots[count - 1] : from_zero ? -0.999 : -1);
  return status;
}

bool mbs_reduction_state_touches(const mbs_reduction_state *output) {
  const mbs_signal *signal = output->signal;
  const double range = touch_share * (signal->most - signal->least), span = output->model->t_end;
  const double nearest = fmin(output->touched, fabs(output->approach.nearest));
  return output->output->has_when && (nearest <= range || fabs(output->slopes.rate) * span <= range);
}

void mbs_reduction_state_describe_approach(const mbs_reduction_state *output, char *text, size_t size) {
  const mbs_approach *now = &output->approach;
  const bool to_end = now->nearing && !(fabs(now->value) >= fabs(now->nearest)), passed = !isnan(output->passed);
  const double nearest = to_end ? now->value : now->nearest, t = to_end ? now->t : now->nearest_t;
  if (passed && isnan(nearest))
    snprintf(text, size, "its last zero is at t = %.6g, and it does not approach zero again", output->passed);
  else if (passed)
    snprintf(text, size, "its last zero is at t = %.6g; after that it comes nearest at t = %.6g, where it is %.6g",
             output->passed, t, nearest);
  else if (!isnan(nearest))
    snprintf(text, size, "it comes nearest at t = %.6g, where it is %.6g", t, nearest);
  else
    snprintf(text, size, "it does not come near");
}
