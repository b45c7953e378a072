/* Values are those of the expression in a state; extremes and zeros have files of their own, extremes.c and passages.c;
 * integrals are those of the signal's polynomials. */
#include "study/takes.h"

#include "base/message.h"
#include "batch/lane_finder.h"
#include "derivatives/tangents.h"
#include "equations/law.h"
#include "model/report_times.h"
#include "study/followed_modes.h"
#include "study/kept.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* A motion is followed to this share of its tolerance, but not below the second, nor above the third. */
static const double tolerance_share = 0.1, least_tolerance = 1e-13, largest_tolerance = 1e-9;
/* And with its tangents no more exactly than this. */
static const double followed_tolerance = 1e-10;
/* Tangents do not tell a derivative of which more than this share is in doubt, but for what is noise beside the largest
 * change that parameters make by their sizes. */
static const double doubt_share = 1e-8, noise_share = 1e-10;

/* The instant of a flat extreme is in doubt by this share of the motion. */
static const double flat_share = 1e-3;

struct mbs_takes {
  const mbs_model *model;
  mbs_arena *arena;
  mbs_observer observer;
  mbs_kept *outputs;   /* [count] */
  mbs_signal *signals; /* [count] */
  size_t count;
  double tolerance;
  double places[MBS_SIGNAL_PLACES]; /* of signals' first reads */
  int *reads;                       /* [as many as the laws of all outputs have inputs] what these are */
  bool begun;
  mbs_followed_modes *modes; /* NULL: none are followed */
  mbs_error error;           /* what ended the run here */
};

/* ---- integrals ----------------------------------------------------------------------------------------------- */

static mbs_status take_integral(void *user, const mbs_piece *piece, const mbs_smooth *smooth) {
  mbs_kept *output = user;
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

/* ---- the observer -------------------------------------------------------------------------------------------- */

static bool is_inside(void *user, double t, double t1) {
  const mbs_takes *takes = user;
  for (size_t i = 0; i < takes->count; i++) {
    const mbs_kept *output = &takes->outputs[i];
    if (takes->signals[i].take && !(output->output->take == MBS_TAKE_AT && output->known)) return true;
    if (output->output->take == MBS_TAKE_AT && !output->output->has_when && output->at > t && output->at < t1)
      return true;
  }
  return false;
}

/* An instant that depends on a parameter, or the motion's ends do. */
static mbs_status outside(mbs_takes *takes, const mbs_kept *output) {
  takes->error = (mbs_error){.status = MBS_OUT_OF_RANGE, .time = NAN};
  snprintf(takes->error.pointer, sizeof takes->error.pointer, "%s/at", output->output->pointer);
  mbs_message(takes->error.message, sizeof takes->error.message,
              "the run covers t = %g to %g, which does not include t = %g", takes->model->t_start, takes->model->t_end,
              output->at);
  return MBS_OUT_OF_RANGE;
}

/* From where on a piece ends where the motion does. */
static double end_of(const mbs_takes *takes) { return takes->model->t_end - mbs_time_resolution(takes->model); }

/* Outputs that are a state of this piece. */
static mbs_status read_states(mbs_takes *takes, const mbs_piece *piece) {
  const double end = takes->model->t_end, resolution = mbs_time_resolution(takes->model);
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < takes->count && status == MBS_OK; i++) {
    mbs_kept *output = &takes->outputs[i];
    if (output->known || !output->of) continue;
    const mbs_planned_output *planned = output->output;
    bool at_end = piece->t1 >= end_of(takes);
    if (planned->take == MBS_TAKE_FINAL && at_end) status = mbs_kept_read_at(output, piece, piece->t1);
    if (planned->take == MBS_TAKE_INITIAL && !takes->begun) status = mbs_kept_read_at(output, piece, piece->t);
    if (planned->take == MBS_TAKE_AT && !planned->has_when && (output->at <= piece->t1 || at_end))
      status = output->at < takes->model->t_start - resolution || output->at > end + resolution
                   ? outside(takes, output)
                   : mbs_kept_read_at(output, piece, output->at);
  }
  takes->begun = true;
  return status;
}

/* The value of an expression itself at an instant, which its signal does not have if it jumps there. */
static mbs_status consider_instant(mbs_kept *output, mbs_signal *signal, const mbs_piece *piece, double t) {
  mbs_status status = piece->stand(piece->context, t);
  const double value = status == MBS_OK ? mbs_law_value(piece->system, output->of) : NAN;
  if (!isfinite(value)) return status;
  mbs_kept_consider(output, t, value);
  if (output->time != t) return status; /* no extreme */
  signal->least = fmin(signal->least, value);
  signal->most = fmax(signal->most, value);
  return status;
}

/* Extremes at the ends of the motion: neither `initial` nor `final` lies beyond them. */
static mbs_status consider_ends(mbs_takes *takes, const mbs_piece *piece) {
  const bool begins = !takes->begun, ends = piece->t1 >= end_of(takes);
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < takes->count && status == MBS_OK && (begins || ends); i++) {
    mbs_kept *output = &takes->outputs[i];
    if (takes->signals[i].take != mbs_kept_take_extreme) continue;
    mbs_signal *signal = &takes->signals[i];
    if (begins) status = consider_instant(output, signal, piece, piece->t);
    if (ends && status == MBS_OK) status = consider_instant(output, signal, piece, piece->t1);
  }
  return status;
}

/* What outputs that follow nothing wait for: the first instant that one of them is at. */
static void wait_for_next(mbs_takes *takes) {
  double next = INFINITY;
  for (size_t i = 0; i < takes->count; i++) {
    const mbs_kept *output = &takes->outputs[i];
    if (takes->signals[i].take) return;
    if (!output->known && output->of) next = fmin(next, output->output->take == MBS_TAKE_AT ? output->at : INFINITY);
  }
  takes->observer.next = fmin(next, end_of(takes));
  takes->observer.waits = takes->observer.extension == NULL;
}

/* Derivatives of what was kept in this piece. */
static mbs_status make_slopes(mbs_takes *takes, const mbs_piece *piece) {
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < takes->count && status == MBS_OK; i++) {
    mbs_kept *output = &takes->outputs[i];
    const bool inside = mbs_kept_is_inside(output);
    const double blur = output->flat ? flat_share * (takes->model->t_end - takes->model->t_start) : 0;
    status = mbs_take_slopes_make(&output->slopes, output->output, piece, inside, output->value, blur);
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
      if (status == MBS_OK)
        mbs_kept_consider(&takes->outputs[i], piece->t, mbs_law_value(piece->system, takes->outputs[i].of));
    }
  if (status == MBS_OK && piece->t1 > piece->t)
    status = mbs_signals_follow(takes->signals, takes->count, piece, takes->tolerance, &which, &t);
  if (status == MBS_NOT_FINITE && !isnan(t)) return mbs_kept_not_finite(&takes->outputs[which], t);
  if (status == MBS_OK) status = consider_ends(takes, piece);
  if (status == MBS_OK) status = read_states(takes, piece);
  wait_for_next(takes);
  return status == MBS_OK ? make_slopes(takes, piece) : status;
}

static mbs_status take_state(void *user, const mbs_system *system) {
  mbs_takes *takes = user;
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < takes->count && status == MBS_OK; i++)
    if (takes->outputs[i].of) status = mbs_kept_read(&takes->outputs[i], system, takes->model->t_start);
  return status;
}

static mbs_status take_linear(void *user, const mbs_linearization *linear) {
  mbs_takes *takes = user;
  return mbs_followed_modes_show(takes->modes, linear) ? MBS_OK : MBS_NO_MEMORY;
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
  case MBS_TAKE_TIME_OF_MAX: return mbs_kept_take_extreme;
  case MBS_TAKE_MEAN:
  case MBS_TAKE_RMS:
  case MBS_TAKE_INTEGRAL: return take_integral;
  case MBS_TAKE_AT: return output->has_when ? mbs_kept_take_zeros : NULL;
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

void mbs_takes_follow_modes(mbs_takes *takes, mbs_followed_modes *modes) { takes->modes = modes; }

bool mbs_takes_begin(mbs_takes *takes, const mbs_constants *constants) {
  const mbs_model *model = takes->model = constants->model;
  takes->observer = (mbs_observer){
      .user = takes, .finder = &mbs_lane_finder, .inside = is_inside, .piece = take_piece, .state = take_state};
  if (takes->modes) takes->observer.linear = take_linear;
  takes->begun = false;
  takes->error.status = MBS_OK;
  takes->tolerance = fmin(fmax(tolerance_share * model->rtol, least_tolerance), largest_tolerance);
  if (model->type != MBS_DYNAMICS) takes->tolerance = least_tolerance;
  for (size_t i = 0; i < takes->count; i++) {
    const mbs_planned_output *output = &model->plan->outputs[i];
    const mbs_law *at = &output->at;
    const mbs_take_slopes rooms = takes->outputs[i].slopes;
    takes->outputs[i] = (mbs_kept){
        .model = model, .error = &takes->error, .output = output, .of = output->of, .signal = &takes->signals[i]};
    takes->outputs[i].slopes = rooms;
    if (!mbs_take_slopes_begin(&takes->outputs[i].slopes, 0, takes->arena)) return false;
    mbs_kept_begin_passages(&takes->outputs[i]);
    takes->outputs[i].at = at->constant >= 0 ? constants->numbers[at->constant] : at->value;
    const int of = level_of(model, output->of), when = output->has_when ? level_of(model, &output->when) : 0;
    const bool forces = of > 1 || when > 1;
    takes->observer.velocities |= of > 0 || when > 0;
    takes->observer.forces |= forces;
    takes->signals[i] = (mbs_signal){.branches = takes->signals[i].branches, /* with its room */
                                     .user = &takes->outputs[i],
                                     .take = taker_of(output),
                                     .finished = output->take == MBS_TAKE_AT ? &takes->outputs[i].known : NULL,
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
  assert(tangents != NULL && count > 0);
  takes->observer.extension = &mbs_tangents_extension;
  takes->observer.extended = tangents;
  takes->tolerance = fmax(takes->tolerance, followed_tolerance);
  for (size_t i = 0; i < takes->count; i++) {
    mbs_take_slopes *slopes = &takes->outputs[i].slopes;
    if (slopes->room == 0)
      mbs_take_slopes_judge(slopes, takes->outputs[i].output, takes->model->constants, takes->arena);
    if (!mbs_take_slopes_begin(slopes, count, takes->arena)) return false;
  }
  return true;
}

/* Whether an output has the derivatives that its tangents tell, of the value that it has. */
static bool is_told(const mbs_kept *output, double value) {
  const mbs_take_slopes *slopes = &output->slopes;
  const double range = output->signal->most - output->signal->least;
  if (mbs_kept_touches(output) || (output->output->take == MBS_TAKE_RMS && !(value > 0))) return false;
  const bool extreme = output->output->take >= MBS_TAKE_MIN && output->output->take <= MBS_TAKE_TIME_OF_MAX;
  const bool instant = output->output->take >= MBS_TAKE_TIME_OF_MIN && extreme;
  if ((instant && (output->flat || mbs_kept_is_still(output))) || (extreme && !(range > 1e3 * slopes->nothing)))
    return false;
  if (mbs_kept_is_contested(output)) return false;
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
  assert(takes->observer.extended != NULL);
  const mbs_tangent *tangents = ((const mbs_tangents *)takes->observer.extended)->of;
  const double span = takes->model->t_end - takes->model->t_start;
  for (size_t i = 0; i < takes->count; i++) {
    const mbs_kept *output = &takes->outputs[i];
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

bool mbs_takes_flat(const mbs_takes *takes, size_t output) {
  assert(output < takes->count);
  return takes->outputs[output].flat;
}

const mbs_observer *mbs_takes_observer(const mbs_takes *takes) { return &takes->observer; }

mbs_status mbs_takes_failed(const mbs_takes *takes, mbs_error *error) {
  if (takes->error.status != MBS_OK) *error = takes->error;
  return takes->error.status;
}

/* Where quantities of modes are. */
static const char *const mode_arrays[] = {[MBS_MODE_FREQUENCY] = "frequencies",
                                          [MBS_MODE_DAMPING_RATIO] = "damping_ratios",
                                          [MBS_MODE_REAL] = "eigenvalues",
                                          [MBS_MODE_IMAGINARY] = "eigenvalues"};

/* That of an eigenvalue. */
static double quantity_of(mbs_mode_quantity quantity, const double s[2]) {
  switch (quantity) {
  case MBS_MODE_FREQUENCY: return mbs_eigen_frequency(s);
  case MBS_MODE_DAMPING_RATIO: return mbs_eigen_damping_ratio(s);
  default: return s[quantity == MBS_MODE_IMAGINARY];
  }
}

/* A quantity of modes; NaN: there are not so many. */
static double mode_value(const mbs_takes *takes, const mbs_planned_output *output, const mbs_result *result) {
  assert(output->mode != MBS_MODE_NONE);
  const mbs_array *array = mbs_result_array(result, mode_arrays[output->mode]);
  double s[2];
  if (takes->modes && mbs_followed_modes_value(takes->modes, output->number, s)) return quantity_of(output->mode, s);
  if (!array || output->number >= array->shape[0]) return NAN;
  return array->data[output->number * mbs_array_columns(array) + (output->mode == MBS_MODE_IMAGINARY)];
}

static double value_of(const mbs_takes *takes, const mbs_kept *output, const mbs_result *result) {
  const mbs_model *model = output->model;
  const double span = model->t_end - model->t_start;
  if (output->output->mode) return mode_value(takes, output->output, result);
  if (!output->known) return NAN;
  switch (output->output->take) {
  case MBS_TAKE_TIME_OF_MIN:
  case MBS_TAKE_TIME_OF_MAX: return mbs_kept_is_still(output) ? output->model->t_start : output->time;
  case MBS_TAKE_INTEGRAL: return output->sum;
  case MBS_TAKE_MEAN: return span > 0 ? output->sum / span : output->value;
  case MBS_TAKE_RMS: return span > 0 ? sqrt((output->sum < 0 ? 0 : output->sum) / span) : fabs(output->value);
  default: return output->value;
  }
}

static void not_reached(const mbs_kept *output, const mbs_result *result, mbs_error *error) {
  static const char *const directions[] = {"falling ", "", "rising "};
  const mbs_planned_output *planned = output->output;
  char near[160];
  *error = (mbs_error){.status = MBS_NOT_REACHED, .time = output->model->t_end};
  snprintf(error->pointer, sizeof error->pointer, "%s", planned->pointer);
  if (planned->mode) {
    const mbs_array *array = mbs_result_array(result, mode_arrays[planned->mode]);
    const size_t count = array ? array->shape[0] : 0;
    mbs_message(error->message, sizeof error->message,
                "the output '%s' needs entry %zu of '%s', but %s only %zu for these parameter values", planned->name,
                planned->number + 1, mode_arrays[planned->mode], count == 1 ? "there is" : "there are", count);
    return;
  }
  mbs_kept_tell_approach(output, near, sizeof near);
  mbs_message(
      error->message, sizeof error->message,
      "the output '%s' is evaluated at %szero number %zu of '%.200s', but only %zu occur until the end, t = %g: %s",
      planned->name, directions[planned->direction + 1], planned->count,
      planned->when.text ? planned->when.text : "its 'when'", output->passages, error->time, near);
}

mbs_status mbs_takes_finish(const mbs_takes *takes, const mbs_result *result, double *outputs, mbs_error *error) {
  for (size_t i = 0; i < takes->count; i++) {
    const mbs_planned_output *output = takes->outputs[i].output;
    outputs[i] = value_of(takes, &takes->outputs[i], result);
    if (isfinite(outputs[i])) continue;
    if (takes->outputs[i].known) { /* a sum of what is too large */
      *error = (mbs_error){.status = MBS_NOT_FINITE, .time = takes->model->t_end};
      mbs_message(error->message, sizeof error->message, "the output '%s' has no finite value", output->name);
      return MBS_NOT_FINITE;
    }
    not_reached(&takes->outputs[i], result, error);
    return MBS_NOT_REACHED;
  }
  return MBS_OK;
}
