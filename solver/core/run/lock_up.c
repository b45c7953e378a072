/* Finds why a motion cannot continue: the driver that prescribes a motion which the joints do not allow, or the joint
 * whose constraints lose rank.
 *
 * If rows of C, each divided by its length at the start, become dependent, y' C = 0 has a solution: the left singular
 * vector of the smallest singular value. The row with the largest weight in y is the cause; a driver's row has
 * precedence over a joint's. */
#include "run/lock_up.h"

#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "linalg/lapack.h"
#include "model/rows.h"
#include "run/run_errors.h"

#include <math.h>

/* A smallest singular value below this is a loss of rank. */
static const double lost_share = 1e-3;
/* The least length of a scaled row, so that a short row can be a loss of rank. */
static const double short_row = 1e-2;
/* A driver with less than this share of the largest weight is not the cause. */
static const double least_weight = 1e-3;

typedef struct loss {
  bool lost;
  int row, driver; /* -1: none */
} loss;

/* Raises `lengths` [rows] to the lengths of the scaled rows of C at (t, q). C is [rows x nv], column-major, for
 * velocities in `units` [nv]: translations are relative to the size of the mechanism, so that rotations weigh the same
 * at any scale. */
static void row_lengths(mbs_system *system, double t, const double *q, const double *units, double *C,
                        double *lengths) {
  size_t m = system->model->rows, n = system->model->nv;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_C);
  mbs_jacobian_dense(system, C);
  for (size_t k = 0; k < n; k++)
    for (size_t r = 0; r < m; r++) C[k * m + r] *= units[k];
  for (size_t r = 0; r < m; r++) {
    /* sqrt(sum over k of (C_rk [v_k])^2) */
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += C[k * m + r] * C[k * m + r];
    lengths[r] = fmax(lengths[r], sqrt(sum));
  }
}

/* Returns the row with the largest weight, and the driver's row with the largest weight. theory (10.7) */
static loss weigh(const mbs_system *system, size_t active, const double *y, size_t stride, double smallest) {
  const mbs_model *model = system->model;
  loss out = {.lost = smallest < lost_share, .row = -1, .driver = -1};
  double heaviest = 0, driver_weight = 0;
  size_t driver_row = mbs_joint_rows(model);
  for (size_t r = 0, j = 0; r < model->rows && j < active; r++) {
    if (!system->active[r]) continue;
    /* weight = |y_r| */
    double weight = fabs(y[j++ * stride]);
    if (weight > heaviest) {
      heaviest = weight;
      out.row = (int)r;
    }
    if (r >= driver_row && r < model->bilateral_rows && weight > driver_weight) {
      driver_weight = weight;
      out.driver = (int)(r - driver_row);
    }
  }
  if (driver_weight < least_weight * heaviest) out.driver = -1;
  return out;
}

/* Returns whether rank is lost at (t, q), and the row that is the cause. theory (10.7) */
static loss find_loss(mbs_run_state *run, double t, const double *q) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_arena *arena = system->arena;
  size_t m = model->rows, n = model->nv, active = 0;
  for (size_t r = 0; r < m; r++) active += system->active[r];
  loss unknown = {false, -1, -1};
  double *start = mbs_arena_alloc(arena, model->nq + 1, sizeof *start), *C = mbs_arena_alloc(arena, m * n, sizeof *C);
  double *lengths = mbs_arena_alloc(arena, m, sizeof *lengths), *A = mbs_arena_alloc(arena, n * active, sizeof *A);
  double *values = mbs_arena_alloc(arena, active, sizeof *values);
  double *Vt = mbs_arena_alloc(arena, active * active, sizeof *Vt);
  double *workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(n, active), sizeof *workspace);
  double *units = mbs_arena_alloc(arena, n + m, sizeof *units);
  if (!start || !C || !lengths || !A || !values || !Vt || !workspace || !units) return unknown;
  mbs_scales(system, units, units + n);
  for (size_t i = 0; i < model->nq; i++) start[model->user_q[i]] = run->result->report.q_after[i];
  for (size_t r = 0; r < m; r++) lengths[r] = short_row * units[n + r];
  row_lengths(system, model->t_start, start, units, C, lengths);
  row_lengths(system, t, q, units, C, lengths);
  /* A = C', rows of C divided by their largest length so far */
  for (size_t r = 0, j = 0; r < m; r++) {
    if (!system->active[r]) continue;
    for (size_t k = 0; k < n; k++) {
      A[j * n + k] = lengths[r] > 0 ? C[k * m + r] / lengths[r] : 0;
      if (!isfinite(A[j * n + k])) return unknown;
    }
    j++;
  }
  /* y: the right singular vector of A of the smallest singular value */
  if (active == 0 || active > n || !mbs_singular_values(n, active, A, values, Vt, workspace)) return unknown;
  return weigh(system, active, Vt + active - 1, active, values[active - 1]);
}

mbs_status mbs_run_locked(mbs_run_state *run, double t, const double *q, bool certain) {
  const mbs_model *model = run->model;
  loss found = find_loss(run, t, q);
  if (!certain && !found.lost) return MBS_OK;
  run->error->message[0] = 0;
  if (certain && found.row < 0 && model->driver_count) found.driver = 0;
  if (found.driver >= 0) {
    const char *driver = model->drivers[found.driver].name;
    return mbs_run_fail(run, MBS_LOCK_UP, t, driver,
                        "the mechanism locks at t = %.9g: driver '%s' prescribes a motion that the joints do not "
                        "allow: let it swing (less far) or drive another joint",
                        t, driver);
  }
  if (found.row < 0)
    return mbs_run_fail(run, MBS_SINGULAR_POSITION, t, "",
                        "the constraints lose rank at t = %.9g, and the motion cannot continue", t);
  const char *element = mbs_row_element(model, (size_t)found.row);
  return mbs_run_fail(run, MBS_SINGULAR_POSITION, t, element,
                      "the constraints lose rank at t = %.9g, at '%s', and the motion cannot continue", t, element);
}

/* Fails with MBS_SINGULAR_POSITION at the row with the largest weight; `what` is the explanation. */
static mbs_status fail_singular(mbs_run_state *run, double t, const double *q, const char *what) {
  loss found = find_loss(run, t, q);
  const char *element = found.row < 0 ? "" : mbs_row_element(run->model, (size_t)found.row);
  run->error->message[0] = 0;
  return mbs_run_fail(run, MBS_SINGULAR_POSITION, t, element, "the constraints lose rank at t = %.9g%s%s%s: %s", t,
                      *element ? ", at '" : "", element, *element ? "'" : "", what);
}

mbs_status mbs_run_no_branch(mbs_run_state *run, double t, const double *q) {
  return fail_singular(run, t, q,
                       "the motion begins where the mechanism can move in several ways, and its velocities do not "
                       "select one; start slightly before or after this position");
}

mbs_status mbs_run_unbounded(mbs_run_state *run, double t, const double *q) {
  return fail_singular(run, t, q,
                       "the mechanism can move through this position, but the reaction forces grow without bound "
                       "there; the analysis kinematics can pass it");
}
