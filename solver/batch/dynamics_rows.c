/* dynamics_rows.c - rows of results inside one step, made together, a lane each: moved onto the constraints, evaluated,
 * and recorded; what has to see the state of a row finds it in the system, one after another. Where lanes suit a model
 * a row does not depend on other rows, as it is projected by factors of its own position: so it has the same bits
 * alone, on a processor without lanes, or not being ordinary. */
#include "simulate/dynamics.h"

#include "batch/lanes.h"
#include "constraints/projection.h"
#include "equations/contacts.h"
#include "equations/forces.h"
#include "equations/rounding.h"
#include "equations/solve.h"
#include "run/record.h"

/* Room for lanes costs as much as they save in so many rows; of more bodies their numbers do not fit into the fast
 * memory of a processor, and they save little. */
enum { ROWS_WORTH = 200, BODIES_MOST = 64 };

typedef struct mbs_dynamics_rows {
  mbs_lanes *lanes;
  mbs_lane_numbers *numbers;
  const mbs_constants *spread;    /* that all lanes have */
  size_t count;                   /* rows in lanes */
  double *states[MBS_LANES_MOST]; /* [nq + nv] theirs */
  bool seen;                      /* every row's state is seen, whatever it is like */
  bool made[MBS_LANES_MOST];      /* rows of lanes that have them */
  bool finite[MBS_LANES_MOST];    /* what mbs_lanes_record() tells of these */
  double strayed[MBS_LANES_MOST];
} mbs_dynamics_rows;

/* Leaves the system at the state of a lane, by mbs_lanes_show() or mbs_lanes_show_evaluated(). */
static void stand_in_lane(const mbs_dynamics *self, size_t lane, void (*show)(const mbs_lanes *, int, mbs_system *)) {
  mbs_system *system = self->run->system;
  const mbs_dynamics_rows *rows = self->rows;
  show(rows->lanes, (int)lane, system);
  system->t = rows->lanes->t[lane];
  system->fault.status = MBS_OK;
  system->q = rows->states[lane];
  system->v = system->q + system->model->nq;
}

/* Forces of the rows in lanes. */
static void apply_forces(void *user) {
  mbs_dynamics *self = user;
  mbs_dynamics_rows *rows = self->rows;
  mbs_system *system = self->run->system;
  for (size_t k = 0; k < rows->count; k++) {
    stand_in_lane(self, k, mbs_lanes_show);
    mbs_apply_forces(system);
    mbs_lanes_push(rows->lanes, (int)k, system);
  }
}

/* ---- rows in lanes ----------------------------------------------------------------------------------------------- */

/* Whether rows are ordinary in all that they have in common. */
static bool is_ordinary(const mbs_system *system) {
  return system->all_active && !system->own_directions && !system->history_kept && !system->drivers_released &&
         system->mass_shift == 0 && system->rounding < mbs_projection_accepted;
}

/* Puts states y [count][n] into lanes, functions of time with them; lanes beyond have the last one's. */
static void fill_lanes(const mbs_dynamics *self, const double *times, const double *y, size_t n) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  mbs_lanes *lanes = self->rows->lanes;
  const double *q[MBS_LANES_MOST], *v[MBS_LANES_MOST];
  for (size_t k = 0; k < lanes->width; k++) {
    const size_t row = k < self->rows->count ? k : self->rows->count - 1;
    q[k] = y + row * n;
    v[k] = q[k] + model->nq;
    lanes->t[k] = times[row];
    lanes->least_ratio[k] = mbs_ordinary_ratio(system);
    lanes->fine[k] = !model->function_count || mbs_lanes_set_functions(lanes, (int)k, system, times[row]) == MBS_OK;
  }
  mbs_lanes_gather(lanes, lanes->q, model->nq, q);
  mbs_lanes_gather(lanes, lanes->v, model->nv, v);
}

/* Moves what is in lanes onto the constraints, those of the Euler parameters among them, and keeps the states. */
static void settle_in_lanes(const mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  mbs_lanes *lanes = self->rows->lanes;
  double *v[MBS_LANES_MOST];
  if (model->rows) mbs_lanes_factor(lanes);
  mbs_lanes_project_positions(lanes, lanes->fine);
  if (model->rows)
    mbs_lanes_project_velocities(lanes, lanes->fine);
  else
    mbs_lanes_set_velocity(lanes);
  for (size_t k = 0; k < lanes->width; k++) v[k] = self->rows->states[k] + model->state.v;
  mbs_lanes_scatter(lanes, lanes->q, model->nq, self->rows->states);
  mbs_lanes_scatter(lanes, lanes->v, model->nv, v);
}

/* Makes the rows of states y [count][n]; lanes that are fine then have them. */
static void make_in_lanes(mbs_dynamics *self, size_t count, const double *times, const double *y, size_t n) {
  mbs_dynamics_rows *rows = self->rows;
  const mbs_system *system = self->run->system;
  if (rows->spread != system->constants) mbs_lanes_spread(rows->lanes, rows->numbers, system);
  rows->spread = system->constants;
  rows->count = count;
  fill_lanes(self, times, y, n);
  settle_in_lanes(self);
  mbs_lanes_evaluate(rows->lanes);
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

/* Fills the rows of the lanes that have them. */
static void fill_rows(mbs_dynamics *self, size_t row, const double *y, size_t n) {
  mbs_dynamics_rows *rows = self->rows;
  mbs_system *system = self->run->system;
  mbs_lanes *lanes = rows->lanes;
  for (size_t k = 0; k < lanes->width; k++) {
    rows->made[k] = k < rows->count && lanes->fine[k];
    if (rows->made[k]) mbs_dynamics_take_energies(self, y + k * n);
    lanes->work[k] = system->work;
    lanes->dissipated[k] = system->dissipated;
  }
  mbs_lanes_record(lanes, &self->run->output, row + self->first_row, rows->made, rows->finite, rows->strayed);
}

/* Leaves the system at the row of a lane. */
static void see_lane(const mbs_dynamics *self, size_t lane, const double *y) {
  stand_in_lane(self, lane, mbs_lanes_show_evaluated);
  mbs_dynamics_take_energies(self, y);
}

static mbs_status record_lane(mbs_dynamics *self, size_t lane, size_t row, const double *y) {
  mbs_dynamics_rows *rows = self->rows;
  const double t = rows->lanes->t[lane];
  row += self->first_row;
  if (rows->seen || !rows->finite[lane] || mbs_run_asks_for(self->run, row)) see_lane(self, lane, y);
  const mbs_status status = mbs_run_record_rest(self->run, row, t, rows->finite[lane], rows->strayed[lane]);
  return mbs_dynamics_reported(self, status, row, t);
}

/* The system goes on as after the projection and the evaluation of a row by itself, which was the last one. */
static void return_lane(const mbs_dynamics *self, size_t lane, const double *y) {
  mbs_system *system = self->run->system;
  const mbs_lanes *lanes = self->rows->lanes;
  see_lane(self, lane, y);
  mbs_lanes_return_factors(lanes, (int)lane, system);
  if (!system->model->rows) return;
  system->pivot_ratio = lanes->pivot_ratio[lane];
  system->rounding = mbs_rounding(system);
}

static mbs_status report_rows(void *context, size_t row, size_t count, const double *times, const double *y,
                              size_t *reported) {
  mbs_dynamics *self = context;
  mbs_dynamics_rows *rows = self->rows;
  const size_t n = self->run->model->state.turns;
  const bool together = is_ordinary(self->run->system);
  mbs_status status = MBS_OK;
  if (together) {
    make_in_lanes(self, count, times, y, n);
    fill_rows(self, row, y, n);
  }
  for (size_t k = 0; k < count; k++) {
    const bool made = together && rows->made[k];
    status = made ? record_lane(self, k, row + k, y + k * n) : mbs_dynamics_report(self, row + k, times[k], y + k * n);
    if (status != MBS_OK) return status;
    ++*reported;
    if (made && (k + 1 == count || !rows->made[k + 1])) return_lane(self, k, y + k * n);
  }
  return MBS_OK;
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* Whether the state of every row is looked at beside its arrays. */
static bool is_seen(const mbs_run_state *run) {
  bool seen = mbs_output_has_rest(&run->output);
  for (size_t f = 0; f < run->model->force_count; f++) seen |= run->model->forces[f].cls->creep != NULL;
  return seen;
}

static bool is_worth(const mbs_model *model) { return model->nt >= ROWS_WORTH && model->nB <= BODIES_MOST; }

/* Whether lanes suit the motion of a model, whatever the processor. */
static bool suits(const mbs_dynamics *self) {
  const mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  return !run->observer && (model->rows == 0 || self->constraints == MBS_PROJECTION) && model->switch_count == 0 &&
         model->memory_count == 0 && mbs_count_margins(model) == 0 && run->least.open == 0 && !mbs_lanes_misfit(model);
}

bool mbs_dynamics_open_rows(mbs_dynamics *self, mbs_ode *ode, size_t most) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  self->rows_alone = model->rows && suits(self);
  if (!suits(self) || !is_worth(model) || !mbs_lanes_take(model)) return true;
  mbs_dynamics_rows *rows = self->rows = mbs_arena_alloc(arena, 1, sizeof *rows);
  if (!rows || !(rows->lanes = mbs_lanes_new(model, most, arena)) ||
      !(rows->numbers = mbs_lane_numbers_new(rows->lanes, arena)) ||
      !mbs_lanes_open_rows(rows->lanes, &self->run->output, arena))
    return false;
  rows->seen = is_seen(self->run);
  for (size_t k = 0; k < rows->lanes->width; k++) {
    rows->states[k] = mbs_arena_alloc(arena, model->state.motion + 1, sizeof(double));
    if (!rows->states[k]) return false;
  }
  rows->lanes->host = (mbs_lane_host){.user = self, .forces = apply_forces};
  ode->report_rows = report_rows;
  ode->rows_most = rows->lanes->width;
  return true;
}
