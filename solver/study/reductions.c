/* Values are those of the expression at a state. Extremes and zeros are found in extremes.c and zero_crossings.c.
 * Integrals are those of the signal's polynomials. */
#include "study/reductions.h"

#include "base/message.h"
#include "batch/lane_finder.h"
#include "derivatives/sensitivity_equations.h"
#include "equations/law.h"
#include "model/report_times.h"
#include "study/mode_tracking.h"
#include "study/reduction_state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* Accuracy of a signal as a share of the run's tolerance, with a lower and an upper limit. */
static const double tolerance_share = 0.1, least_tolerance = 1e-13, largest_tolerance = 1e-9;
/* Lower limit of that accuracy in a motion with tangents. */
static const double tangent_tolerance = 1e-10;
/* A derivative is unknown if its uncertainty exceeds this share, unless it is below the noise: the second share of the
 * largest change that a parameter makes by its size. */
static const double doubt_share = 1e-8, noise_share = 1e-10;

/* Uncertainty of the instant of a flat extreme, as a share of the motion. */
static const double flat_share = 1e-3;

struct mbs_reductions {
  const mbs_model *model;
  mbs_arena *arena;
  mbs_observer observer;
  mbs_reduction_state *outputs; /* [count] */
  mbs_signal *signals;          /* [count] */
  size_t count;
  double tolerance;
  double places[MBS_SIGNAL_PLACES]; /* places of the signals' first reads */
  int *reads;                       /* [number of inputs of all laws of outputs] inputs of the first reads */
  bool begun;
  double stopped;           /* time at which `stop_when` ended the motion; NaN: t_end is its end */
  mbs_mode_tracking *modes; /* tracked modes; NULL: none */
  mbs_error error;          /* error that ended the run in this observer */
};

/* ---- integrals ----------------------------------------------------------------------------------------------- */

static mbs_status update_integral(void *user, const mbs_piece *piece, const mbs_chebyshev_piece *smooth) {
  mbs_reduction_state *output = user;
  const double half = 0.5 * (smooth->b - smooth->a);
  if (output->slopes.count) {
    const mbs_active_branch *branches = &output->signal->branches;
    if (branches->switches && !smooth->held) return MBS_NO_DERIVATIVE;
    mbs_status status = mbs_reduction_gradient_integrate(&output->slopes, output->output, piece, smooth,
                                                         branches->switches ? branches->mode : NULL);
    if (status != MBS_OK) return status;
  }
  output->sum +=
      half * (output->output->take == MBS_REDUCE_RMS ? mbs_chebyshev_square_integral(smooth->degree, smooth->c)
                                                     : mbs_chebyshev_integral(smooth->degree, smooth->c));
  output->known = true;
  return MBS_OK;
}

/* ---- the observer -------------------------------------------------------------------------------------------- */

static bool is_inside(void *user, double t, double t1) {
  const mbs_reductions *reductions = user;
  for (size_t i = 0; i < reductions->count; i++) {
    const mbs_reduction_state *output = &reductions->outputs[i];
    if (reductions->signals[i].update && !(output->output->take == MBS_REDUCE_AT && output->known)) return true;
    if (output->output->take == MBS_REDUCE_AT && !output->output->has_when && output->at > t && output->at < t1)
      return true;
  }
  return false;
}

/* Reports an instant outside the motion; the instant or the ends of the motion may depend on a parameter. */
static mbs_status fail_outside(mbs_reductions *reductions, const mbs_reduction_state *output) {
  reductions->error = (mbs_error){.status = MBS_OUT_OF_RANGE, .time = NAN};
  snprintf(reductions->error.pointer, sizeof reductions->error.pointer, "%s/at", output->output->pointer);
  mbs_message(reductions->error.message, sizeof reductions->error.message,
              "the run covers t = %g to %g, which does not include t = %g", reductions->model->t_start,
              isnan(reductions->stopped) ? reductions->model->t_end : reductions->stopped, output->at);
  return MBS_OUT_OF_RANGE;
}

/* Returns the time from which a piece ends with the motion. */
static double end_of(const mbs_reductions *reductions) {
  return reductions->model->t_end - mbs_time_resolution(reductions->model);
}

/* Evaluates the outputs that are values at a state of this piece. */
static mbs_status read_states(mbs_reductions *reductions, const mbs_piece *piece) {
  const double end = reductions->model->t_end, resolution = mbs_time_resolution(reductions->model);
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < reductions->count && status == MBS_OK; i++) {
    mbs_reduction_state *output = &reductions->outputs[i];
    if (output->known || !output->of) continue;
    const mbs_planned_output *planned = output->output;
    bool at_end = piece->last || piece->t1 >= end_of(reductions);
    if (planned->take == MBS_REDUCE_FINAL && at_end) status = mbs_reduction_state_read_at(output, piece, piece->t1);
    if (planned->take == MBS_REDUCE_INITIAL && !reductions->begun)
      status = mbs_reduction_state_read_at(output, piece, piece->t);
    if (planned->take == MBS_REDUCE_AT && !planned->has_when && (output->at <= piece->t1 || at_end))
      status = output->at < reductions->model->t_start - resolution ||
                       output->at > (piece->last ? piece->t1 : end) + resolution
                   ? fail_outside(reductions, output)
                   : mbs_reduction_state_read_at(output, piece, output->at);
  }
  reductions->begun = true;
  return status;
}

/* Considers the value of the expression at an instant. The signal does not have it if it jumps there. */
static mbs_status consider_instant(mbs_reduction_state *output, mbs_signal *signal, const mbs_piece *piece, double t) {
  mbs_status status = piece->set_state(piece->context, t);
  const double value = status == MBS_OK ? mbs_law_value(piece->system, output->of) : NAN;
  if (!isfinite(value)) return status;
  mbs_reduction_state_consider(output, t, value);
  if (output->time != t) return status; /* the value is not an extreme */
  signal->least = fmin(signal->least, value);
  signal->most = fmax(signal->most, value);
  return status;
}

/* Considers extremes at the ends of the motion, so that neither `initial` nor `final` lies beyond them. */
static mbs_status consider_ends(mbs_reductions *reductions, const mbs_piece *piece) {
  const bool begins = !reductions->begun, ends = piece->last || piece->t1 >= end_of(reductions);
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < reductions->count && status == MBS_OK && (begins || ends); i++) {
    mbs_reduction_state *output = &reductions->outputs[i];
    if (reductions->signals[i].update != mbs_reduction_state_update_extreme) continue;
    mbs_signal *signal = &reductions->signals[i];
    if (begins) status = consider_instant(output, signal, piece, piece->t);
    if (ends && status == MBS_OK) status = consider_instant(output, signal, piece, piece->t1);
  }
  return status;
}

/* If no output follows a signal, makes the observer wait for the first instant at which an output is evaluated. */
static void wait_for_next(mbs_reductions *reductions) {
  double next = INFINITY;
  for (size_t i = 0; i < reductions->count; i++) {
    const mbs_reduction_state *output = &reductions->outputs[i];
    if (reductions->signals[i].update) return;
    if (!output->known && output->of) next = fmin(next, output->output->take == MBS_REDUCE_AT ? output->at : INFINITY);
  }
  reductions->observer.next = fmin(next, end_of(reductions));
  reductions->observer.waits = reductions->observer.extension == NULL;
}

/* Computes the derivatives for instants stored in this piece. */
static mbs_status compute_gradients(mbs_reductions *reductions, const mbs_piece *piece) {
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < reductions->count && status == MBS_OK; i++) {
    mbs_reduction_state *output = &reductions->outputs[i];
    const bool inside = mbs_reduction_state_is_inside(output);
    const double time_uncertainty =
        output->flat ? flat_share * (reductions->model->t_end - reductions->model->t_start) : 0;
    status =
        mbs_reduction_gradient_update(&output->slopes, output->output, piece, inside, output->value, time_uncertainty);
  }
  return status;
}

static mbs_status observe_piece(void *user, const mbs_piece *piece) {
  mbs_reductions *reductions = user;
  size_t which = 0;
  if (piece->last) reductions->stopped = piece->t1;
  double t = NAN;
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < reductions->count && status == MBS_OK && piece->t1 <= piece->t; i++)
    if (reductions->signals[i].update && !reductions->outputs[i].output->has_when) { /* a motion of zero length */
      status = piece->set_state(piece->context, piece->t);
      if (status == MBS_OK)
        mbs_reduction_state_consider(&reductions->outputs[i], piece->t,
                                     mbs_law_value(piece->system, reductions->outputs[i].of));
    }
  if (status == MBS_OK && piece->t1 > piece->t)
    status = mbs_signals_follow(reductions->signals, reductions->count, piece, reductions->tolerance, &which, &t);
  if (status == MBS_NOT_FINITE && !isnan(t)) {
    status = piece->set_state(piece->context, t);
    return status == MBS_OK ? mbs_reduction_state_not_finite(&reductions->outputs[which], piece->system, t) : status;
  }
  if (status == MBS_OK) status = consider_ends(reductions, piece);
  if (status == MBS_OK) status = read_states(reductions, piece);
  wait_for_next(reductions);
  return status == MBS_OK ? compute_gradients(reductions, piece) : status;
}

static mbs_status observe_state(void *user, const mbs_system *system) {
  mbs_reductions *reductions = user;
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < reductions->count && status == MBS_OK; i++)
    if (reductions->outputs[i].of)
      status = mbs_reduction_state_read(&reductions->outputs[i], system, reductions->model->t_start);
  return status;
}

static mbs_status observe_linearization(void *user, const mbs_linearization *linear) {
  mbs_reductions *reductions = user;
  return mbs_mode_tracking_update(reductions->modes, linear) ? MBS_OK : MBS_NO_MEMORY;
}

/* Returns what an expression reads: 0 positions only, 1 velocities, 2 quantities that require forces. */
static int level_of(const mbs_model *model, const mbs_law *law) {
  int level = 0;
  for (size_t i = 0; law && i < law->input_count; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    const int read = mbs_input_needs_forces(input) ? 2 : input->level;
    if (read > level) level = read;
  }
  return level;
}

static mbs_status (*update_of(const mbs_planned_output *output))(void *, const mbs_piece *,
                                                                 const mbs_chebyshev_piece *) {
  switch (output->take) {
  case MBS_REDUCE_MIN:
  case MBS_REDUCE_MAX:
  case MBS_REDUCE_TIME_OF_MIN:
  case MBS_REDUCE_TIME_OF_MAX: return mbs_reduction_state_update_extreme;
  case MBS_REDUCE_MEAN:
  case MBS_REDUCE_RMS:
  case MBS_REDUCE_INTEGRAL: return update_integral;
  case MBS_REDUCE_AT: return output->has_when ? mbs_reduction_state_update_zeros : NULL;
  default: return NULL;
  }
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

mbs_reductions *mbs_reductions_new(const mbs_model *model, mbs_arena *arena) {
  mbs_reductions *reductions = mbs_arena_alloc(arena, 1, sizeof *reductions);
  const size_t count = model->plan->output_count;
  if (!reductions) return NULL;
  reductions->outputs = mbs_arena_alloc(arena, count, sizeof *reductions->outputs);
  reductions->signals = mbs_arena_alloc(arena, count, sizeof *reductions->signals);
  reductions->count = count;
  reductions->arena = arena;
  size_t inputs = 0;
  for (size_t i = 0; i < count; i++) {
    const mbs_planned_output *output = &model->plan->outputs[i];
    inputs += output->when.input_count + (output->of ? output->of->input_count : 0);
  }
  reductions->reads = mbs_arena_alloc(arena, inputs + 1, sizeof *reductions->reads);
  for (int k = 0; k < MBS_SIGNAL_PLACES; k++) reductions->places[k] = mbs_signal_place(k);
  return reductions->outputs && reductions->signals && reductions->reads ? reductions : NULL;
}

/* Lists the inputs of all signals as first reads. */
static void set_first_reads(mbs_reductions *reductions) {
  mbs_first_reads *first = &reductions->observer.first;
  *first = (mbs_first_reads){.places = MBS_SIGNAL_PLACES, .place = reductions->places, .input = reductions->reads};
  for (size_t i = 0; i < reductions->count; i++) {
    mbs_signal *signal = &reductions->signals[i];
    signal->first = first->inputs;
    for (size_t k = 0; signal->update && k < signal->branches.inputs; k++)
      reductions->reads[first->inputs++] = signal->branches.law->inputs[k];
  }
}

void mbs_reductions_track_modes(mbs_reductions *reductions, mbs_mode_tracking *modes) { reductions->modes = modes; }

bool mbs_reductions_begin(mbs_reductions *reductions, const mbs_constants *constants) {
  const mbs_model *model = reductions->model = constants->model;
  reductions->observer = (mbs_observer){.user = reductions,
                                        .finder = &mbs_lane_finder,
                                        .inside = is_inside,
                                        .piece = observe_piece,
                                        .state = observe_state};
  if (reductions->modes) reductions->observer.linear = observe_linearization;
  reductions->begun = false;
  reductions->stopped = NAN;
  reductions->error.status = MBS_OK;
  reductions->tolerance = fmin(fmax(tolerance_share * model->rtol, least_tolerance), largest_tolerance);
  if (model->type != MBS_DYNAMICS) reductions->tolerance = least_tolerance;
  for (size_t i = 0; i < reductions->count; i++) {
    const mbs_planned_output *output = &model->plan->outputs[i];
    const mbs_law *at = &output->at;
    const mbs_reduction_gradient arrays = reductions->outputs[i].slopes;
    reductions->outputs[i] = (mbs_reduction_state){.model = model,
                                                   .error = &reductions->error,
                                                   .output = output,
                                                   .of = output->of,
                                                   .signal = &reductions->signals[i]};
    reductions->outputs[i].slopes = arrays;
    if (!mbs_reduction_gradient_begin(&reductions->outputs[i].slopes, 0, reductions->arena)) return false;
    mbs_reduction_state_begin_zeros(&reductions->outputs[i]);
    reductions->outputs[i].at = at->constant >= 0 ? constants->numbers[at->constant] : at->value;
    const int of = level_of(model, output->of), when = output->has_when ? level_of(model, &output->when) : 0;
    const bool forces = of > 1 || when > 1;
    reductions->observer.velocities |= of > 0 || when > 0;
    reductions->observer.forces |= forces;
    reductions->signals[i] =
        (mbs_signal){.branches = reductions->signals[i].branches, /* keeps its arrays */
                     .user = &reductions->outputs[i],
                     .update = update_of(output),
                     .finished = output->take == MBS_REDUCE_AT ? &reductions->outputs[i].known : NULL,
                     .checked = forces || model->type != MBS_DYNAMICS};
    mbs_signal_begin(&reductions->signals[i]);
    if (reductions->signals[i].update &&
        !mbs_active_branch_begin(&reductions->signals[i].branches, constants,
                                 output->has_when ? &output->when : output->of, reductions->arena))
      return false;
  }
  set_first_reads(reductions);
  return true;
}

bool mbs_reductions_attach_tangents(mbs_reductions *reductions, struct mbs_tangents *tangents, size_t count) {
  assert(tangents != NULL && count > 0);
  reductions->observer.extension = &mbs_tangents_extension;
  reductions->observer.extended = tangents;
  reductions->tolerance = fmax(reductions->tolerance, tangent_tolerance);
  for (size_t i = 0; i < reductions->count; i++) {
    mbs_reduction_gradient *slopes = &reductions->outputs[i].slopes;
    if (slopes->room == 0)
      mbs_reduction_gradient_init(slopes, reductions->outputs[i].output, reductions->model->constants,
                                  reductions->arena);
    if (!mbs_reduction_gradient_begin(slopes, count, reductions->arena)) return false;
  }
  return true;
}

/* Returns true if the tangents determine the derivatives of an output with this value. */
static bool is_determined(const mbs_reduction_state *output, double value) {
  const mbs_reduction_gradient *slopes = &output->slopes;
  const double range = output->signal->most - output->signal->least;
  if (mbs_reduction_state_touches(output) || (output->output->take == MBS_REDUCE_RMS && !(value > 0))) return false;
  const bool extreme = output->output->take >= MBS_REDUCE_MIN && output->output->take <= MBS_REDUCE_TIME_OF_MAX;
  const bool instant = output->output->take >= MBS_REDUCE_TIME_OF_MIN && extreme;
  if ((instant && (output->flat || mbs_reduction_state_is_constant(output))) ||
      (extreme && !(range > 1e3 * slopes->noise)))
    return false;
  if (mbs_reduction_state_is_ambiguous(output)) return false;
  for (size_t j = 0; j < slopes->count; j++)
    if (!isfinite(slopes->row[j])) return false;
  return true;
}

/* Returns the largest change that a parameter makes by its size. */
static double largest_change(const mbs_tangent *tangents, const mbs_reduction_gradient *slopes) {
  double most = 0;
  for (size_t j = 0; j < slopes->count; j++) most = fmax(most, fabs(slopes->row[j]) * tangents[j].size);
  return most;
}

/* Returns true if a derivative is too uncertain and not below the noise of its row. */
static bool is_doubtful(const mbs_reduction_gradient *slopes, size_t j, double size, double largest) {
  const double doubt = slopes->doubts[j];
  return doubt > doubt_share * fabs(slopes->row[j]) && doubt * size > noise_share * largest;
}

bool mbs_reductions_gradient(const mbs_reductions *reductions, const double *outputs, double *gradient) {
  assert(reductions->observer.extended != NULL);
  const mbs_tangent *tangents = ((const mbs_tangents *)reductions->observer.extended)->of;
  const double span = reductions->model->t_end - reductions->model->t_start;
  for (size_t i = 0; i < reductions->count; i++) {
    const mbs_reduction_state *output = &reductions->outputs[i];
    const mbs_reduction take = output->output->take;
    if (!is_determined(output, outputs[i])) return false;
    /* d mean = sum / T, d rms = sum / (2 T rms) */
    const double share = take == MBS_REDUCE_MEAN ? 1 / span : take == MBS_REDUCE_RMS ? 1 / (2 * span * outputs[i]) : 1;
    const mbs_reduction_gradient *slopes = &output->slopes;
    const double largest = largest_change(tangents, slopes);
    for (size_t j = 0; j < slopes->count; j++) {
      const bool doubtful = is_doubtful(slopes, j, tangents[j].size, largest);
      gradient[i * slopes->count + j] = doubtful ? NAN : share * slopes->row[j] + 0.0; /* not -0 */
    }
  }
  return true;
}

bool mbs_reductions_flat(const mbs_reductions *reductions, size_t output) {
  assert(output < reductions->count);
  return reductions->outputs[output].flat;
}

const mbs_observer *mbs_reductions_observer(const mbs_reductions *reductions) { return &reductions->observer; }

mbs_status mbs_reductions_error(const mbs_reductions *reductions, mbs_error *error) {
  if (reductions->error.status != MBS_OK) *error = reductions->error;
  return reductions->error.status;
}

/* Arrays that contain the quantities of modes. */
static const char *const mode_arrays[] = {[MBS_MODE_FREQUENCY] = "frequencies",
                                          [MBS_MODE_DAMPING_RATIO] = "damping_ratios",
                                          [MBS_MODE_REAL] = "eigenvalues",
                                          [MBS_MODE_IMAGINARY] = "eigenvalues"};

/* Returns the quantity of an eigenvalue. */
static double quantity_of(mbs_mode_quantity quantity, const double s[2]) {
  switch (quantity) {
  case MBS_MODE_FREQUENCY: return mbs_eigen_frequency(s);
  case MBS_MODE_DAMPING_RATIO: return mbs_eigen_damping_ratio(s);
  default: return s[quantity == MBS_MODE_IMAGINARY];
  }
}

/* Returns a quantity of modes; NaN if there are fewer modes. */
static double mode_value(const mbs_reductions *reductions, const mbs_planned_output *output, const mbs_result *result) {
  assert(output->mode != MBS_MODE_NONE);
  const mbs_array *array = mbs_result_array(result, mode_arrays[output->mode]);
  double s[2];
  if (reductions->modes && mbs_mode_tracking_value(reductions->modes, output->number, s))
    return quantity_of(output->mode, s);
  if (!array || output->number >= array->shape[0]) return NAN;
  return array->data[output->number * mbs_array_columns(array) + (output->mode == MBS_MODE_IMAGINARY)];
}

static double value_of(const mbs_reductions *reductions, const mbs_reduction_state *output, const mbs_result *result) {
  const mbs_model *model = output->model;
  const double span = (isnan(reductions->stopped) ? model->t_end : reductions->stopped) - model->t_start;
  if (output->output->mode) return mode_value(reductions, output->output, result);
  if (!output->known) return NAN;
  switch (output->output->take) {
  case MBS_REDUCE_TIME_OF_MIN:
  case MBS_REDUCE_TIME_OF_MAX: return mbs_reduction_state_is_constant(output) ? output->model->t_start : output->time;
  case MBS_REDUCE_INTEGRAL: return output->sum;
  case MBS_REDUCE_MEAN: return span > 0 ? output->sum / span : output->value;
  case MBS_REDUCE_RMS: return span > 0 ? sqrt((output->sum < 0 ? 0 : output->sum) / span) : fabs(output->value);
  default: return output->value;
  }
}

static void not_reached(const mbs_reduction_state *output, const mbs_result *result, mbs_error *error) {
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
  mbs_reduction_state_describe_approach(output, near, sizeof near);
  const char *direction = directions[planned->direction + 1], *text = planned->when.text ? planned->when.text : "when";
  char count[80] = "";
  if (output->passages > 0)
    snprintf(count, sizeof count, "has only %zu %szero%s", output->passages, direction,
             output->passages == 1 ? "" : "s");
  else if (*direction)
    snprintf(count, sizeof count, "has no %szero", direction);
  mbs_message(error->message, sizeof error->message,
              "the output '%s' needs %szero number %zu of '%.200s', which %s up to t = %g; %s", planned->name,
              direction, planned->count, text, *count ? count : "is never zero", error->time, near);
}

mbs_status mbs_reductions_finish(const mbs_reductions *reductions, const mbs_result *result, double *outputs,
                                 mbs_error *error) {
  for (size_t i = 0; i < reductions->count; i++) {
    const mbs_planned_output *output = reductions->outputs[i].output;
    outputs[i] = value_of(reductions, &reductions->outputs[i], result);
    if (isfinite(outputs[i])) continue;
    if (reductions->outputs[i].known) { /* a sum that overflowed */
      *error = (mbs_error){.status = MBS_NOT_FINITE, .time = reductions->model->t_end};
      mbs_message(error->message, sizeof error->message, "the output '%s' has no finite value", output->name);
      return MBS_NOT_FINITE;
    }
    not_reached(&reductions->outputs[i], result, error);
    return MBS_NOT_REACHED;
  }
  return MBS_OK;
}
