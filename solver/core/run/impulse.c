/* Computes impulses C' p. A driver whose speed jumps causes one:
 *
 *   M (v+ - v-) = C' p,   C v+ = rhsV     (Haug, Computer-Aided Kinematics and Dynamics, ch. 11)
 *
 * A driver whose value jumps is an error. */
#include "run/impulse.h"

#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "model/rows.h"
#include "model/units.h"
#include "run/notes.h"
#include "run/run_errors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const double mbs_impulse_value_share = 1e-8, mbs_impulse_rate_share = 1e-9;

bool mbs_impulse_open(mbs_impulse *impulse, const mbs_model *model, mbs_arena *arena) {
  impulse->Phi = mbs_arena_alloc(arena, model->rows + 1, sizeof *impulse->Phi);
  impulse->before = mbs_arena_alloc(arena, model->rows + 1, sizeof *impulse->before);
  impulse->missing = mbs_arena_alloc(arena, model->rows + 1, sizeof *impulse->missing);
  impulse->unit = mbs_arena_alloc(arena, model->nv + 1, sizeof *impulse->unit);
  impulse->active = mbs_arena_alloc(arena, model->rows + 1, sizeof *impulse->active);
  return impulse->Phi && impulse->before && impulse->missing && impulse->unit && impulse->active;
}

/* Evaluates Phi in the system, and rhsV - C v into out [rows]. */
static void evaluate(mbs_system *system, double t, const double *q, const double *v, double *out) {
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, v);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  mbs_jacobian_times(system, v, out);
  /* rhsV - C v */
  for (size_t r = 0; r < system->model->rows; r++) out[r] = system->rhsV[r] - out[r];
}

void mbs_impulse_before(mbs_impulse *impulse, mbs_system *system, double t, const double *q, const double *v) {
  evaluate(system, t, q, v, impulse->before);
  memcpy(impulse->Phi, system->Phi, system->model->rows * sizeof *impulse->Phi);
}

static double in_units(const mbs_system *system, const double *x, size_t row) {
  assert(row < system->model->rows);
  return fabs(x[row]) / system->row_units[row];
}

/* Returns the active row with the largest scaled entry of x [rows]; -1 if no entry is above zero. */
static int largest_row(const mbs_system *system, const double *x) {
  int row = -1;
  for (size_t r = 0; r < system->model->rows; r++)
    if (system->active[r] && in_units(system, x, r) > (row < 0 ? 0 : in_units(system, x, (size_t)row))) row = (int)r;
  return row;
}

static void report_impulse(mbs_impulse *impulse, mbs_run_state *run, double t, size_t row) {
  assert(row < run->model->rows);
  const char *element = mbs_row_element(run->model, row);
  bool driver = row >= mbs_joint_rows(run->model) && row < run->model->bilateral_rows;
  mbs_run_event(run, t, element,
                driver ? "impulse: the speed of a driver jumps"
                       : "impulse: the speed that a constraint prescribes jumps");
  if (!impulse->noted)
    mbs_run_note(run,
                 "the speed of '%s' jumps at t = %.9g: an impulse, whose work is included in the energy; the events "
                 "list further impulses",
                 element, t);
  impulse->noted = true;
}

mbs_status mbs_impulse_check_values(mbs_impulse *impulse, mbs_run_state *run, double t, const double *q,
                                    const double *v) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  double value = 1;
  evaluate(system, t, q, v, impulse->missing);
  for (size_t f = 0; f < model->function_count; f++)
    value = fmax(value, fabs(system->functions[3 * f]) / mbs_function_unit(system->constants, f));
  /* Phi+ - Phi- */
  for (size_t r = 0; r < model->rows; r++) impulse->Phi[r] = system->Phi[r] - impulse->Phi[r];
  int row = largest_row(system, impulse->Phi);
  if (row < 0 || in_units(system, impulse->Phi, (size_t)row) <= mbs_impulse_value_share * value) return MBS_OK;
  /* the row of a driver is a primitive minus its function */
  return mbs_run_fail_jump(run, t, mbs_row_element(model, (size_t)row), -impulse->Phi[row]);
}

/* theory (12.1), (12.2) */
mbs_status mbs_impulse_apply(mbs_impulse *impulse, mbs_run_state *run, double t, const double *q, double *v, bool kept,
                             double *work) {
  assert(impulse->Phi != NULL && impulse->missing != NULL);
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  double *missing = impulse->missing, speed = 1 / system->constants->time;
  impulse->applied = false;
  mbs_status status = mbs_impulse_check_values(impulse, run, t, q, v);
  if (status != MBS_OK) return status;
  /* rhsV+ - C v-; only the change of rhsV if v did not satisfy the constraints */
  for (size_t r = 0; r < model->rows; r++) {
    if (!kept) missing[r] -= impulse->before[r];
    speed = fmax(speed, in_units(system, system->rhsV, r));
  }
  int row = largest_row(system, missing);
  if (row < 0 || in_units(system, missing, (size_t)row) <= mbs_impulse_rate_share * speed) return MBS_OK;
  double before = model->kernels->kinetic(system);
  status = mbs_solve_impulse(system, missing);
  if (status != MBS_OK) return status;
  /* v+ = v- + M^-1 C' S^-1 missing */
  for (size_t k = 0; k < model->nv; k++) v[k] += system->vdot[k];
  mbs_set_velocity(system, v);
  /* W += T+ - T- */
  if (work) *work += model->kernels->kinetic(system) - before;
  impulse->applied = true;
  report_impulse(impulse, run, t, (size_t)row);
  return MBS_OK;
}

/* ---- rates that events set ----------------------------------------------------------------------------------- */

/* Removes the rows of touches from the equations, or restores them. */
static void release_touches(mbs_impulse *impulse, mbs_system *system, bool release) {
  const mbs_model *model = system->model;
  system->all_active = true;
  for (size_t r = 0; r < model->rows; r++) {
    if (release) impulse->active[r] = system->active[r];
    system->active[r] = impulse->active[r] && (!release || r < model->bilateral_rows);
    system->all_active = system->all_active && system->active[r];
  }
}

/* Computes J, the rate of the coordinate for each unit velocity, and the effect of a unit impulse within the
 * constraints. Returns J M^-1 J', the effect without constraints. */
static double find_effect(mbs_impulse *impulse, mbs_system *system, mbs_rate_change *change) {
  const mbs_model *model = system->model;
  double loose = 0;
  for (size_t k = 0; k < model->nv; k++) {
    impulse->unit[k] = 1;
    mbs_set_velocity(system, impulse->unit);
    change->J[k] = model->kernels->read_primitive(system, &model->coordinates[change->coordinate], 1);
    impulse->unit[k] = 0;
  }
  /* J M^-1 J' = w' D^-1 w, w = L^-T J' */
  memcpy(system->w, change->J, model->nv * sizeof *system->w);
  mbs_solve_up(system, system->w);
  for (size_t k = 0; k < model->nv; k++) loose += system->w[k] * system->w[k] * system->M_diagonal[k];
  mbs_solve_within(system, change->J);
  memcpy(change->effect, system->vdot, model->nv * sizeof *change->effect);
  return loose;
}

static double product(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += x[k] * y[k];
  return sum;
}

/* Solves G p = missing by elimination; `rate` of each change is the missing rate and becomes the impulse. `loose`
 * contains the diagonal of G without constraints. Returns the number of a change that the constraints and the changes
 * before it determine; `count` if there is none. theory (12.17) */
static size_t solve_changes(mbs_rate_change *changes, size_t count, double *G, const double *loose) {
  for (size_t i = 0; i < count; i++) {
    if (!(G[i * count + i] > mbs_pivot_floor * loose[i])) return i;
    for (size_t k = i + 1; k < count; k++) {
      const double factor = G[k * count + i] / G[i * count + i];
      for (size_t j = i; j < count; j++) G[k * count + j] -= factor * G[i * count + j];
      changes[k].rate -= factor * changes[i].rate;
    }
  }
  for (size_t i = count; i-- > 0;) {
    for (size_t k = i + 1; k < count; k++) changes[i].rate -= G[i * count + k] * changes[k].rate;
    changes[i].rate /= G[i * count + i];
  }
  return count;
}

static mbs_status fail_rate(mbs_run_state *run, double t, const mbs_rate_change *change) {
  const mbs_model *model = run->model;
  return mbs_run_fail(run, MBS_CONTRADICTION, t, model->joints[model->coordinates[change->coordinate].of_joint].name,
                      "the event '%s' sets '%s' at t = %.9g, but a driver, a closed loop or another value that is set "
                      "then determines this rate; set another rate, or remove the driver",
                      change->event, change->name, t);
}

/* v+ = v- + sum a_i p_i,   J_i v+ = rate_i,   a_i = M^-1 (J_i' - C' S^-1 C M^-1 J_i'). theory (12.19) */
mbs_status mbs_impulse_set_rates(mbs_impulse *impulse, mbs_run_state *run, double t, const double *q, double *v,
                                 mbs_rate_change *changes, size_t count, double *matrix, double *work) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  double *G = matrix, *loose = matrix + count * count;
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, v);
  const double before = model->kernels->kinetic(system);
  mbs_constraints(system, MBS_WANT_C);
  release_touches(impulse, system, true);
  const mbs_status status = mbs_factor(system);
  for (size_t i = 0; i < count && status == MBS_OK; i++) loose[i] = find_effect(impulse, system, &changes[i]);
  release_touches(impulse, system, false);
  if (status != MBS_OK) return status;
  for (size_t i = 0; i < count; i++) {
    /* G_ik = J_i a_k, rate_i - J_i v- */
    for (size_t k = 0; k < count; k++) G[i * count + k] = product(changes[i].J, changes[k].effect, model->nv);
    changes[i].rate -= product(changes[i].J, v, model->nv);
  }
  const size_t fixed = solve_changes(changes, count, G, loose);
  if (fixed < count) return fail_rate(run, t, &changes[fixed]);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < model->nv; k++) v[k] += changes[i].rate * changes[i].effect[k];
  mbs_set_velocity(system, v);
  /* W += T+ - T- */
  if (work) *work += model->kernels->kinetic(system) - before;
  return MBS_OK;
}
