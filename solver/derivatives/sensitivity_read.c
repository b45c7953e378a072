/* Derivatives of an expression along a tangent, by differences of its value at states near the motion, with the
 * constants of these states. Derivatives in time are along y' = f. */
#include "derivatives/sensitivity_internal.h"

#include "equations/law.h"
#include "equations/state.h"
#include "run/record.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Step of differences in time, as a share of the state's scales. */
static const double time_share = 0x1p-9;
/* Step of differences of rates by parameters. It is larger because rates are themselves differences. */
static const double bend_share = 0x1p-9;
/* A second difference above this share of the first is a corner if it does not fall with the square of the step. A
 * difference below the last share of the value is rounding. */
static const double corner_share = 1e-6, rounding = 1e-13;
/* Largest difference between the orders of a difference in time. */
static const double order_share = 1e-3;
/* Below these shares of the second difference and of the first, there is no jump of the second derivative. Above them,
 * a difference over a step shorter by the factor `shorter_factor` decides. */
static const double uneven_share = 1.0 / 64, wrong_share = 1e-9, shorter_factor = 0.125;

/* Computes the law's value at a state near the motion, whose constants the system has. */
static mbs_status read(const mbs_tangent_work *work, double t, const double *y, const mbs_law *law, double *value) {
  mbs_run_state *run = work->self->run;
  const mbs_model *model = run->model;
  mbs_status status = MBS_OK;
  mbs_dynamics_enter(work->self, y);
  if (model->has_power) {
    run->system->work = y[model->state.quadratures + MBS_WORK];
    run->system->dissipated = y[model->state.quadratures + MBS_DISSIPATED];
  }
  status = mbs_run_set_state(run, t, y, y + model->state.v);
  *value = mbs_law_value_at(run->system, law, work->mode, NULL);
  return status == MBS_OK && !isfinite(*value) ? MBS_NOT_FINITE : status;
}

/* Returns true if lanes read all inputs of a law. */
static bool is_read_by_lanes(const mbs_model *model, const mbs_law *law) {
  for (size_t i = 0; i < law->input_count; i++)
    if (!mbs_lanes_read_input(&model->inputs[law->inputs[i]])) return false;
  return true;
}

/* Computes the law's values at the current states of the lanes, from inputs that lanes read. */
static void read_by_lanes(const mbs_tangent_work *work, const mbs_fd_step *along, const mbs_law *law,
                          double values[MBS_FD_POINTS]) {
  mbs_system *system = work->self->run->system;
  double read[MBS_LANES_MAX];
  for (size_t i = 0; i < law->input_count; i++) {
    mbs_lanes_read(work->lanes, &system->model->inputs[law->inputs[i]], read);
    for (size_t k = 0; k < MBS_FD_POINTS; k++) work->inputs[k * system->model->input_max + i] = read[k];
  }
  for (size_t k = 0; k < MBS_FD_POINTS; k++) {
    system->constants = along->displaced[k];
    values[k] = mbs_law_value_at(system, law, work->mode, work->inputs + k * system->model->input_max);
  }
}

mbs_status mbs_tangent_read_lanes(const mbs_tangent_work *work, const mbs_fd_step *along, double t, double rate,
                                  const double *y, const double *s, const mbs_law *law, double values[MBS_FD_POINTS]) {
  mbs_run_state *run = work->self->run;
  mbs_system *system = run->system;
  mbs_status status = mbs_tangent_displace_lanes(work, along, t, rate, y, s);
  if (run->observer->velocities) mbs_lanes_set_velocity(work->lanes);
  const bool by_lanes = is_read_by_lanes(run->model, law);
  if (by_lanes && status == MBS_OK) read_by_lanes(work, along, law, values);
  for (int k = 0; k < MBS_FD_POINTS && status == MBS_OK; k++) {
    if (!by_lanes) {
      system->t = t + mbs_fd_offsets[k] * along->step * rate;
      system->constants = along->displaced[k];
      mbs_lanes_extract(work->lanes, k, system);
      values[k] = mbs_law_value_at(system, law, work->mode, NULL);
    }
    if (!isfinite(values[k])) status = MBS_NOT_FINITE;
  }
  return status;
}

/* Returns a step in time from y, whose rate is f. */
static double time_step(const mbs_tangent_work *work, const double *y, const double *f) {
  return time_share / fmax(mbs_tangent_extent(work, y, f), 1 / work->constants->time);
}

/* Computes the rate of the law in time at (t, y), along (1, f), with the present constants of the system. */
static mbs_status rate_of(const mbs_tangent_work *work, double t, const double *y, const mbs_law *law, double *f,
                          double *out) {
  double values[MBS_FD_POINTS] = {0};
  mbs_status status = mbs_tangents_rates(work, t, y, f);
  const double step = time_step(work, y, f);
  for (int k = 0; k < MBS_FD_POINTS && status == MBS_OK; k++) {
    const double offset = mbs_fd_offsets[k] * step;
    for (size_t i = 0; i < work->n; i++) work->y[i] = y[i] + offset * f[i];
    status = read(work, t + offset, work->y, law, &values[k]);
  }
  *out = mbs_central_difference(values, step);
  return status;
}

bool mbs_tangent_reads_lanes(const mbs_tangent_work *work) { return work->lanes && !work->self->run->observer->forces; }

/* Returns the stored state at time t of a step; interpolates it if necessary. */
static mbs_interior_state *interior_state_at(const mbs_observed_step *piece, double t) {
  mbs_tangent_work *work = mbs_tangent_work_of(piece->self);
  for (size_t i = 0; i < work->interior_count && i < MBS_INTERIOR_STATES; i++)
    if (work->interior[i].t == t) return &work->interior[i];
  mbs_interior_state *interior = &work->interior[work->interior_count++ % MBS_INTERIOR_STATES];
  interior->t = t;
  interior->law = interior->gradient_law = NULL;
  piece->step->state(piece->step, t, interior->y);
  return interior;
}

/* Sets the direction of a difference, s_j + rate y'. Returns the state at t. */
static const double *direction_at(const mbs_observed_step *piece, double t, int tangent, double rate,
                                  mbs_status *status) {
  mbs_dynamics *self = piece->self;
  const mbs_tangent_work *work = mbs_tangent_work_of(self);
  const double *y = interior_state_at(piece, t)->y;
  for (size_t i = 0; i < work->n; i++) work->direction[i] = tangent < 0 ? 0 : y[((size_t)tangent + 1) * work->n + i];
  *status = MBS_OK;
  if (rate == 0) return y;
  mbs_dynamics_enter(self, y);
  *status = mbs_tangents_rates(work, t, y, work->rate);
  for (size_t i = 0; i < work->n; i++) work->direction[i] += rate * work->rate[i];
  return y;
}

/* Computes the k-th state of a difference over `step` along s. Returns its time. If `fd` is NULL, parameters do not
 * change. */
static double displace(const mbs_tangent_work *work, const mbs_fd_step *fd, int k, double t, double rate, double step,
                       const double *y, const double *s, double *out) {
  const double by = mbs_fd_offsets[k] * step;
  if (fd)
    mbs_tangent_displace(work, fd, k, y, s, out);
  else
    for (size_t i = 0; i < work->n; i++) out[i] = y[i] + by * s[i];
  return t + by * rate;
}

/* Sets *step. Returns false if no step is possible. */
static bool find_step(const mbs_tangent_work *work, mbs_fd_step *fd, const double *y, const double *s, double *step) {
  if (!fd) {
    *step = time_step(work, y, s);
    return true;
  }
  if (!mbs_fd_step_choose(work, fd, y, s)) return false;
  *step = fd->step;
  return true;
}

/* Returns the level below which a difference is rounding, or negligible as given by `nothing`. */
static double floor_of(const mbs_tangent_difference *of, double nothing) {
  return fmax(rounding * fabs(of->centre), nothing);
}

/* Returns true if a difference gives a derivative: there is no corner, and in time its orders agree. */
static bool is_smooth(const mbs_tangent_difference *of, double nothing, bool in_time) {
  const double floor = floor_of(of, nothing);
  if (of->bend > corner_share * fabs(of->near) + floor && of->far_bend < mbs_corner_growth * of->bend) return false;
  return !in_time ||
         fabs(of->near - of->far) <= order_share * fmax(fabs(of->near), time_share * fabs(of->centre)) + floor;
}

/* Estimates the error of a difference. The error of the fourth order is about the square of that of the second order,
 * as a share; the fourth difference is at least the rounding of eight values. theory (19.13) */
static double doubt_of(const mbs_tangent_work *work, const double *y, const double *s, const mbs_tangent_difference *of,
                       const double values[MBS_FD_POINTS], double step) {
  const double near = fabs(of->near), centre = of->centre, order = fabs(of->near - of->far) / 3;
  const double fourth = fabs(values[0] + values[3] - 4 * (values[1] + values[2]) + 6 * centre);
  bool same = true;
  for (int k = 0; k < MBS_FD_POINTS; k++) same &= values[k] == centre;
  if (same && mbs_tangent_extent(work, y, s) == 0) return 0;
  const double left = order < near ? order * order / near : order;
  return (left + fmax(fourth / 8, 0.5 * DBL_EPSILON * fabs(centre))) / step;
}

/* Returns true if the second derivative may jump. The error is then proportional to the step, and no corner shows. Its
 * orders differ by as much as the second difference, which otherwise happens only at an inflection of the second
 * derivative. */
static bool is_uneven(const mbs_tangent_difference *of, double nothing) {
  return fabs(of->near - of->far) > fmax(uneven_share * of->bend, wrong_share * fabs(of->near)) + floor_of(of, nothing);
}

/* Returns true if the orders differ by the third power of the step, as for smooth laws; at a jump, by the second
 * power. */
static bool falls_evenly(const mbs_tangent_difference *wide, const mbs_tangent_difference *narrow, double ratio) {
  return fabs(narrow->near - narrow->far) <= 0.5 * fabs(wide->near - wide->far) * ratio * ratio;
}

/* Computes the law's values at the points of a difference from y along s, and sets *step. */
static mbs_status read_places(const mbs_tangent_work *work, mbs_fd_step *fd, double t, double rate, const double *y,
                              const double *s, const mbs_law *law, double values[MBS_FD_POINTS], double *step) {
  if (!find_step(work, fd, y, s, step)) return MBS_NO_DERIVATIVE;
  if (fd && mbs_tangent_reads_lanes(work)) return mbs_tangent_read_lanes(work, fd, t, rate, y, s, law, values);
  mbs_status status = MBS_OK;
  for (int k = 0; k < MBS_FD_POINTS && status == MBS_OK; k++) {
    const double instant = displace(work, fd, k, t, rate, *step, y, s, work->y);
    status = read(work, instant, work->y, law, &values[k]);
  }
  return status;
}

/* Computes the law's value at t, with the constants of the run. */
static mbs_status read_centre(const mbs_observed_step *piece, double t, const mbs_law *law, double *value) {
  const mbs_tangent_work *work = mbs_tangent_work_of(piece->self);
  mbs_interior_state *interior = interior_state_at(piece, t);
  mbs_status status = MBS_OK;
  if (work->mode || interior->law != law) status = read(work, t, interior->y, law, &interior->value);
  interior->law = status == MBS_OK && !work->mode ? law : NULL;
  *value = interior->value;
  return status;
}

/* Repeats a doubtful difference over a shorter step. Returns MBS_NO_DERIVATIVE if the second derivative jumps. */
static mbs_status repeat_closer(const mbs_tangent_work *work, mbs_fd_step *fd, double t, double rate, const double *y,
                                const double *s, const mbs_law *law, const mbs_tangent_difference *wide, double step) {
  const double share = fd->share;
  double values[MBS_FD_POINTS] = {0}, shorter_step = 0;
  fd->share *= shorter_factor;
  mbs_status status = read_places(work, fd, t, rate, y, s, law, values, &shorter_step);
  fd->share = share;
  if (status != MBS_OK) return status;
  const mbs_tangent_difference narrow = mbs_tangent_difference_of(values, wide->centre);
  return falls_evenly(wide, &narrow, shorter_step / step) ? MBS_OK : MBS_NO_DERIVATIVE;
}

mbs_status mbs_tangent_read_slope(const mbs_tangent_work *work, mbs_fd_step *fd, double t, double rate, const double *y,
                                  const double *s, const mbs_law *law, double centre, double nothing, mbs_slope *out) {
  double values[MBS_FD_POINTS] = {0}, step = 0;
  mbs_status status = read_places(work, fd, t, rate, y, s, law, values, &step);
  if (status != MBS_OK) return status;
  const mbs_tangent_difference difference = mbs_tangent_difference_of(values, centre);
  if (!is_smooth(&difference, nothing, !fd)) return MBS_NO_DERIVATIVE;
  if (fd && is_uneven(&difference, nothing)) status = repeat_closer(work, fd, t, rate, y, s, law, &difference, step);
  *out = (mbs_slope){mbs_central_difference(values, step), doubt_of(work, y, s, &difference, values, step)};
  return status;
}

mbs_status mbs_tangents_slope(void *context, double t, const mbs_law *law, const double *mode, int tangent, double rate,
                              double nothing, mbs_slope *out) {
  const mbs_observed_step *piece = context;
  mbs_tangent_work *work = mbs_tangent_work_of(piece->self);
  work->mode = mode;
  mbs_fd_step *fd = tangent < 0 ? NULL : &work->tangents->of[tangent].reads;
  double centre = 0;
  mbs_status status;
  const double *y = direction_at(piece, t, tangent, rate, &status);
  mbs_tangents_restore_constants(work);
  if (status == MBS_OK) status = read_centre(piece, t, law, &centre);
  if (status == MBS_OK && tangent >= 0 && rate == 0 && !mode &&
      mbs_law_gradient_along(work, interior_state_at(piece, t), law, nothing, (size_t)tangent, out)) {
    mbs_tangents_restore_constants(work);
    return MBS_OK;
  }
  if (status == MBS_OK)
    status = mbs_tangent_read_slope(work, fd, t, rate, y, work->direction, law, centre, nothing, out);
  work->mode = NULL;
  mbs_tangents_restore_constants(work);
  return status;
}

mbs_status mbs_tangents_bend(void *context, double t, const mbs_law *law, int tangent, double *out) {
  const mbs_observed_step *piece = context;
  const mbs_tangent_work *work = mbs_tangent_work_of(piece->self);
  double rates[MBS_FD_POINTS] = {0}, step = 0;
  mbs_status status;
  const double rate = tangent < 0 ? 1 : 0;
  const double *y = direction_at(piece, t, tangent, rate, &status);
  mbs_fd_step *along = tangent < 0 ? NULL : &work->tangents->of[tangent].reads;
  const double share = tangent < 0 ? 0 : along->share;
  if (tangent >= 0) along->share = bend_share;
  if (status == MBS_OK && !find_step(work, along, y, work->direction, &step)) status = MBS_NO_DERIVATIVE;
  if (tangent >= 0) along->share = share;
  for (int k = 0; k < MBS_FD_POINTS && status == MBS_OK; k++) {
    const double instant = displace(work, along, k, t, rate, step, y, work->direction, work->displaced);
    mbs_dynamics_enter(work->self, work->displaced);
    status = rate_of(work, instant, work->displaced, law, work->f, &rates[k]);
  }
  mbs_tangents_restore_constants(work);
  if (status == MBS_OK) *out = mbs_central_difference(rates, step);
  return status;
}

const double *mbs_tangents_at(void *context, double t, size_t *stride) {
  const mbs_observed_step *piece = context;
  const mbs_tangent_work *work = mbs_tangent_work_of(piece->self);
  *stride = work->n;
  return interior_state_at(piece, t)->y + work->n;
}
