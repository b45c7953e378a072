/* Extremes of an expression: where its rate vanishes, or at ends of the motion's pieces, before and after each
 * event. */
#include "study/reduction_state.h"

#include "equations/law.h"

#include <float.h>
#include <math.h>

/* Extremes are equal, and the first one counts, if they differ by less than the first share of the signal's size or
 * range, whichever is smaller. Differences below the second share of the size (rounding) or the third of the range
 * (noise of zeros) are ignored. */
static const double equal_share = 1e-9, rounding_share = 4 * DBL_EPSILON, zero_share = 1e-12;
/* A signal whose range is below this share of its size is constant up to rounding. */
static const double constant_share = 1e-12;
/* A second derivative by the interval's half below this share of the signal's change in the interval is zero. */
static const double flat_share = 1e-6;
/* Two instants of an extreme are different if they are farther apart than this share of the motion. Their values are
 * equally extreme if they differ by less than the second share of the range; then either may determine the
 * derivatives. */
static const double apart_share = 1e-6, tie_share = 1e-7;

static double sign_of(const mbs_reduction_state *output) {
  return output->output->take == MBS_REDUCE_MIN || output->output->take == MBS_REDUCE_TIME_OF_MIN ? -1 : 1;
}

/* Returns true if a value is beyond the extreme so far. */
static bool exceeds(const mbs_reduction_state *output, double value) {
  const double range = output->signal->most - output->signal->least;
  if (!output->known) return true;
  if (!(sign_of(output) * (value - output->value) > zero_share * range)) return false; /* the usual case */
  const double size = fmax(fabs(value), fabs(output->value));
  const double equal = fmax(fmax(equal_share * fmin(size, range), rounding_share * size), zero_share * range);
  return sign_of(output) * (value - output->value) > equal;
}

/* Returns true if a value exceeds the extreme, or if the signal still rises to it from the extreme so far, which was
 * only the end of an interval. */
static bool reaches(const mbs_reduction_state *output, double value, bool rising) {
  const double range = output->signal->most - output->signal->least;
  return exceeds(output, value) ||
         (rising && sign_of(output) * (value - output->value) > rounding_share * fmax(fabs(value), range));
}

static void keep_extreme(mbs_reduction_state *output, double t, double value) {
  output->value = value + 0.0; /* not -0 */
  output->flat = false;
  output->time = t;
  output->known = true;
  mbs_reduction_gradient_set_time(&output->slopes, t);
}

/* Keeps an extreme at an end of an interval. The interval of an expression with branches may end where another branch
 * begins, and there the derivatives may jump; finite differences decide unless a larger extreme follows. At an end of
 * the motion the expression has its derivatives if it has this value there (`own`), too. */
static void keep_end(mbs_reduction_state *output, double t, double value, bool own) {
  keep_extreme(output, t, value);
  const bool fixed = t == output->model->t_start || t == output->model->t_end;
  if (output->slopes.count == 0 || output->signal->branches.switches == 0 || (fixed && own)) return;
  output->slopes.stale = false;
  output->slopes.ambiguous = true;
  output->slopes.ambiguous_value = value;
}

/* Returns true if derivatives are requested and a value equals the extreme at another instant, up to the error of the
 * motion. */
static bool is_tie(const mbs_reduction_state *output, double t, double value) {
  const double range = output->signal->most - output->signal->least;
  const double span = output->model->t_end - output->model->t_start;
  return output->slopes.count > 0 && output->known && fabs(t - output->time) > apart_share * span &&
         fabs(value - output->value) <= tie_share * range;
}

static void note_tie(mbs_reduction_state *output, double t, double value) {
  if (is_tie(output, t, value)) mbs_reduction_gradient_add_tie(&output->slopes, t);
}

/* Marks the derivatives as ambiguous if there is a tie at the end of the motion. Derivatives at such a tie are not
 * compared; finite differences decide. */
static void note_tie_at_end(mbs_reduction_state *output, double t, double value) {
  const mbs_model *model = output->model;
  if (t < model->t_end - apart_share * (model->t_end - model->t_start) || !is_tie(output, t, value)) return;
  output->slopes.ambiguous = true;
  output->slopes.ambiguous_value = value;
}

void mbs_reduction_state_consider(mbs_reduction_state *output, double t, double value) {
  if (exceeds(output, value)) keep_end(output, t, value, false);
}

/* Returns true if the derivative of a rate of this degree is zero at x, relative to the signal's change in the
 * interval. */
static bool is_flat(int degree, const double *rate, double x, double change) {
  double second[MBS_CHEBYSHEV_MAX];
  if (degree < 1) return true;
  mbs_chebyshev_derivative(degree, rate, second);
  return fabs(mbs_chebyshev_value(degree - 1, second, x)) <= flat_share * change;
}

/* Computes the value at an end of an interval from the expression itself: held branches may continue slightly beyond a
 * kink. If the expression has already jumped at that instant, evaluates it a little further inside; else sets *own. */
static mbs_status end_value(const mbs_reduction_state *output, const mbs_piece *piece,
                            const mbs_chebyshev_piece *smooth, bool last, double *value, bool *own) {
  static const double shares[] = {0, 0x1p-50, 0x1p-44, 0x1p-38};
  *own = false;
  const double held = *value, range = output->signal->most - output->signal->least;
  const double near = fmax(equal_share * range, rounding_share * fabs(held));
  for (size_t k = 0; smooth->held && k < sizeof shares / sizeof *shares; k++) {
    const double inside = shares[k] * (smooth->b - smooth->a);
    mbs_status status = piece->set_state(piece->context, last ? smooth->b - inside : smooth->a + inside);
    if (status != MBS_OK) return status;
    const double found = mbs_law_value(piece->system, output->of);
    if (!(fabs(found - held) <= near)) continue;
    *value = found;
    *own = k == 0;
    return MBS_OK;
  }
  return MBS_OK;
}

mbs_status mbs_reduction_state_update_extreme(void *user, const mbs_piece *piece, const mbs_chebyshev_piece *smooth) {
  mbs_reduction_state *output = user;
  const int n = smooth->degree;
  double rate[MBS_CHEBYSHEV_MAX], roots[MBS_CHEBYSHEV_MAX];
  double first_value = smooth->values[0], last_value = smooth->values[n];
  bool own = false;
  mbs_status ends = MBS_OK;
  if (exceeds(output, first_value)) ends = end_value(output, piece, smooth, false, &first_value, &own);
  if (ends != MBS_OK) return ends;
  if (exceeds(output, first_value)) keep_end(output, smooth->a, first_value, own);
  bool rising = output->time == smooth->a;
  double beyond = 0;
  for (int k = 1; k <= n; k++) beyond += fabs(smooth->c[k]);
  if (n > 1 && (rising || exceeds(output, smooth->c[0] + sign_of(output) * beyond))) {
    mbs_chebyshev_derivative(n, smooth->c, rate);
    const int count = mbs_chebyshev_roots(n - 1, rate, MBS_CHEBYSHEV_MAX, roots);
    for (int k = 0; k < count; k++) {
      const bool first = rising;
      rising = false;
      if (!reaches(output, mbs_chebyshev_value(n, smooth->c, roots[k]), first)) {
        note_tie(output, mbs_chebyshev_piece_time(smooth, roots[k]), mbs_chebyshev_value(n, smooth->c, roots[k]));
        continue;
      }
      const double t = mbs_chebyshev_piece_time(smooth, roots[k]);
      mbs_status status = piece->set_state(piece->context, t);
      if (status != MBS_OK) return status;
      const double value = mbs_law_value(piece->system, output->of);
      if (!reaches(output, value, first)) {
        note_tie(output, t, value);
        continue;
      }
      keep_extreme(output, t, value);
      output->flat = is_flat(n - 1, rate, roots[k], beyond);
    }
  }
  note_tie_at_end(output, smooth->b, last_value);
  if (!reaches(output, last_value, rising)) return MBS_OK;
  ends = end_value(output, piece, smooth, true, &last_value, &own);
  if (ends == MBS_OK && reaches(output, last_value, rising)) keep_end(output, smooth->b, last_value, own);
  return ends;
}

bool mbs_reduction_state_is_constant(const mbs_reduction_state *output) {
  const mbs_signal *signal = output->signal;
  return signal->most - signal->least <= constant_share * fmax(fabs(signal->least), fabs(signal->most));
}

bool mbs_reduction_state_is_inside(const mbs_reduction_state *output) {
  const mbs_model *model = output->model;
  const double t = output->slopes.time, margin = apart_share * (model->t_end - model->t_start);
  return t > model->t_start + margin && t < model->t_end - margin;
}

bool mbs_reduction_state_is_ambiguous(const mbs_reduction_state *output) {
  const double range = output->signal->most - output->signal->least;
  return output->slopes.ambiguous && fabs(output->slopes.ambiguous_value - output->value) <= tie_share * range;
}
