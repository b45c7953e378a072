/* Extremes are where the rate of an expression vanishes, or at ends of the motion's pieces, which are before and after
 * each event; integrals are those of its polynomials. */
#include "study/takes.h"

#include "analyses/tangents.h"
#include "equations/law.h"
#include "study/crossings.h"
#include "study/signal.h"
#include "study/take_slopes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Extremes that differ by less, as a share of the signal's size or of its range, the smaller one, are equal: the first
 * one counts. Nothing below the second share of the size, which is rounding, or below the third of the range, which is
 * where zeros of the signal are alike, makes a difference. */
static const double equal_share = 1e-9, rounding_share = 4 * DBL_EPSILON, zero_share = 1e-12;
/* A signal whose range is below this share of its size is constant but for rounding. */
static const double still_share = 1e-12;
/* A second derivative by the interval's half, as a share of the change in it, is zero below this. */
static const double flat_share = 1e-6;
/* What an expression is at the start, as a share of its values in the first interval, is zero below this. */
static const double start_share = 1e-9;
/* Zeros of a polynomial that may be wrong by this share of its values are looked for by the expression itself; which is
 * to be as good as zero there: below the second share. */
static const double zeros_error = 1e-3, zeros_share = 1e-5;
/* Instants of an extreme are two where they are farther apart than this share of the motion; and equally extreme where
 * their values part by less than the second share of the range: of either one derivatives may count. */
static const double apart_share = 1e-6, rival_share = 1e-7;
/* A zero is only touched where the rate there would change less than this share of the range in the whole motion. */
static const double touch_share = 1e-6;
/* A motion is followed to this share of its tolerance, but not below the second, nor above the third. */
static const double tolerance_share = 0.1, least_tolerance = 1e-13, largest_tolerance = 1e-9;
/* And with its tangents no more exactly than this. */
static const double followed_tolerance = 1e-10;
/* Tangents do not tell a derivative of which more than this share is in doubt, but for what is noise beside the largest
 * change that parameters make by their sizes. */
static const double doubt_share = 1e-8, noise_share = 1e-10;

typedef struct kept {
  struct mbs_takes *takes;
  const mbs_planned_output *output;
  const mbs_law *of; /* NULL: a quantity of modes */
  const mbs_signal *signal;
  bool known; /* it has its value */
  double value;
  double time;     /* of the extreme */
  bool flat;       /* the second derivative there is zero */
  double sum;      /* of the integral so far */
  double at;       /* the instant that is given */
  double side;     /* the sign of `when` so far; 0: it had none */
  double last;     /* its value at the end of the interval before */
  size_t passages; /* zeros of `when` so far, those of its direction */
  mbs_take_slopes slopes;
  double touched; /* how near to zero `when` turned back before its last zero */
  double passed;  /* when it had the last of all its zeros; NaN: there was none */
  struct approach {
    double t, value, nearest_t, nearest; /* of `when` now, and where it was nearest to zero since */
    bool nearing;
  } approach;
} kept;

struct mbs_takes {
  const mbs_model *model;
  mbs_arena *arena;
  mbs_observer observer;
  kept *outputs;       /* [count] */
  mbs_signal *signals; /* [count] */
  size_t count;
  double tolerance;
  double places[MBS_SIGNAL_PLACES]; /* of signals' first reads */
  int *reads;                       /* [as many as the laws of all outputs have inputs] what these are */
  bool begun;
  mbs_status status; /* of what ended the run here */
  mbs_error error;
};

/* ---- single states ------------------------------------------------------------------------------------------- */

static mbs_status not_finite(mbs_takes *takes, const kept *output, double t) {
  takes->status = MBS_NOT_FINITE;
  takes->error = (mbs_error){.status = MBS_NOT_FINITE, .time = t};
  snprintf(takes->error.message, sizeof takes->error.message, "the output '%s' has no finite value at t = %.9g",
           output->output->name, t);
  return MBS_NOT_FINITE;
}

/* The expression in the state that the system holds. */
static mbs_status read_value(kept *output, const mbs_system *system, double t) {
  output->value = mbs_law_value(system, output->of);
  output->known = true;
  return isfinite(output->value) ? MBS_OK : not_finite(output->takes, output, t);
}

static mbs_status read_at(kept *output, const mbs_piece *piece, double t) {
  mbs_status status = piece->stand(piece->context, fmin(fmax(t, piece->t), piece->t1));
  mbs_take_slopes_keep(&output->slopes, t);
  return status == MBS_OK ? read_value(output, piece->system, t) : status;
}

/* ---- extremes ------------------------------------------------------------------------------------------------ */

static double sign_of(const kept *output) {
  return output->output->take == MBS_TAKE_MIN || output->output->take == MBS_TAKE_TIME_OF_MIN ? -1 : 1;
}

/* Whether a value is beyond the extreme so far. */
static bool exceeds(const kept *output, double value) {
  const double range = output->signal->most - output->signal->least;
  if (!output->known) return true;
  if (!(sign_of(output) * (value - output->value) > zero_share * range)) return false; /* as nearly always */
  const double size = fmax(fabs(value), fabs(output->value));
  const double equal = fmax(fmax(equal_share * fmin(size, range), rounding_share * size), zero_share * range);
  return sign_of(output) * (value - output->value) > equal;
}

/* The same; or the signal goes on `rising` to it from the extreme so far, the end of an interval, which is none. */
static bool reaches(const kept *output, double value, bool rising) {
  const double range = output->signal->most - output->signal->least;
  return exceeds(output, value) ||
         (rising && sign_of(output) * (value - output->value) > rounding_share * fmax(fabs(value), range));
}

static void keep_extreme(kept *output, double t, double value) {
  output->value = value + 0.0; /* not -0 */
  output->flat = false;
  output->time = t;
  output->known = true;
  mbs_take_slopes_keep(&output->slopes, t);
}

/* Whether a value is the extreme so far at another instant, within what the motion's error may part. */
static void compete(kept *output, double t, double value) {
  const double range = output->signal->most - output->signal->least, span = output->takes->model->t_end;
  if (output->slopes.count == 0 || !output->known || fabs(t - output->time) <= apart_share * span) return;
  if (fabs(value - output->value) <= rival_share * range) mbs_take_slopes_rival(&output->slopes, t);
}

static void consider(kept *output, double t, double value) {
  if (exceeds(output, value)) keep_extreme(output, t, value);
}

/* Whether the derivative of a rate of this degree is zero at x, its integral changing by so much in the interval. */
static bool is_flat(int degree, const double *rate, double x, double change) {
  double second[MBS_CHEBYSHEV_MAX];
  if (degree < 1) return true;
  mbs_chebyshev_derivative(degree, rate, second);
  return fabs(mbs_chebyshev_value(degree - 1, second, x)) <= flat_share * change;
}

/* The value at an end of an interval, by the expression itself: branches that are held go on beyond a kink that is
 * there by a rounding. Where the expression is at that instant what it is beyond a jump, it is asked a little further
 * inside. */
static mbs_status end_value(const kept *output, const mbs_piece *piece, const mbs_smooth *smooth, bool last,
                            double *value) {
  static const double shares[] = {0, 0x1p-50, 0x1p-44, 0x1p-38};
  const double held = *value, range = output->signal->most - output->signal->least;
  const double near = fmax(equal_share * range, rounding_share * fabs(held));
  for (size_t k = 0; smooth->held && k < sizeof shares / sizeof *shares; k++) {
    const double inside = shares[k] * (smooth->b - smooth->a);
    mbs_status status = piece->stand(piece->context, last ? smooth->b - inside : smooth->a + inside);
    if (status != MBS_OK) return status;
    const double own = mbs_law_value(piece->system, output->of);
    if (!(fabs(own - held) <= near)) continue;
    *value = own;
    return MBS_OK;
  }
  return MBS_OK;
}

static mbs_status take_extreme(void *user, const mbs_piece *piece, const mbs_smooth *smooth) {
  kept *output = user;
  const int n = smooth->degree;
  double rate[MBS_CHEBYSHEV_MAX], roots[MBS_CHEBYSHEV_MAX];
  double first_value = smooth->values[0], last_value = smooth->values[n];
  mbs_status ends = exceeds(output, first_value) ? end_value(output, piece, smooth, false, &first_value) : MBS_OK;
  if (ends != MBS_OK) return ends;
  consider(output, smooth->a, first_value);
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
        compete(output, mbs_smooth_time(smooth, roots[k]), mbs_chebyshev_value(n, smooth->c, roots[k]));
        continue;
      }
      const double t = mbs_smooth_time(smooth, roots[k]);
      mbs_status status = piece->stand(piece->context, t);
      if (status != MBS_OK) return status;
      const double value = mbs_law_value(piece->system, output->of);
      if (!reaches(output, value, first)) {
        compete(output, t, value);
        continue;
      }
      keep_extreme(output, t, value);
      output->flat = is_flat(n - 1, rate, roots[k], beyond);
    }
  }
  if (!reaches(output, last_value, rising)) return MBS_OK;
  ends = end_value(output, piece, smooth, true, &last_value);
  if (ends == MBS_OK && reaches(output, last_value, rising)) keep_extreme(output, smooth->b, last_value);
  return ends;
}

/* ---- integrals ----------------------------------------------------------------------------------------------- */

static mbs_status take_integral(void *user, const mbs_piece *piece, const mbs_smooth *smooth) {
  kept *output = user;
  const double half = 0.5 * (smooth->b - smooth->a);
  if (output->slopes.count) {
    mbs_status status = mbs_take_slopes_integrate(&output->slopes, output->output, piece, smooth);
    if (status != MBS_OK) return status;
  }
  output->sum += half * (output->output->take == MBS_TAKE_RMS ? mbs_chebyshev_square_integral(smooth->degree, smooth->c)
                                                              : mbs_chebyshev_integral(smooth->degree, smooth->c));
  output->known = true;
  return MBS_OK;
}

/* ---- zeros --------------------------------------------------------------------------------------------------- */

/* A value of `when` that is none of a passage: where it turns back without one it was near. */
static void approach(kept *output, double t, double value) {
  struct approach *now = &output->approach;
  if (fabs(value) > fabs(now->value) && now->nearing && !(fabs(now->value) >= fabs(now->nearest))) {
    now->nearest_t = now->t;
    now->nearest = now->value;
  }
  if (value != now->value) now->nearing = fabs(value) < fabs(now->value);
  now->t = t;
  now->value = value;
}

/* Values of `when` from x on. */
static void approach_along(kept *output, const mbs_smooth *smooth, double x) {
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
static mbs_status pass(kept *output, const mbs_piece *piece, double t, double side) {
  const int direction = output->output->direction;
  output->side = side;
  output->passed = t;
  output->touched = fmin(output->touched, fabs(output->approach.nearest)); /* NaN: it did not turn back */
  output->approach = (struct approach){.t = t, .nearest = NAN};
  if (output->known || (direction != 0 && direction != (int)side)) return MBS_OK;
  if (++output->passages < output->output->count) return MBS_OK;
  return read_at(output, piece, t);
}

static double sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

/* A value of `when`, and the last zero before it: the side that it is on, and whether that is another one. */
static mbs_status look(kept *output, const mbs_piece *piece, double value, double zero) {
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
static mbs_status look_between(kept *output, const mbs_piece *piece, double t, double before, double t1, double after) {
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
static mbs_status confirm(const kept *output, const mbs_piece *piece, const mbs_smooth *smooth, int count,
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
static mbs_status take_doubtful_zeros(kept *output, const mbs_piece *piece, const mbs_smooth *smooth, int count,
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

static mbs_status take_zeros(void *user, const mbs_piece *piece, const mbs_smooth *smooth) {
  kept *output = user;
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

/* ---- the observer -------------------------------------------------------------------------------------------- */

static bool is_inside(void *user, double t, double t1) {
  const mbs_takes *takes = user;
  for (size_t i = 0; i < takes->count; i++) {
    const kept *output = &takes->outputs[i];
    if (takes->signals[i].take && !(output->output->take == MBS_TAKE_AT && output->known)) return true;
    if (output->output->take == MBS_TAKE_AT && !output->output->has_when && output->at > t && output->at < t1)
      return true;
  }
  return false;
}

/* An instant that depends on a parameter, or the motion's ends do. */
static mbs_status outside(mbs_takes *takes, const kept *output) {
  takes->status = MBS_OUT_OF_RANGE;
  takes->error = (mbs_error){.status = MBS_OUT_OF_RANGE, .time = NAN};
  snprintf(takes->error.pointer, sizeof takes->error.pointer, "%s/at", output->output->pointer);
  snprintf(takes->error.message, sizeof takes->error.message, "the run goes from t = %g to %g, and %g is not in it",
           takes->model->t_start, takes->model->t_end, output->at);
  return MBS_OUT_OF_RANGE;
}

/* Outputs that are a state of this piece. */
static mbs_status read_states(mbs_takes *takes, const mbs_piece *piece) {
  const double end = takes->model->t_end, resolution = 8 * DBL_EPSILON * fmax(fabs(end), fabs(takes->model->t_start));
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < takes->count && status == MBS_OK; i++) {
    kept *output = &takes->outputs[i];
    if (output->known || !output->of) continue;
    const mbs_planned_output *planned = output->output;
    bool at_end = piece->t1 >= end - resolution;
    if (planned->take == MBS_TAKE_FINAL && at_end) status = read_at(output, piece, piece->t1);
    if (planned->take == MBS_TAKE_INITIAL && !takes->begun) status = read_at(output, piece, piece->t);
    if (planned->take == MBS_TAKE_AT && !planned->has_when && (output->at <= piece->t1 || at_end))
      status = output->at < takes->model->t_start - resolution || output->at > end + resolution
                   ? outside(takes, output)
                   : read_at(output, piece, output->at);
  }
  takes->begun = true;
  return status;
}

/* Derivatives of what was kept in this piece. */
static mbs_status make_slopes(mbs_takes *takes, const mbs_piece *piece) {
  const mbs_model *model = takes->model;
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < takes->count && status == MBS_OK; i++) {
    kept *output = &takes->outputs[i];
    const double t = output->slopes.time, margin = apart_share * (model->t_end - model->t_start);
    const bool inside = t > model->t_start + margin && t < model->t_end - margin;
    status = mbs_take_slopes_make(&output->slopes, output->output, piece, inside, output->value);
  }
  return status;
}

static mbs_status take_piece(void *user, const mbs_piece *piece) {
  mbs_takes *takes = user;
  size_t which = 0;
  double t = NAN;
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < takes->count && status == MBS_OK && piece->t1 <= piece->t; i++)
    if (takes->signals[i].take && !takes->outputs[i].output->has_when) { /* a motion of no length */
      status = piece->stand(piece->context, piece->t);
      if (status == MBS_OK) consider(&takes->outputs[i], piece->t, mbs_law_value(piece->system, takes->outputs[i].of));
    }
  if (status == MBS_OK && piece->t1 > piece->t)
    status = mbs_signals_follow(takes->signals, takes->count, piece, takes->tolerance, &which, &t);
  if (status == MBS_NOT_FINITE && !isnan(t)) return not_finite(takes, &takes->outputs[which], t);
  if (status == MBS_OK) status = read_states(takes, piece);
  return status == MBS_OK ? make_slopes(takes, piece) : status;
}

static mbs_status take_state(void *user, const mbs_system *system) {
  mbs_takes *takes = user;
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < takes->count && status == MBS_OK; i++)
    if (takes->outputs[i].of) status = read_value(&takes->outputs[i], system, takes->model->t_start);
  return status;
}

/* What an expression reads: 0 positions alone, 1 velocities, 2 what only forces tell. */
static int level_of(const mbs_model *model, const mbs_law *law) {
  int level = 0;
  for (size_t i = 0; law && i < law->input_count; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    const bool forces = input->kind == MBS_INPUT_FORCE || input->kind == MBS_INPUT_REACTION ||
                        input->kind == MBS_INPUT_MULTIPLIER || input->kind == MBS_INPUT_ENERGY;
    const int read = forces ? 2 : input->level;
    if (read > level) level = read;
  }
  return level;
}

static mbs_status (*taker_of(const mbs_planned_output *output))(void *, const mbs_piece *, const mbs_smooth *) {
  switch (output->take) {
  case MBS_TAKE_MIN:
  case MBS_TAKE_MAX:
  case MBS_TAKE_TIME_OF_MIN:
  case MBS_TAKE_TIME_OF_MAX: return take_extreme;
  case MBS_TAKE_MEAN:
  case MBS_TAKE_RMS:
  case MBS_TAKE_INTEGRAL: return take_integral;
  case MBS_TAKE_AT: return output->has_when ? take_zeros : NULL;
  default: return NULL;
  }
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

mbs_takes *mbs_takes_new(const mbs_model *model, mbs_arena *arena) {
  mbs_takes *takes = mbs_arena_alloc(arena, 1, sizeof *takes);
  const size_t count = model->plan->output_count;
  if (!takes) return NULL;
  takes->outputs = mbs_arena_alloc(arena, count, sizeof *takes->outputs);
  takes->signals = mbs_arena_alloc(arena, count, sizeof *takes->signals);
  takes->count = count;
  takes->arena = arena;
  size_t inputs = 0;
  for (size_t i = 0; i < count; i++) {
    const mbs_planned_output *output = &model->plan->outputs[i];
    inputs += output->when.input_count + (output->of ? output->of->input_count : 0);
  }
  takes->reads = mbs_arena_alloc(arena, inputs + 1, sizeof *takes->reads);
  for (int k = 0; k < MBS_SIGNAL_PLACES; k++) takes->places[k] = mbs_signal_place(k);
  return takes->outputs && takes->signals && takes->reads ? takes : NULL;
}

/* What all signals read, one after another. */
static void say_first_reads(mbs_takes *takes) {
  mbs_first_reads *first = &takes->observer.first;
  *first = (mbs_first_reads){.places = MBS_SIGNAL_PLACES, .place = takes->places, .input = takes->reads};
  for (size_t i = 0; i < takes->count; i++) {
    mbs_signal *signal = &takes->signals[i];
    signal->first = first->inputs;
    for (size_t k = 0; signal->take && k < signal->branches.inputs; k++)
      takes->reads[first->inputs++] = signal->branches.law->inputs[k];
  }
}

bool mbs_takes_begin(mbs_takes *takes, const mbs_constants *constants) {
  const mbs_model *model = takes->model = constants->model;
  takes->observer = (mbs_observer){.user = takes, .inside = is_inside, .piece = take_piece, .state = take_state};
  takes->begun = false;
  takes->status = MBS_OK;
  takes->tolerance = fmin(fmax(tolerance_share * model->rtol, least_tolerance), largest_tolerance);
  if (model->type != MBS_DYNAMICS) takes->tolerance = least_tolerance;
  for (size_t i = 0; i < takes->count; i++) {
    const mbs_planned_output *output = &model->plan->outputs[i];
    const mbs_law *at = &output->at;
    const mbs_take_slopes rooms = takes->outputs[i].slopes;
    takes->outputs[i] = (kept){.takes = takes, .output = output, .of = output->of, .signal = &takes->signals[i]};
    takes->outputs[i].slopes = rooms;
    if (!mbs_take_slopes_begin(&takes->outputs[i].slopes, 0, takes->arena)) return false;
    takes->outputs[i].passed = NAN;
    takes->outputs[i].touched = INFINITY;
    takes->outputs[i].approach = (struct approach){.t = NAN, .value = INFINITY, .nearest = NAN};
    takes->outputs[i].at = at->constant >= 0 ? constants->numbers[at->constant] : at->value;
    const int of = level_of(model, output->of), when = output->has_when ? level_of(model, &output->when) : 0;
    const bool forces = of > 1 || when > 1;
    takes->observer.velocities |= of > 0 || when > 0;
    takes->observer.forces |= forces;
    takes->signals[i] = (mbs_signal){.branches = takes->signals[i].branches, /* with its room */
                                     .user = &takes->outputs[i],
                                     .take = taker_of(output),
                                     .breaks = output->has_when && taker_of(output) == take_zeros,
                                     .checked = forces || model->type != MBS_DYNAMICS};
    mbs_signal_begin(&takes->signals[i]);
    if (takes->signals[i].take && !mbs_branches_begin(&takes->signals[i].branches, constants,
                                                      output->has_when ? &output->when : output->of, takes->arena))
      return false;
  }
  say_first_reads(takes);
  return true;
}

bool mbs_takes_follow(mbs_takes *takes, struct mbs_tangents *tangents, size_t count) {
  takes->observer.tangents = tangents;
  takes->tolerance = fmax(takes->tolerance, followed_tolerance);
  for (size_t i = 0; i < takes->count; i++) {
    mbs_take_slopes *slopes = &takes->outputs[i].slopes;
    if (slopes->room == 0)
      mbs_take_slopes_judge(slopes, takes->outputs[i].output, takes->model->constants, takes->arena);
    if (!mbs_take_slopes_begin(slopes, count, takes->arena)) return false;
  }
  return true;
}

/* Whether a signal changes by no more than rounding: all its values are extremes, of which the first counts. */
static bool is_still(const kept *output) {
  const mbs_signal *signal = output->signal;
  return signal->most - signal->least <= still_share * fmax(fabs(signal->least), fabs(signal->most));
}

/* A zero that is touched, or nearly so before it is passed. */
static bool touches(const kept *output) {
  const mbs_signal *signal = output->signal;
  const double range = touch_share * (signal->most - signal->least), span = output->takes->model->t_end;
  const double nearest = fmin(output->touched, fabs(output->approach.nearest));
  return output->output->has_when && (nearest <= range || fabs(output->slopes.rate) * span <= range);
}

/* Whether an output has the derivatives that its tangents tell, of the value that it has. */
static bool is_told(const kept *output, double value) {
  const mbs_take_slopes *slopes = &output->slopes;
  const double range = output->signal->most - output->signal->least;
  if (touches(output) || (output->output->take == MBS_TAKE_RMS && !(value > 0))) return false;
  const bool extreme = output->output->take >= MBS_TAKE_MIN && output->output->take <= MBS_TAKE_TIME_OF_MAX;
  const bool instant = output->output->take >= MBS_TAKE_TIME_OF_MIN && extreme;
  if ((instant && (output->flat || is_still(output))) || (extreme && !(range > 1e3 * slopes->nothing))) return false;
  if (slopes->contested && fabs(slopes->contest - output->value) <= rival_share * range) return false;
  for (size_t j = 0; j < slopes->count; j++)
    if (!isfinite(slopes->row[j])) return false;
  return true;
}

/* The largest change that a parameter makes by its size. */
static double largest_change(const mbs_tangent *tangents, const mbs_take_slopes *slopes) {
  double most = 0;
  for (size_t j = 0; j < slopes->count; j++) most = fmax(most, fabs(slopes->row[j]) * tangents[j].size);
  return most;
}

/* Whether too much of a derivative is in doubt, and of more than the noise of the largest change in its row. */
static bool is_doubtful(const mbs_take_slopes *slopes, size_t j, double size, double largest) {
  const double doubt = slopes->doubts[j];
  return doubt > doubt_share * fabs(slopes->row[j]) && doubt * size > noise_share * largest;
}

bool mbs_takes_slopes(const mbs_takes *takes, const double *outputs, double *gradient) {
  const mbs_tangent *tangents = takes->observer.tangents->of;
  const double span = takes->model->t_end - takes->model->t_start;
  for (size_t i = 0; i < takes->count; i++) {
    const kept *output = &takes->outputs[i];
    const mbs_take take = output->output->take;
    if (!is_told(output, outputs[i])) return false;
    /* d mean = sum / T, d rms = sum / (2 T rms) */
    const double share = take == MBS_TAKE_MEAN ? 1 / span : take == MBS_TAKE_RMS ? 1 / (2 * span * outputs[i]) : 1;
    const mbs_take_slopes *slopes = &output->slopes;
    const double largest = largest_change(tangents, slopes);
    for (size_t j = 0; j < slopes->count; j++) {
      const bool doubtful = is_doubtful(slopes, j, tangents[j].size, largest);
      gradient[i * slopes->count + j] = doubtful ? NAN : share * slopes->row[j] + 0.0; /* not -0 */
    }
  }
  return true;
}

bool mbs_takes_flat(const mbs_takes *takes, size_t output) { return takes->outputs[output].flat; }

const mbs_observer *mbs_takes_observer(const mbs_takes *takes) { return &takes->observer; }

mbs_status mbs_takes_failed(const mbs_takes *takes, mbs_error *error) {
  if (takes->status != MBS_OK) *error = takes->error;
  return takes->status;
}

/* Where quantities of modes are. */
static const char *const mode_arrays[] = {[MBS_MODE_FREQUENCY] = "frequencies",
                                          [MBS_MODE_DAMPING_RATIO] = "damping_ratios",
                                          [MBS_MODE_REAL] = "eigenvalues",
                                          [MBS_MODE_IMAGINARY] = "eigenvalues"};

/* A quantity of modes; NaN: there are not so many. */
static double mode_value(const mbs_planned_output *output, const mbs_result *result) {
  const mbs_array *array = mbs_result_array(result, mode_arrays[output->mode]);
  if (!array || output->number >= array->shape[0]) return NAN;
  return array->data[output->number * mbs_array_columns(array) + (output->mode == MBS_MODE_IMAGINARY)];
}

static double value_of(const kept *output, const mbs_result *result) {
  const mbs_model *model = output->takes->model;
  const double span = model->t_end - model->t_start;
  if (output->output->mode) return mode_value(output->output, result);
  if (!output->known) return NAN;
  switch (output->output->take) {
  case MBS_TAKE_TIME_OF_MIN:
  case MBS_TAKE_TIME_OF_MAX: return is_still(output) ? output->takes->model->t_start : output->time;
  case MBS_TAKE_INTEGRAL: return output->sum;
  case MBS_TAKE_MEAN: return span > 0 ? output->sum / span : output->value;
  case MBS_TAKE_RMS: return span > 0 ? sqrt((output->sum < 0 ? 0 : output->sum) / span) : fabs(output->value);
  default: return output->value;
  }
}

/* How near `when` came to the zero that did not come. */
static void tell_approach(const kept *output, char *text, size_t size) {
  const struct approach *now = &output->approach;
  const bool to_end = now->nearing && !(fabs(now->value) >= fabs(now->nearest)), passed = !isnan(output->passed);
  const double nearest = to_end ? now->value : now->nearest, t = to_end ? now->t : now->nearest_t;
  if (passed && isnan(nearest))
    snprintf(text, size, "its last zero is at t = %.6g, and it does not come back", output->passed);
  else if (passed)
    snprintf(text, size, "its last zero is at t = %.6g, and after it nothing is nearer than %.6g at t = %.6g",
             output->passed, nearest, t);
  else if (!isnan(nearest))
    snprintf(text, size, "it has none; nearest is %.6g at t = %.6g", nearest, t);
  else
    snprintf(text, size, "it has none");
}

static void not_reached(const kept *output, const mbs_result *result, mbs_error *error) {
  static const char *const directions[] = {"falling ", "", "rising "};
  const mbs_planned_output *planned = output->output;
  char near[160];
  *error = (mbs_error){.status = MBS_NOT_REACHED, .time = output->takes->model->t_end};
  snprintf(error->pointer, sizeof error->pointer, "%s", planned->pointer);
  if (planned->mode) {
    const mbs_array *array = mbs_result_array(result, mode_arrays[planned->mode]);
    const size_t count = array ? array->shape[0] : 0;
    snprintf(error->message, sizeof error->message,
             "the output '%s' is number %zu of '%s', and %s %zu at this point, counted from 1", planned->name,
             planned->number + 1, mode_arrays[planned->mode], count == 1 ? "there is" : "there are", count);
    return;
  }
  tell_approach(output, near, sizeof near);
  snprintf(error->message, sizeof error->message,
           "the output '%s' is taken at %szero number %zu of '%.200s', which has %zu until the end, t = %g: %s",
           planned->name, directions[planned->direction + 1], planned->count,
           planned->when.text ? planned->when.text : "its 'when'", output->passages, error->time, near);
}

mbs_status mbs_takes_finish(const mbs_takes *takes, const mbs_result *result, double *outputs, mbs_error *error) {
  for (size_t i = 0; i < takes->count; i++) {
    const mbs_planned_output *output = takes->outputs[i].output;
    outputs[i] = value_of(&takes->outputs[i], result);
    if (isfinite(outputs[i])) continue;
    if (takes->outputs[i].known) { /* a sum of what is too large */
      *error = (mbs_error){.status = MBS_NOT_FINITE, .time = takes->model->t_end};
      snprintf(error->message, sizeof error->message, "the output '%s' has no finite value", output->name);
      return MBS_NOT_FINITE;
    }
    not_reached(&takes->outputs[i], result, error);
    return MBS_NOT_REACHED;
  }
  return MBS_OK;
}
