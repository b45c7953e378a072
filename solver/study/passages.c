/* The polynomials of an expression's signal tell its zeros; where they are not to be trusted, the expression itself
 * does. A change of its sign is a zero, or a pole, which is none (crossings.h). */
#include "study/kept.h"

#include "equations/law.h"
#include "study/crossings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* What an expression is at the start, as a share of its values in the first interval, is zero below this. */
static const double start_share = 1e-9;
/* Zeros of a polynomial that may be wrong by this share of its values are looked for by the expression itself; which is
 * to be as good as zero there: below the second share. */
static const double zeros_error = 1e-3, zeros_share = 1e-5;
/* A zero is only touched where the rate there would change less than this share of the range in the whole motion. */
static const double touch_share = 1e-6;

void mbs_kept_begin_passages(mbs_kept *output) {
  output->passed = NAN;
  output->touched = INFINITY;
  output->approach = (mbs_approach){.t = NAN, .value = INFINITY, .nearest = NAN};
}

/* A value of `when` that is none of a passage: where it turns back without one it was near. */
static void approach(mbs_kept *output, double t, double value) {
  mbs_approach *now = &output->approach;
  if (fabs(value) > fabs(now->value) && now->nearing && !(fabs(now->value) >= fabs(now->nearest))) {
    now->nearest_t = now->t;
    now->nearest = now->value;
  }
  if (value != now->value) now->nearing = fabs(value) < fabs(now->value);
  now->t = t;
  now->value = value;
}

/* Values of `when` from x on. */
static void approach_along(mbs_kept *output, const mbs_smooth *smooth, double x) {
  const int n = smooth->degree;
  double rate[MBS_CHEBYSHEV_MAX], roots[MBS_CHEBYSHEV_MAX], around = 0;
  for (int k = 1; k <= n; k++) around += fabs(smooth->c[k]);
  if (x <= -1) approach(output, smooth->a, smooth->values[0]);
  if (n > 1 && !(fabs(smooth->c[0]) - around > fabs(output->approach.nearest))) {
    mbs_chebyshev_derivative(n, smooth->c, rate);
    const int count = mbs_chebyshev_roots(n - 1, rate, MBS_CHEBYSHEV_MAX, roots);
    for (int k = 0; k < count; k++)
      if (roots[k] > x)
        approach(output, mbs_smooth_time(smooth, roots[k]), mbs_chebyshev_value(n, smooth->c, roots[k]));
  }
  approach(output, smooth->b, smooth->values[n]);
}

/* The expression `when` has passed through zero at t, and is on side `side` now. */
static mbs_status pass(mbs_kept *output, const mbs_piece *piece, double t, double side) {
  const int direction = output->output->direction;
  output->side = side;
  output->passed = t;
  output->touched = fmin(output->touched, fabs(output->approach.nearest)); /* NaN: it did not turn back */
  output->approach = (mbs_approach){.t = t, .nearest = NAN};
  if (output->known || (direction != 0 && direction != (int)side)) return MBS_OK;
  if (++output->passages < output->output->count) return MBS_OK;
  return mbs_kept_read_at(output, piece, t);
}

static double sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

/* A value of `when`, and the last zero before it: the side that it is on, and whether that is another one. */
static mbs_status look(mbs_kept *output, const mbs_piece *piece, double value, double zero) {
  const double side = sign(value);
  if (side == 0 || output->known) return MBS_OK;
  if (output->side == 0) {
    output->side = side;
    return MBS_OK;
  }
  return side == output->side ? MBS_OK : pass(output, piece, zero, side);
}

/* Values of `when` at two instants, that are perhaps on two sides: there is a zero between them, or a pole, which is
 * none. */
static mbs_status look_between(mbs_kept *output, const mbs_piece *piece, double t, double before, double t1,
                               double after) {
  mbs_crossing crossing = {.low = t, .high = t1, .before = before, .after = after};
  const double side = sign(after);
  if (side == 0 || output->known) return MBS_OK;
  if (output->side == 0 || side == output->side) return look(output, piece, after, t1);
  if (sign(before) != output->side) crossing.before = output->side * DBL_MIN; /* zero, or not known any more */
  mbs_status status = mbs_crossing_judge(piece, &output->output->when, &crossing);
  if (status != MBS_OK) return status;
  if (!crossing.pole) return pass(output, piece, 0.5 * (crossing.low + crossing.high), side);
  output->side = side;
  return MBS_OK;
}

/* Whether the expression itself is as good as zero at all zeros of its polynomial in an interval. */
static mbs_status confirm(const mbs_kept *output, const mbs_piece *piece, const mbs_smooth *smooth, int count,
                          const double *roots, double size, bool *confirmed) {
  mbs_status status = MBS_OK;
  *confirmed = smooth->error < zeros_error * size;
  for (int k = 0; k < count && *confirmed && status == MBS_OK; k++) {
    status = piece->stand(piece->context, mbs_smooth_time(smooth, roots[k]));
    const double value = status == MBS_OK ? mbs_law_value(piece->system, &output->output->when) : NAN;
    *confirmed = fabs(value) <= fmax(zeros_share * size, 10 * smooth->error);
  }
  return status;
}

/* An interval whose polynomial is not to be trusted about zeros: by the expression itself, at the nodes and between
 * zeros of the polynomial. */
static mbs_status take_doubtful_zeros(mbs_kept *output, const mbs_piece *piece, const mbs_smooth *smooth, int count,
                                      const double *roots) {
  const int n = smooth->degree;
  double t = smooth->a, before = smooth->values[0];
  mbs_status status = MBS_OK;
  for (int i = 1, k = 0; i <= n && status == MBS_OK && !output->known; i++) {
    const double node = mbs_smooth_time(smooth, mbs_chebyshev_node(n, i));
    for (; k + 1 < count && status == MBS_OK; k++) {
      const double middle = mbs_smooth_time(smooth, 0.5 * (roots[k] + roots[k + 1]));
      if (middle >= node) break;
      if (middle <= t || (status = piece->stand(piece->context, middle)) != MBS_OK) continue;
      const double value = mbs_law_value(piece->system, &output->output->when);
      status = look_between(output, piece, t, before, middle, value);
      approach(output, middle, value);
      t = middle;
      before = value;
    }
    if (status == MBS_OK) status = look_between(output, piece, t, before, node, smooth->values[i]);
    approach(output, node, smooth->values[i]);
    t = node;
    before = smooth->values[i];
  }
  return status;
}

mbs_status mbs_kept_take_zeros(void *user, const mbs_piece *piece, const mbs_smooth *smooth) {
  mbs_kept *output = user;
  const int n = smooth->degree;
  double roots[MBS_CHEBYSHEV_MAX], size = 0, first = smooth->values[0];
  const int count = mbs_chebyshev_roots(n, smooth->c, MBS_CHEBYSHEV_MAX, roots);
  for (int k = 0; k <= n; k++) size = fmax(size, fabs(smooth->values[k]));
  const bool from_zero = output->side == 0 && fabs(first) <= start_share * size;
  if (output->known) return MBS_OK;
  if (from_zero) output->approach.value = 0;
  /* at the beginning, where the sign may have jumped, then inside */
  mbs_status status = from_zero ? MBS_OK : look_between(output, piece, smooth->a, output->last, smooth->a, first);
  bool confirmed = true;
  output->last = smooth->values[n];
  if (status == MBS_OK) status = confirm(output, piece, smooth, count, roots, size, &confirmed);
  if (status != MBS_OK) return status;
  if (!confirmed) return take_doubtful_zeros(output, piece, smooth, count, roots);
  /* after each root the side between it and the next */
  for (int k = 0; k < count && status == MBS_OK; k++) {
    const double next = k + 1 < count ? roots[k + 1] : 1;
    const double between = mbs_chebyshev_value(n, smooth->c, 0.5 * (roots[k] + next));
    const double t = mbs_smooth_time(smooth, roots[k]);
    status = look(output, piece, between, t);
  }
  if (status == MBS_OK) status = look(output, piece, smooth->values[n], smooth->b);
  if (status == MBS_OK && !output->known)
    approach_along(output, smooth, count > 0 ? roots[count - 1] : from_zero ? -0.999 : -1);
  return status;
}

bool mbs_kept_touches(const mbs_kept *output) {
  const mbs_signal *signal = output->signal;
  const double range = touch_share * (signal->most - signal->least), span = output->model->t_end;
  const double nearest = fmin(output->touched, fabs(output->approach.nearest));
  return output->output->has_when && (nearest <= range || fabs(output->slopes.rate) * span <= range);
}

void mbs_kept_tell_approach(const mbs_kept *output, char *text, size_t size) {
  const mbs_approach *now = &output->approach;
  const bool to_end = now->nearing && !(fabs(now->value) >= fabs(now->nearest)), passed = !isnan(output->passed);
  const double nearest = to_end ? now->value : now->nearest, t = to_end ? now->t : now->nearest_t;
  if (passed && isnan(nearest))
    snprintf(text, size, "its last zero is at t = %.6g, and it does not approach zero again", output->passed);
  else if (passed)
    snprintf(text, size, "its last zero is at t = %.6g, and its nearest value after that is %.6g at t = %.6g",
             output->passed, nearest, t);
  else if (!isnan(nearest))
    snprintf(text, size, "it has no zero; its nearest value is %.6g at t = %.6g", nearest, t);
  else
    snprintf(text, size, "it has no zero");
}
