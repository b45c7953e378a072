/* Distinction of redundant rows from a singular position. Rows that depend on others at a position do so also after a
 * small motion along the degrees of freedom if they are redundant; at a singular position they do not. */
#include "initial/correct.h"

#include "base/norms.h"
#include "base/suballocate.h"
#include "constraints/rank.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "initial/newton_min_norm.h"
#include "initial/row_factors.h"
#include "model/rows.h"

#include <assert.h>
#include <string.h>

/* Returns the smallest independent share of a row; it is larger if rows contradict one another by the rounding of the
 * data. Shares of rows are not singular values. */
static double least_of(bool inexact) { return inexact ? 10 * mbs_data_precision : mbs_least_row_share; }

/* Motion of drivers [scales] that tests if their rows depend on those of the joints. */
static const double driver_move = 1e-2;

/* The kind of motion away from a position. */
typedef enum move { ALONG_FREEDOMS, WITH_DRIVERS } move;

/* Moves q with the drivers, such that their rows have the residuals `wanted`. */
static bool drive(const mbs_correction_rows *self, double *q, double *workspace) {
  const mbs_model *model = self->system->model;
  double *step = mbs_suballocate(&workspace, model->nv);
  if (mbs_min_norm_solve(self, self->wanted, step, workspace) < 0) return false;
  mbs_displace(model, q, step, q);
  return true;
}

/* Moves q a little along a degree of freedom, or with the drivers, and back onto the constraints. Rows that are nearly
 * dependent within the precision of the data do not influence the motion. */
static bool move_with(mbs_system *system, move kind, bool inexact, double t, double *q, double *workspace) {
  mbs_correction_rows self = mbs_correction_rows_of(system, MBS_LEVEL_POSITION, 0, &workspace);
  const mbs_model *model = system->model;
  double *wanted = mbs_suballocate(&workspace, self.count), lost = self.lost;
  int iterations = 0, rank;
  self.inexact = inexact;
  self.free = true;
  self.lost = mbs_data_precision;
  if (kind == WITH_DRIVERS) {
    memset(wanted, 0, self.count * sizeof *wanted);
    for (size_t r = mbs_joint_rows(model); r < model->bilateral_rows; r++) wanted[r] = driver_move * self.units[r];
    self.wanted = wanted;
  }
  if (!(self.wanted ? drive(&self, q, workspace) : mbs_free_motion(&self, q, workspace))) return false;
  self.lost = lost;
  return inexact ? mbs_descend(&self, t, q, &iterations, &rank, workspace)
                 : mbs_newton_min_norm(&self, t, q, true, &iterations, workspace);
}

/* Performs that motion with the rows that are independent here, which is much cheaper for many rows. If the other rows
 * are then not satisfied, as at a singular position, all rows are used. */
static bool move_along(mbs_system *system, move kind, bool inexact, double t, double *q, const bool *dependent,
                       double *workspace) {
  const mbs_model *model = system->model;
  if (model->rows <= MBS_MANY_ROWS || inexact) return move_with(system, kind, inexact, t, q, workspace);
  bool *before = (bool *)mbs_suballocate(&workspace, model->rows);
  double *start = mbs_suballocate(&workspace, model->nq);
  mbs_read_rows_left_out(system, before);
  memcpy(start, q, model->nq * sizeof *q);
  mbs_leave_rows_out(system, dependent);
  bool moved = move_with(system, kind, inexact, t, q, workspace);
  mbs_leave_rows_out(system, before);
  if (moved) return true;
  memcpy(q, start, model->nq * sizeof *q);
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  return move_with(system, kind, inexact, t, q, workspace);
}

/* Returns the rank of the rows that restrict positions, at the current position; `ranks` must contain the rank of all
 * rows and the dependent ones. Returns -1 if memory runs out. */
static int position_rank(mbs_system *system, double least, const mbs_ranks *ranks, double *workspace) {
  const mbs_model *model = system->model;
  size_t joint_rank;
  if (model->velocity_rows == 0) return (int)ranks->rank;
  bool *dependent = (bool *)mbs_suballocate(&workspace, model->rows);
  return mbs_find_dependents(system, MBS_LEVEL_POSITION, least, dependent, model->rows, &joint_rank, workspace);
}

/* Computes the rank and the dependent rows after a motion of this kind from q. If the rank is larger than here,
 * ranks->rank, q is singular. Does nothing if nothing can move, or, with drivers, if q is not singular. */
static mbs_status look_beside(mbs_system *system, move kind, bool inexact, double t, const double *q, mbs_ranks *ranks,
                              double *workspace) {
  assert(ranks->rank <= system->model->rows);
  const mbs_model *model = system->model;
  const double least = least_of(inexact);
  const size_t joint_rows = mbs_joint_rows(model);
  bool *dependent = (bool *)mbs_suballocate(&workspace, model->rows);
  double *moved = mbs_suballocate(&workspace, model->nq);
  memcpy(moved, q, model->nq * sizeof *q);
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  if (!move_along(system, kind, inexact, t, moved, ranks->redundant, workspace)) return MBS_OK;
  size_t joint_rank;
  int rank = mbs_find_dependents(system, MBS_LEVEL_VELOCITY, least, dependent, joint_rows, &joint_rank, workspace);
  if (rank < 0) return MBS_NO_MEMORY;
  ranks->singular = (size_t)rank > ranks->rank;
  if (kind == WITH_DRIVERS && !ranks->singular) return MBS_OK;
  memcpy(ranks->redundant, dependent, model->rows * sizeof *dependent);
  ranks->rank = (size_t)rank;
  ranks->joint_rank = joint_rank;
  rank = position_rank(system, least, ranks, workspace);
  ranks->position_rank = (size_t)rank;
  return rank < 0 ? MBS_NO_MEMORY : MBS_OK;
}

/* theory (10.2) */
mbs_status mbs_find_ranks(mbs_system *system, double t, const double *q, mbs_ranks *ranks, double *workspace) {
  const mbs_model *model = system->model;
  const size_t m = model->bilateral_rows, n = model->nv; /* touches are not counted */
  memset(ranks->redundant, 0, model->rows * sizeof *ranks->redundant);
  ranks->singular = false;
  size_t joint_rows = mbs_joint_rows(model);
  ranks->rank = m;
  ranks->position_rank = m - model->velocity_rows;
  ranks->joint_rank = joint_rows;
  assert(joint_rows <= m);
  if (m == 0) return MBS_OK;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  if (m <= n && !mbs_scaled_lengths(system, mbs_least_row_share, system->lengths, workspace, workspace + n) &&
      mbs_factor_rows(system))
    return MBS_OK;
  double *beside = workspace;
  mbs_correction_rows self = mbs_correction_rows_of(system, MBS_LEVEL_POSITION, 0, &beside);
  double left = mbs_worst_in_units(&self);
  bool inexact =
      mbs_largest_in_units(system->Phi, self.accuracy, m) > mbs_position_tolerance && left <= mbs_data_precision;
  /* the rank here */
  int rank = mbs_find_dependents(system, MBS_LEVEL_VELOCITY, least_of(inexact), ranks->redundant, joint_rows,
                                 &ranks->joint_rank, workspace);
  if (rank < 0) return MBS_NO_MEMORY;
  ranks->rank = (size_t)rank;
  if ((rank = position_rank(system, least_of(inexact), ranks, workspace)) < 0) return MBS_NO_MEMORY;
  ranks->position_rank = (size_t)rank;
  /* the rank after a small motion */
  mbs_status status = MBS_OK;
  if (ranks->rank < m && ranks->rank < n) status = look_beside(system, ALONG_FREEDOMS, inexact, t, q, ranks, workspace);
  if (status == MBS_OK && !ranks->singular && ranks->rank < m && model->driver_count)
    status = look_beside(system, WITH_DRIVERS, inexact, t, q, ranks, workspace);
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  return status;
}
