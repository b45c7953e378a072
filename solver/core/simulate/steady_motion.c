/* The motion of a relative equilibrium. In joint coordinates along the tree,
 *
 *   v_k = w_k for steady coordinates, else 0,   v' = 0.
 *
 * In body coordinates the rows C_t of the joints along the tree, and the gradients G of their coordinates, give
 *
 *   (C_t; G) v = (0; w),   (C_t; G) v' = (rhsA; -bias).  theory (15.18) */
#include "simulate/steady_motion.h"

#include "base/norms.h"
#include "constraints/held_coordinates.h"
#include "constraints/rank.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "initial/correct.h"
#include "initial/newton_min_norm.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"
#include "model/rows.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "simulate/equilibrium_check.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Body coordinates: number of parts of an advance, and limit of Newton's iterations in each. */
enum { ADVANCE_PARTS = 4, ADVANCE_STEPS = 20 };

bool mbs_is_steady(const mbs_model *model, int joint, size_t k) {
  for (size_t s = 0; s < model->steady_count; s++)
    if (model->steady[s].joint == joint && model->steady[s].number == (int)k) return true;
  return false;
}

/* ---- body coordinates ------------------------------------------------------------------------------------------ */

static void coordinate_row(const mbs_steady_motion *self, int joint, size_t k, mbs_input_row *row) {
  const mbs_model *model = self->run->model;
  const mbs_input input = {.kind = MBS_INPUT_PRIMITIVE, .index = model->measured[joint] + (int)k, .point = -1};
  model->kernels->input_row(self->run->system, &input, row);
}

typedef enum wanted { VELOCITIES, ACCELERATIONS, VALUES } wanted;

/* Returns the right-hand side of a coordinate's row. */
static double right_of(const mbs_steady_motion *self, const mbs_input_row *row, size_t r, wanted what) {
  return what == VELOCITIES ? self->rates[r] : what == ACCELERATIONS ? -row->bias : self->targets[r] - row->value;
}

/* Solves the rows for velocities, accelerations, or for the displacement to the targets, into x [nv]. The constraints
 * that this needs are known. */
static mbs_status solve_rows(mbs_steady_motion *self, wanted what, double *x) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  const size_t n = model->nv, rows = self->rows;
  const double *given = what == VELOCITIES ? system->rhsV : what == ACCELERATIONS ? system->rhsA : system->Phi;
  const double sign = what == VALUES ? -1 : 1;
  size_t r = 0;
  memset(self->A, 0, rows * n * sizeof *self->A);
  mbs_jacobian_dense(system, self->jacobian);
  for (size_t b = 1; b <= model->nB; b++) {
    const int j = model->start_joint[b];
    if (j < 0) { /* a floating body is at rest */
      for (int k = model->first_v[b]; k < model->first_v[b + 1]; k++, r++) {
        self->A[(size_t)k * rows + r] = system->v_units[k];
        self->right[r] = 0;
      }
      continue;
    }
    const mbs_joint *joint = &model->joints[j];
    for (int own = joint->first_row; own < joint->first_row + joint->row_count; own++, r++) {
      for (size_t k = 0; k < n; k++)
        self->A[k * rows + r] =
            self->jacobian[k * model->rows + (size_t)own] * (system->v_units[k] / system->row_units[own]);
      self->right[r] = sign * given[own] / system->row_units[own];
    }
    for (size_t c = 0; c < joint->shape->coordinate_count; c++, r++) {
      mbs_input_row row;
      int velocities[MBS_HELD_ENTRIES_MAX];
      double entries[MBS_HELD_ENTRIES_MAX];
      coordinate_row(self, j, c, &row);
      const double unit = mbs_is_turn(joint->shape->coordinates[c].primitive) ? 1 : system->constants->length;
      const size_t count = mbs_held_coordinate_gradient(model, &row, velocities, entries);
      for (size_t i = 0; i < count; i++)
        self->A[(size_t)velocities[i] * rows + r] += entries[i] * (system->v_units[velocities[i]] / unit);
      self->right[r] = right_of(self, &row, r, what) / unit;
    }
  }
  assert(r == rows);
  if (mbs_least_squares(rows, n, self->A, self->right, mbs_rank_tolerance, x, self->workspace) < 0)
    return MBS_NOT_FINITE;
  for (size_t k = 0; k < n; k++) x[k] *= system->v_units[k];
  return isfinite(mbs_largest(x, n)) ? MBS_OK : MBS_NOT_FINITE;
}

/* Sets the targets of the coordinates: their present values, moved by the motion in `time`. Measures the rates of
 * steady coordinates first if the velocities v of the start are given. */
static void set_targets(mbs_steady_motion *self, const double *v, double time) {
  const mbs_model *model = self->run->model;
  size_t r = 0;
  for (size_t b = 1; b <= model->nB; b++) {
    const int j = model->start_joint[b];
    r += j < 0 ? (size_t)model->kernels->width : (size_t)model->joints[j].row_count;
    for (size_t k = 0; j >= 0 && k < model->joints[j].shape->coordinate_count; k++, r++) {
      mbs_input_row row;
      coordinate_row(self, j, k, &row);
      if (v) self->rates[r] = mbs_is_steady(model, j, k) ? mbs_held_coordinate_rate(model, &row, v) : 0;
      self->targets[r] = row.value + self->rates[r] * time;
    }
  }
}

/* Allocates the rows of body coordinates, and measures the rates of steady coordinates at the start. */
static bool open_rows(mbs_steady_motion *self, const double *v) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  mbs_arena *arena = system->arena;
  const size_t n = model->nv;
  for (size_t b = 1; b <= model->nB; b++) {
    const int j = model->start_joint[b];
    self->rows += j < 0 ? (size_t)model->kernels->width
                        : (size_t)model->joints[j].row_count + model->joints[j].shape->coordinate_count;
  }
  const size_t m = self->rows;
  self->rates = mbs_arena_alloc(arena, m + 1, sizeof(double));
  self->right = mbs_arena_alloc(arena, m + 1, sizeof(double));
  self->targets = mbs_arena_alloc(arena, m + 1, sizeof(double));
  self->A = mbs_arena_alloc(arena, m * n + 1, sizeof(double));
  self->jacobian = mbs_arena_alloc(arena, model->rows * n + 1, sizeof(double));
  self->workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(m, n), sizeof(double));
  if (!self->rates || !self->right || !self->targets || !self->A || !self->jacobian || !self->workspace) return false;
  set_targets(self, v, 0);
  return true;
}

/* Moves q in body coordinates until the coordinates have their targets. */
static mbs_status move_bodies(mbs_steady_motion *self, double t, double time, double *q) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  double *moved = self->run->workspace, *step = self->vdot;
  set_targets(self, NULL, time);
  for (size_t k = 0; k < model->nv; k++) step[k] = self->v[k] * time;
  for (int k = 0; k < ADVANCE_STEPS; k++) {
    mbs_displace(model, q, step, moved);
    memcpy(q, moved, model->nq * sizeof *q);
    mbs_set_position(system, t, q);
    mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
    if (k > 0 && mbs_largest_in_units(step, system->v_units, model->nv) <= mbs_position_tolerance) break;
    const mbs_status status = solve_rows(self, VALUES, step);
    if (status != MBS_OK) return status;
  }
  model->kernels->remember(system);
  return MBS_OK;
}

/* ---- the motion -------------------------------------------------------------------------------------------------- */

/* Reads the rates of the steady coordinates of the tree. */
static void read_rates(mbs_steady_motion *self, const double *v) {
  const mbs_model *model = self->run->model;
  for (size_t b = 1; b <= model->nB; b++)
    for (int k = model->first_v[b]; k < model->first_v[b + 1]; k++)
      if (model->tree_joint[b] >= 0 && mbs_is_steady(model, model->tree_joint[b], (size_t)(k - model->first_v[b])))
        self->v[k] = v[k];
}

/* Sets the time of a motion by 1 rad, or by the extent, of the fastest steady driver. */
static void measure_time(mbs_steady_motion *self) {
  const mbs_system *system = self->run->system;
  double fastest = 0;
  for (size_t f = 0; f < system->model->function_count; f++) {
    const mbs_function *function = &system->model->functions[f];
    const double unit = function->unit && strcmp(function->unit, "m") == 0 ? system->constants->extent : 1;
    if (function->steady) fastest = fmax(fastest, fabs(system->functions[3 * f + 1]) / unit);
  }
  self->first_angle = fastest > 0 ? 1 / fastest : 0;
}

/* Fails if the driver of a steady coordinate accelerates at the start. */
static mbs_status check_drivers(const mbs_steady_motion *self) {
  const mbs_system *system = self->run->system;
  const double time = system->constants->time, t = system->model->t_start;
  for (size_t f = 0; f < system->model->function_count; f++) {
    const mbs_function *function = &system->model->functions[f];
    const double *value = system->functions + 3 * f;
    if (!function->steady || fabs(value[2]) * time <= mbs_velocity_tolerance * fmax(1 / time, fabs(value[1]))) continue;
    return mbs_run_fail(
        self->run, MBS_NO_EQUILIBRIUM, t, function->element,
        "'%s' is the driver of a steady joint, but its rate changes by %.6g per second at t = %.9g; set "
        "t_start to an instant at which its rate is constant",
        function->element, value[2], t);
  }
  return MBS_OK;
}

mbs_status mbs_steady_open(mbs_steady_motion *self, mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  *self = (mbs_steady_motion){.run = run,
                              .v = mbs_arena_alloc(system->arena, model->nv + 1, sizeof(double)),
                              .offsets = mbs_arena_alloc(system->arena, model->function_count + 1, sizeof(double)),
                              .vdot = mbs_arena_alloc(system->arena, model->nv + 1, sizeof(double))};
  if (!self->v || !self->vdot || !self->offsets) return MBS_NO_MEMORY;
  mbs_set_position(system, model->t_start, run->q);
  mbs_status status = MBS_OK;
  if (model->relative) {
    status = check_drivers(self);
    measure_time(self);
    if (model->body_formulation && !open_rows(self, run->v)) status = MBS_NO_MEMORY;
    if (!model->body_formulation) read_rates(self, run->v);
  }
  memset(run->v, 0, model->nv * sizeof *run->v);
  if (status == MBS_OK) mbs_note_held_motion(run);
  system->drivers_held = true;
  mbs_set_position(system, model->t_start, run->q);
  return status;
}

mbs_status mbs_steady_set(mbs_steady_motion *self) {
  mbs_system *system = self->run->system;
  if (self->rows == 0) {
    mbs_set_velocity(system, self->v);
    return MBS_OK;
  }
  mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHSV);
  mbs_status status = solve_rows(self, VELOCITIES, self->v);
  if (status == MBS_OK) {
    mbs_set_velocity(system, self->v);
    mbs_constraints(system, MBS_WANT_RHS);
    status = solve_rows(self, ACCELERATIONS, self->vdot);
  }
  for (size_t k = 0; k < system->model->nv && status != MBS_OK; k++) self->v[k] = NAN;
  mbs_set_velocity(system, self->v);
  return status;
}

/* Returns the bilateral row with the largest |C x - right|, relative to its unit, and sets *residual to it. */
static size_t worst_row(const mbs_steady_motion *self, const double *x, const double *right, double *residual) {
  mbs_system *system = self->run->system;
  size_t worst = 0;
  *residual = 0;
  mbs_jacobian_times(system, x, system->rates);
  for (size_t r = 0; r < system->model->bilateral_rows; r++) {
    const double missed = fabs(system->rates[r] - right[r]) / system->row_units[r];
    if (!(missed > *residual)) continue;
    *residual = missed;
    worst = r;
  }
  return worst;
}

mbs_status mbs_steady_check(mbs_steady_motion *self) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  const double time = system->constants->time;
  mbs_status status = mbs_steady_set(self);
  if (status != MBS_OK || !run->model->bilateral_rows) return status;
  mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHS);
  /* C v = rhsV, C v' = rhsA; rounding grows with the velocities and their squares */
  const double speed = fmax(1, mbs_largest_in_units(self->v, system->v_units, run->model->nv) * time);
  double rate, acceleration;
  size_t row = worst_row(self, self->v, system->rhsV, &rate);
  const size_t accelerated = worst_row(self, self->vdot, system->rhsA, &acceleration);
  const bool moves = rate * time > mbs_velocity_tolerance * speed;
  if (!moves && acceleration * time * time <= mbs_velocity_tolerance * speed * speed) return MBS_OK;
  if (!moves) row = accelerated;
  const char *element = mbs_row_element(run->model, row);
  return mbs_run_fail(run, MBS_NO_EQUILIBRIUM, run->model->t_start, element,
                      "no relative equilibrium: the steady joints cannot keep their rates while all other coordinates "
                      "stand, because of '%s' (it misses its %s by %.3g); list in \"steady\" all joints that move",
                      element, moves ? "rate" : "acceleration", moves ? rate : acceleration);
}

mbs_status mbs_steady_advance(mbs_steady_motion *self, double time, double *q) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  const double t = model->t_start + time;
  mbs_status status = mbs_steady_set(self);
  memcpy(self->offsets, system->offsets, model->function_count * sizeof *self->offsets);
  system->drivers_behind = time;
  const int parts = self->rows ? ADVANCE_PARTS : 1;
  for (int part = 0; part < parts && status == MBS_OK; part++) {
    for (size_t f = 0; f < model->function_count; f++)
      if (model->functions[f].steady) system->offsets[f] += system->functions[3 * f + 1] * time / parts;
    if (self->rows) {
      if (part > 0) status = mbs_steady_set(self);
      if (status == MBS_OK) status = move_bodies(self, t, time / parts, q);
      continue;
    }
    double *moved = self->run->workspace, *step = self->vdot;
    for (size_t k = 0; k < model->nv; k++) step[k] = self->v[k] * time;
    mbs_displace(model, q, step, moved);
    memset(step, 0, model->nv * sizeof *step);
    memcpy(q, moved, model->nq * sizeof *q);
    mbs_set_position(system, t, q);
    model->kernels->remember(system);
  }
  return status;
}

void mbs_steady_back(mbs_steady_motion *self) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  memcpy(system->offsets, self->offsets, model->function_count * sizeof *self->offsets);
  system->drivers_behind = 0;
}
