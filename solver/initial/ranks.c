/* Rows that depend on the others where the mechanism stands do so a little further on along its freedoms, too, if they
 * are redundant; at a singular position they do not. */
#include "initial/correct.h"

#include "base/carve.h"
#include "base/norms.h"
#include "constraints/rank.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "initial/iterate.h"
#include "initial/row_factors.h"

#include <string.h>

/* A row is independent of others while at least this share of it is left beside them. */
static const double least_share = 1e-8;

/* A small move along a freedom of the mechanism, back onto the constraints of its joints: another position like it. */
static bool move_with(mbs_system *system, bool inexact, double t, double *q, double *workspace) {
  mbs_correction_rows self = mbs_correction_rows_of(system, 0, &workspace);
  int iterations = 0, rank;
  self.inexact = inexact;
  self.free = true;
  if (!mbs_free_motion(&self, q, workspace)) return false;
  return inexact ? mbs_descend(&self, t, q, &iterations, &rank, workspace)
                 : mbs_iterate(&self, t, q, true, &iterations, workspace);
}

/* That by the rows that are independent here, which of many is much cheaper: where the others do not follow, as those
 * of a singular position, by all. */
static bool move_along(mbs_system *system, bool inexact, double t, double *q, const bool *dependent,
                       double *workspace) {
  const mbs_model *model = system->model;
  if (model->rows <= MBS_MANY_ROWS || inexact) return move_with(system, inexact, t, q, workspace);
  bool *before = (bool *)mbs_carve(&workspace, model->rows);
  double *start = mbs_carve(&workspace, model->nq);
  mbs_read_rows_left_out(system, before);
  memcpy(start, q, model->nq * sizeof *q);
  mbs_leave_rows_out(system, dependent);
  bool moved = move_with(system, inexact, t, q, workspace);
  mbs_leave_rows_out(system, before);
  if (moved) return true;
  memcpy(q, start, model->nq * sizeof *q);
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  return move_with(system, inexact, t, q, workspace);
}

/* theory (10.2) */
mbs_status mbs_find_ranks(mbs_system *system, double t, const double *q, mbs_ranks *ranks, double *workspace) {
  const mbs_model *model = system->model;
  size_t m = model->rows, n = model->nv;
  memset(ranks->redundant, 0, m * sizeof *ranks->redundant);
  ranks->singular = false;
  size_t joint_rows = model->driver_count ? (size_t)model->drivers[0].row : m;
  ranks->rank = m;
  ranks->joint_rank = joint_rows;
  if (m == 0) return MBS_OK;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  if (m <= n && !mbs_scaled_lengths(system, least_share, system->lengths, workspace, workspace + n) &&
      mbs_factor_rows(system))
    return MBS_OK;
  double *rest = workspace, *moved = mbs_carve(&rest, model->nq);
  double *beside = rest;
  mbs_correction_rows self = mbs_correction_rows_of(system, 0, &beside);
  double left = mbs_worst_in_units(&self);
  bool inexact =
      mbs_largest_in_units(system->Phi, self.accuracy, m) > mbs_position_tolerance && left <= mbs_data_precision;
  double least = inexact ? 10 * mbs_data_precision : least_share; /* shares of rows are not singular values */
  /* the rank here */
  int rank = mbs_find_dependents(system, least, ranks->redundant, joint_rows, &ranks->joint_rank, rest);
  if (rank < 0) return MBS_NO_MEMORY;
  ranks->rank = (size_t)rank;
  memcpy(moved, q, model->nq * sizeof *q);
  if (ranks->rank < m && ranks->rank < n && move_along(system, inexact, t, moved, ranks->redundant, rest)) {
    /* the rank a little further on */
    rank = mbs_find_dependents(system, least, ranks->redundant, joint_rows, &ranks->joint_rank, rest);
    if (rank < 0) return MBS_NO_MEMORY;
    ranks->singular = (size_t)rank > ranks->rank;
    ranks->rank = (size_t)rank;
  }
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  return MBS_OK;
}
