/* Equations of a motion with its tangents, in the form that an integrator needs: states (y, s_1 ... s_p). Along s_j,
 * with v' and lambda held constant, the residuals
 *
 *   r = h(q, v, p) - M v' + C' lambda = 0,   a = rhsA - C v' = 0
 *
 * change by dr and da. The changes of v' and lambda compensate for that; they follow from the factors of the motion:
 *
 *   M dv' - C' dlambda = dr,   C dv' = da,   dr = sum of w_k r(q + k h s_q, v + k h s_v, p_j + k h) / h,  k = -2 ... 2.
 *
 * The accuracy of the differences determines the next h (fd_step.c). After a step the tangents are projected, like the
 * state, onto the differentiated constraints:
 *
 *   C s_q + dPhi/dp = 0,   d(C v - rhsV) = 0,   along (s, 1). */
#include "derivatives/sensitivity_internal.h"

#include "equations/contacts.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "model/discrete.h"
#include "simulate/state_extension.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const int mbs_fd_offsets[MBS_FD_POINTS] = {-2, -1, 1, 2};

/* Accuracy of one entry of a tangent, as a share of the whole tangent. */
static const double entry_share = 0.1;

mbs_tangent_work *mbs_tangent_work_of(const mbs_dynamics *self) {
  const mbs_tangents *tangents = self->run->observer->extended;
  return tangents->work;
}

/* ---- states near the motion -------------------------------------------------------------------------------------- */

void mbs_tangent_displace(const mbs_tangent_work *work, const mbs_fd_step *fd, int place, const double *y,
                          const double *s, double *out) {
  assert(place >= 0 && place < MBS_FD_POINTS);
  const double step = mbs_fd_offsets[place] * fd->step;
  /* y + k h s */
  for (size_t i = 0; i < work->n; i++) out[i] = y[i] + step * s[i];
  work->self->run->system->constants = fd->displaced[place];
  mbs_dynamics_enter(work->self, out);
}

void mbs_tangents_restore_constants(const mbs_tangent_work *work) {
  work->self->run->system->constants = work->constants;
}

mbs_status mbs_tangent_displace_lanes(const mbs_tangent_work *work, const mbs_fd_step *fd, double t, double rate,
                                      const double *y, const double *s) {
  mbs_system *system = work->self->run->system;
  const mbs_model *model = system->model;
  mbs_lanes *lanes = work->lanes;
  mbs_status status = MBS_OK;
  mbs_lanes_use(lanes, fd->lanes);
  /* y + k h s */
  double steps[MBS_LANES_MAX];
  for (int k = 0; k < MBS_FD_POINTS; k++) {
    steps[k] = mbs_fd_offsets[k] * fd->step;
    lanes->t[k] = t + steps[k] * rate;
    assert(lanes->width >= MBS_FD_POINTS);
  }
  mbs_lanes_along(lanes, lanes->q, model->nq, y, s, steps);
  mbs_lanes_along(lanes, lanes->v, model->nv, y + model->state.v, s + model->state.v, steps);
  for (int k = 0; k < MBS_FD_POINTS && status == MBS_OK && model->function_count; k++) {
    system->constants = fd->displaced[k];
    status = mbs_lanes_set_functions(lanes, k, system, lanes->t[k]);
  }
  mbs_lanes_set_position(lanes);
  return status;
}

/* ---- slopes -------------------------------------------------------------------------------------------------- */

mbs_status mbs_tangents_rates(const mbs_tangent_work *work, double t, const double *y, double *dydt) {
  mbs_dynamics *self = work->self;
  mbs_status status = mbs_evaluate(self->run->system, t, y, y + self->run->model->state.v);
  if (status == MBS_OK) mbs_dynamics_rates(self, y, dydt);
  return status;
}

/* Restores the factors of the recursive solver, which belong to a position. */
static void restore_factors(const mbs_tangent_work *work, double t, const double *y) {
  mbs_system *system = work->self->run->system;
  if (!system->model->recursive || (work->lanes && work->lanes->forces)) return;
  mbs_tangents_restore_constants(work);
  mbs_set_position(system, t, y);
}

/* Computes s_j'. */
static mbs_status tangent_rates(mbs_tangent_work *work, size_t index, double t, const double *y, const double *s,
                                double *ds) {
  assert(index < work->tangents->count);
  mbs_dynamics *self = work->self;
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  const mbs_tangent_parts at = mbs_tangent_parts_of(work);
  if (work->columns) {
    mbs_tangent_columns_times(work->columns, index, s, work->change);
  } else {
    mbs_status status = mbs_tangent_differentiate(work, &work->tangents->of[index].motion, t, y, s, false);
    if (status != MBS_OK) return status;
    restore_factors(work, t, y);
  }
  /* M dv' - C' dlambda = dr, C dv' = da */
  mbs_resolve(system, work->change, work->change + at.rows);
  memcpy(ds, model->nq == model->nv ? s + model->state.v : work->change + at.positions, model->nq * sizeof *ds);
  memcpy(ds + model->state.v, system->vdot, model->nv * sizeof *ds);
  if (model->has_power && work->columns) { /* observers do not read energies */
    ds[model->state.quadratures + MBS_WORK] = ds[model->state.quadratures + MBS_DISSIPATED] = 0;
  } else if (model->has_power) {
    double driven = 0;
    for (size_t r = 0; r < model->rows; r++) driven += system->lambda[r] * work->rhsV[r];
    ds[model->state.quadratures + MBS_WORK] = work->change[at.powers] + driven;
    ds[model->state.quadratures + MBS_DISSIPATED] = work->change[at.powers + 1];
  }
  memcpy(ds + model->state.turns, work->change + at.turns, self->revolutions.count * sizeof *ds);
  return MBS_OK;
}

/* Stores the results of the motion's evaluation. */
static void store_evaluation(mbs_tangent_work *work) {
  mbs_system *system = work->self->run->system;
  const mbs_model *model = system->model;
  memcpy(work->vdot, system->vdot, model->nv * sizeof *work->vdot);
  memcpy(work->lambda, system->lambda, model->rows * sizeof *work->lambda);
  memcpy(work->rhsV, system->rhsV, model->rows * sizeof *work->rhsV);
  for (size_t i = 0; work->lanes && i < MBS_FD_POINTS * model->nv; i++)
    work->lanes->vdot[i] = system->vdot[i / MBS_FD_POINTS];
  for (size_t i = 0; work->lanes && i < MBS_FD_POINTS * model->rows; i++)
    work->lanes->lambda[i] = system->lambda[i / MBS_FD_POINTS];
  work->force = work->bias = work->force_noise = work->bias_noise = 0;
  work->measured = false;
  if (model->recursive) model->kernels->generalized_forces(system); /* the recursive solver does not compute h */
  for (size_t i = 0; i < model->nv; i++) {
    work->sizes[i] = fabs(system->h[i]) * system->v_units[i];
    work->force = fmax(work->force, work->sizes[i]);
    /* v', and the acceleration without constraints */
    const double free = system->h[i] * system->M_diagonal[i];
    work->bias = fmax(work->bias, fmax(fabs(system->vdot[i]), fabs(free)) / system->v_units[i]);
  }
}

/* Returns true if the motion is near a loss of rank, or if its masses require an iteration: f is not smooth there. */
static bool is_near(const mbs_dynamics *self) {
  const mbs_system *system = self->run->system;
  return self->near.singular || self->last.again || system->shifted || system->mass_shift > 0;
}

static mbs_status rhs(void *context, double t, const double *y, double *dydt) {
  mbs_tangent_work *work = context;
  mbs_status status = work->ode.rhs(work->self, t, y, dydt);
  if (is_near(work->self)) return MBS_NO_DERIVATIVE;
  store_evaluation(work);
  if (work->columns && !mbs_tangent_columns_fill(work, t, y)) work->columns = NULL;
  if (work->columns) restore_factors(work, t, y);
  for (size_t j = 0; j < work->tangents->count && status == MBS_OK; j++) {
    const size_t at = (j + 1) * work->n;
    status = tangent_rates(work, j, t, y, y + at, dydt + at);
  }
  mbs_tangents_restore_constants(work);
  return status;
}

/* ---- constraints --------------------------------------------------------------------------------------------- */

/* Computes Phi at a position, or C v - rhsV at a state near the motion. */
static void rows_at(const mbs_tangent_work *work, double t, const double *y, bool velocities, double *out) {
  mbs_system *system = work->self->run->system;
  const double *v = y + system->model->state.v;
  mbs_set_position(system, t, y);
  if (velocities) mbs_set_velocity(system, v);
  mbs_constraints(system, velocities ? MBS_WANT_C | MBS_WANT_RHS : MBS_WANT_PHI);
  if (velocities) mbs_jacobian_times(system, v, work->missing);
  for (size_t r = 0; r < system->model->rows; r++)
    out[MBS_FD_POINTS * r] = velocities ? work->missing[r] - system->rhsV[r] : system->Phi[r];
}

static void rows_in_lanes(const mbs_tangent_work *work, const mbs_fd_step *fd, double t, const double *y,
                          const double *s, bool velocities) {
  mbs_lanes *lanes = work->lanes;
  mbs_tangent_displace_lanes(work, fd, t, 0, y, s);
  if (velocities) mbs_lanes_set_velocity(lanes);
  mbs_lanes_constraints(lanes, velocities ? MBS_WANT_C | MBS_WANT_RHS : MBS_WANT_PHI);
  if (velocities) mbs_lanes_jacobian_times(lanes, lanes->v);
  for (size_t i = 0; i < MBS_FD_POINTS * lanes->model->rows; i++)
    work->f[i] = velocities ? lanes->rates[i] - lanes->rhsV[i] : lanes->Phi[i];
}

/* Computes work->step = -M^-1 C' S^-1 (derivative along s_j of Phi, or of C v - rhsV), with the current factors. */
static void missing_step(const mbs_tangent_work *work, const mbs_fd_step *fd, double t, const double *y,
                         const double *s, bool velocities) {
  mbs_system *system = work->self->run->system;
  if (work->lanes) rows_in_lanes(work, fd, t, y, s, velocities);
  for (int k = 0; k < MBS_FD_POINTS && !work->lanes; k++) {
    mbs_tangent_displace(work, fd, k, y, s, work->y);
    rows_at(work, t, work->y, velocities, work->f + k);
  }
  mbs_central_differences(system->model->rows, work->f, -fd->step, work->missing);
  mbs_solve_multipliers(system, work->missing);
  mbs_spread_multipliers(system, work->missing, work->step);
}

/* Differentiates p / |p|: the length of Euler parameters must not change. */
static void normalize(const mbs_tangent_work *work, const mbs_fd_step *fd, const double *y, double *s) {
  const mbs_model *model = work->self->run->model;
  if (model->nq == model->nv) return;
  for (int k = 0; k < MBS_FD_POINTS; k++) {
    mbs_tangent_displace(work, fd, k, y, s, work->y);
    model->kernels->normalize(model, work->y);
    for (size_t i = 0; i < model->nq; i++) work->f[MBS_FD_POINTS * i + (size_t)k] = work->y[i];
  }
  mbs_central_differences(model->nq, work->f, fd->step, s);
}

static void project_tangent(const mbs_tangent_work *work, const mbs_fd_step *fd, double t, const double *y, double *s) {
  const mbs_model *model = work->self->run->model;
  normalize(work, fd, y, s);
  if (!model->rows) return;
  missing_step(work, fd, t, y, s, false);
  model->kernels->rates(model, y, work->step, work->y);
  for (size_t i = 0; i < model->nq; i++) s[i] += work->y[i];
  missing_step(work, fd, t, y, s, true);
  for (size_t i = 0; i < model->nv; i++) s[model->state.v + i] += work->step[i];
}

static mbs_status project(void *context, double t, double *y) {
  const mbs_tangent_work *work = context;
  mbs_status status = work->ode.project(work->self, t, y);
  for (size_t j = 0; j < work->tangents->count && status == MBS_OK; j++) {
    double *s = y + (j + 1) * work->n;
    mbs_fd_step *fd = &work->tangents->of[j].reads; /* `motion`, the other step, is chosen for r and a */
    if (!mbs_fd_step_choose(work, fd, y, s)) status = MBS_NO_DERIVATIVE;
    if (status == MBS_OK) project_tangent(work, fd, t, y, s);
  }
  mbs_tangents_restore_constants(work);
  return status;
}

/* ---- callbacks that concern the motion alone --------------------------------------------------------------------- */

static bool blurred(void *context) {
  const mbs_tangent_work *work = context;
  return work->ode.blurred(work->self);
}

static double longest(void *context, double t, const double *y, const double *dydt) {
  const mbs_tangent_work *work = context;
  return work->ode.longest(work->self, t, y, dydt);
}

/* Sets the error scales of a tangent: changes of the state for a change of the parameter by its size, plus a share of
 * the whole tangent, because small entries need less accuracy. theory (19.11) */
static void set_units(const mbs_tangent_work *work, size_t index, const double *y) {
  assert(index < work->tangents->count);
  mbs_dynamics *self = work->self;
  const size_t at = (index + 1) * work->n;
  const double whole = entry_share * self->tolerance.rtol * mbs_tangent_extent(work, y, y + at);
  const double unit = fmax(1 / fmin(work->tangents->of[index].counted, 1e12), whole / self->tolerance.atol);
  for (size_t i = 0; i < work->n; i++) self->units[at + i] = self->units[i] * unit;
}

static mbs_status accepted(void *context, double t, const double *y) {
  const mbs_tangent_work *work = context;
  mbs_status status = work->ode.accepted(work->self, t, y);
  for (size_t j = 0; j < work->tangents->count; j++) {
    mbs_tangent *tangent = &work->tangents->of[j];
    tangent->most = fmax(tangent->most, mbs_tangent_extent(work, y, y + (j + 1) * work->n));
    set_units(work, j, y);
  }
  return status == MBS_OK && is_near(work->self) ? MBS_NO_DERIVATIVE : status;
}

static mbs_status observe(void *context, const mbs_ode_step *step) {
  mbs_tangent_work *work = context;
  work->interior_count = 0;
  return work->ode.observe(work->self, step);
}

static bool inside(void *context, double t, double t1) {
  const mbs_tangent_work *work = context;
  return work->ode.inside(work->self, t, t1);
}

/* ---- a run --------------------------------------------------------------------------------------------------- */

static bool open_work(mbs_tangent_work *work, mbs_arena *arena) {
  const mbs_model *model = work->self->run->model;
  const size_t most = work->n + model->nv + model->rows + 1;
  double **const arrays[] = {&work->y,      &work->displaced, &work->step,   &work->missing,
                             &work->rate,   &work->direction, &work->change, &work->vdot,
                             &work->lambda, &work->rhsV,      &work->sizes};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = mbs_arena_alloc(arena, most, sizeof(double)))) return false;
  for (int i = 0; i < MBS_INTERIOR_STATES; i++)
    if (!(work->interior[i].y = mbs_arena_alloc(arena, (1 + work->tangents->count) * work->n, sizeof(double))))
      return false;
  work->f = mbs_arena_alloc(arena, most, MBS_FD_POINTS * sizeof(double));
  work->still = mbs_arena_alloc(arena, most, MBS_FD_POINTS * sizeof(double));
  work->inputs = mbs_arena_alloc(arena, model->input_max + 1, MBS_FD_POINTS * sizeof(double));
  return work->f && work->still && work->inputs;
}

/* Allocates lanes, and each tangent's numbers for them. */
static bool open_lanes(mbs_tangent_work *work, mbs_arena *arena) {
  const mbs_model *model = work->self->run->model;
  for (size_t j = 0; j < work->tangents->count; j++)
    work->tangents->of[j].motion.lanes = work->tangents->of[j].reads.lanes = NULL;
  if (!mbs_lanes_supported(model) || model->nq != model->nv) return true; /* lanes assume q' = v */
  work->lanes = mbs_lanes_new(model, MBS_FD_POINTS, arena);
  if (!work->lanes) return false;
  work->lanes->host = mbs_tangent_host(work);
  for (size_t j = 0; j < work->tangents->count; j++)
    if (!(work->tangents->of[j].motion.lanes = mbs_lane_numbers_new(work->lanes, arena)) ||
        !(work->tangents->of[j].reads.lanes = mbs_lane_numbers_new(work->lanes, arena)))
      return false;
  return true;
}

/* Returns true if laws read time derivatives of inputs of signals, which have no tangents. */
static bool takes_rates(const mbs_model *model) {
  bool any = false;
  for (size_t i = 0; i < model->signal_count; i++) any |= model->signals[i].takes_rate;
  return any;
}

static bool is_smooth(const mbs_model *model) {
  return model->switch_count == 0 && !mbs_has_discrete(model) && model->memory_count == 0 && model->nz == 0 &&
         !takes_rates(model) && model->curve_count == 0 && model->feedback_count == 0 && mbs_count_margins(model) == 0;
}

static mbs_status open_tangents(mbs_dynamics *self, mbs_ode *ode) {
  mbs_run_state *run = self->run;
  mbs_arena *arena = run->system->arena;
  mbs_tangents *tangents = run->observer->extended;
  mbs_tangent_work *work = mbs_arena_alloc(arena, 1, sizeof *work);
  if (!is_smooth(run->model) || run->system->mass_shift > 0) return MBS_NO_DERIVATIVE;
  if (!work) return MBS_NO_MEMORY;
  *work = (mbs_tangent_work){
      .self = self, .tangents = tangents, .constants = run->system->constants, .ode = *ode, .n = ode->n};
  if (!open_work(work, arena) || !open_lanes(work, arena)) return MBS_NO_MEMORY;
  tangents->work = work;
  for (size_t j = 0; j < tangents->count; j++) {
    tangents->of[j].most = 0;
    mbs_tangent_begin(&tangents->of[j], j);
  }
  const size_t n = (tangents->count + 1) * ode->n;
  assert(ode->n >= run->model->state.motion);
  *ode = (mbs_ode){.context = work,
                   .n = n,
                   .n_error = n,
                   .rhs = rhs,
                   .project = ode->project ? project : NULL,
                   .longest = ode->longest ? longest : NULL,
                   .blurred = blurred,
                   .accepted = accepted,
                   .observe = observe,
                   .inside = inside};
  self->y = mbs_arena_alloc(arena, n + 1, sizeof *self->y);
  self->units = mbs_arena_alloc(arena, n + 1, sizeof *self->units);
  return self->y && self->units ? MBS_OK : MBS_NO_MEMORY;
}

static void start_tangents(const mbs_dynamics *self, double *y) {
  const mbs_model *model = self->run->model;
  const mbs_tangent_work *work = mbs_tangent_work_of(self);
  for (size_t j = 0; j < work->tangents->count; j++)
    memcpy(y + (j + 1) * work->n, work->tangents->of[j].start, model->state.motion * sizeof *y);
}

static mbs_status begin_tangents(const mbs_dynamics *self, const double *y) {
  const mbs_model *model = self->run->model;
  mbs_tangent_work *work = mbs_tangent_work_of(self);
  const size_t motion = model->state.motion;
  /* errors of work, dissipation and integrals of angles do not control the step size */
  for (size_t i = motion; i < work->n; i++) self->units[i] = 1e300;
  for (size_t j = 0; j < work->tangents->count; j++) set_units(work, j, y);
  if (!mbs_law_gradients_open(work)) return MBS_NO_MEMORY;
  return mbs_tangent_columns_open(work, y);
}

const mbs_state_extension mbs_tangents_extension = {.open = open_tangents,
                                                    .start = start_tangents,
                                                    .begin = begin_tangents,
                                                    .dense = 25,
                                                    .slope = mbs_tangents_slope,
                                                    .bend = mbs_tangents_bend,
                                                    .at = mbs_tangents_at};
