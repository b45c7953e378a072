/* Follows a path in time. A step from t to t + h predicts the state by the polynomial through the last two nodes and
 * their derivatives, and corrects it by Newton's method. The step is accepted if both ends lie on one smooth path. If
 * Newton's method converged to another branch, velocities and positions are not consistent, and the step is rejected.
 *
 * With rows of velocity level all velocities depend on the drivers, but not all positions do. Positions that the rows
 * of position level do not determine are integrated by a rule of fourth order,
 *
 *   q_1 = q_0 + h/2 (q_0' + q_1') + h^2/12 (q_0'' - q_1'').
 *
 * Its difference from the prediction limits the step. So are states z on which constraints depend. Such a path does not
 * cross singular positions.
 *
 * Near a loss of rank other branches are near, too. A step is at most half as long as the extrapolated determinant of C
 * needs to vanish, and the determinant must not change its sign in a step. Only singularity_crossing.c crosses singular
 * positions. */
#include "continuation/path.h"

#include "base/norms.h"
#include "constraints/rank.h"
#include "continuation/hermite.h"
#include "continuation/path_private.h"
#include "equations/contacts.h"
#include "equations/jacobian.h"
#include "equations/law.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "model/units.h"
#include "run/lock_up.h"
#include "run/run_errors.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double smoothness = 1e-6;
/* The defect (14.4) may be at most `smoothness`, and at most this share of the distance between the two states: nearer
 * to a singular position than that distance, other branches are nearer, too. `rounding_defect` is the defect that
 * rounding causes if nothing moves. */
static const double straight_share = 0.1, rounding_defect = 1e-10;
/* If pivots of C are below this share of their largest ratio, errors are too large for a node. */
static const double lost_share = 2e-6;
/* Share of a step that must remain before a loss of rank; a nearer loss of rank is crossed from the start of the
 * step. */
static const double least_left = 0.5;
/* The shortest crossing, as a share of the usual one. */
static const double shortest_crossing = 0.01;
/* The highest assumed order p of a determinant that vanishes as (t* - t)^p. */
static const double largest_order = 32;
/* If the determinant is above this share of its largest value, a loss of rank is far away. */
static const double far_share = 0.1;
/* Largest error of interpolation within a step, scaled. If Newton's method moves an interpolated state farther, the
 * state was not on the path. If a function of time differs more from the polynomial through the ends of the step, the
 * step must be shorter. */
static const double interpolation_gap = 1e-3;
/* Points at which functions of time are compared, as shares of the step. */
static const double function_shares[] = {0.21, 0.5, 0.83};
enum { FUNCTION_SHARES = sizeof function_shares / sizeof *function_shares };
/* The motion in the first step, scaled; the longest and the smallest step, as shares of the span. */
static const double first_move = 0.02, longest_share = 0.05, smallest_share = 1e-14;
/* Integration of undetermined positions: the most iterations; the largest ratio of a change to the one before; and a
 * change that counts as none, scaled. */
enum { OPEN_ITERATIONS = 12 };
static const double open_share = 0.3, open_settled = 1e-14;
static const double safety = 0.9, most_growth = 4, least_shrink = 0.1;

static bool open_node(const mbs_model *model, mbs_arena *arena, mbs_path_node *node) {
  double **const parts[] = {&node->q, &node->qd, &node->qdd, &node->v, &node->a};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!(*parts[i] = mbs_arena_alloc(arena, (i < 3 ? model->nq : model->nv) + 1, sizeof(double)))) return false;
  return (node->z = mbs_arena_alloc(arena, 3 * model->state_count + 1, sizeof(double))) != NULL;
}

bool mbs_path_open(mbs_path *path, mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_arena *arena = run->system->arena;
  *path = (mbs_path){.run = run, .largest_determinant = -INFINITY, .crossing = {.share = 1}};
  mbs_path_node *const nodes[] = {&path->before, &path->from, &path->to, &path->trial, &path->near, &path->ahead};
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
    if (!open_node(model, arena, nodes[i])) return false;
  path->units = mbs_arena_alloc(arena, model->nq + 1, sizeof(double));
  path->row_units = mbs_arena_alloc(arena, model->rows + 1, sizeof(double));
  path->move = mbs_arena_alloc(arena, model->nv + 1, sizeof(double));
  path->direction = mbs_arena_alloc(arena, model->nv + 1, sizeof(double));
  path->states = mbs_arena_alloc(arena, model->state_count + 1, sizeof(int));
  if (!path->direction || !path->states) return false;
  for (size_t k = 0; k < model->state_count; k++)
    if (model->states[k].moves_rows) path->states[path->state_count++] = (int)k;
  path->scratch = mbs_arena_alloc(arena, 3 * model->nq + 1, sizeof(double));
  path->integrated = mbs_arena_alloc(arena, model->nq + 1, sizeof(double));
  path->crossing.points = mbs_arena_alloc(arena, MBS_CROSSING_POINTS, sizeof *path->crossing.points);
  path->crossing.lambda = mbs_arena_alloc(arena, MBS_CROSSING_POINTS * (model->rows + 1), sizeof(double));
  path->crossing.poles = mbs_arena_alloc(arena, model->rows + 1, sizeof(int));
  if (!path->crossing.poles) return false;
  if (!path->units || !path->row_units || !path->move || !path->scratch || !path->integrated ||
      !path->crossing.points || !path->crossing.lambda)
    return false;
  for (size_t i = 0; i < MBS_CROSSING_POINTS; i++)
    if (!open_node(model, arena, &path->crossing.points[i])) return false;
  mbs_fill_units(model, run->system->constants->extent, path->units, path->move, path->row_units);
  if (!mbs_partition_open(&path->partition, run->system)) return false;
  path->partition.polished = true; /* near a loss of rank errors grow */
  return true;
}

void mbs_path_copy(const mbs_path *path, const mbs_path_node *from, mbs_path_node *to) {
  assert(from != to);
  const mbs_model *model = path->run->model;
  memcpy(to->q, from->q, model->nq * sizeof *to->q);
  memcpy(to->qd, from->qd, model->nq * sizeof *to->qd);
  memcpy(to->qdd, from->qdd, model->nq * sizeof *to->qdd);
  memcpy(to->v, from->v, model->nv * sizeof *to->v);
  memcpy(to->a, from->a, model->nv * sizeof *to->a);
  memcpy(to->z, from->z, 3 * path->state_count * sizeof *to->z);
  to->t = from->t;
  to->log_determinant = from->log_determinant;
  to->sign = from->sign;
  to->left = from->left;
  to->pivot_ratio = from->pivot_ratio;
}

/* ---- nodes --------------------------------------------------------------------------------------------------- */

/* Sets the system's states to those of a node. */
static void set_states(const mbs_path *path, const mbs_path_node *node) {
  for (size_t k = 0; k < path->state_count; k++) path->run->system->z[path->states[k]] = node->z[3 * k];
}

void mbs_path_read_states(const mbs_path *path, double *z) {
  for (size_t k = 0; k < path->state_count; k++) z[path->states[k]] = path->to.z[3 * k];
}

/* Reads the states of a node, with their derivatives, from the system. */
static void read_states(const mbs_path *path, mbs_path_node *node) {
  for (size_t k = 0; k < path->state_count; k++) mbs_state_jet(path->run->system, path->states[k], node->z + 3 * k);
}

/* Computes q' and q''. rates(q, v) is linear in v. It is linear in q except for rates that are velocities:
 *
 *   q'' = rates(q, v') + rates(q', v) - rates(0, v). theory (14.3) */
static void differentiate(const mbs_path *path, mbs_path_node *node) {
  const mbs_model *model = path->run->model;
  double *turned = path->scratch, *plain = turned + model->nq, *zero = plain + model->nq;
  model->kernels->rates(model, node->q, node->v, node->qd);
  model->kernels->rates(model, node->q, node->a, node->qdd);
  if (model->nq == model->nv) return;
  model->kernels->rates(model, node->qd, node->v, turned);
  model->kernels->rates(model, zero, node->v, plain);
  /* q'' = N(q) v' + (N(q') v - N(0) v) */
  for (size_t i = 0; i < model->nq; i++) node->qdd[i] += turned[i] - plain[i];
}

/* Sets log |det C| and the sign of det C from the factors of the partition. */
static void set_determinant(mbs_path *path, mbs_path_node *node) {
  assert(path->partition.factored);
  const mbs_partition *partition = &path->partition;
  node->sign = partition->regular ? 1 : 0;
  node->pivot_ratio = partition->pivot_ratio;
  node->log_determinant = 0;
  for (size_t p = 0; p < partition->parts.count; p++) {
    const mbs_row_part *part = &partition->parts.items[p];
    const size_t n = (size_t)part->rows;
    for (size_t k = 0; k < n; k++) {
      /* each negative pivot and each row exchange changes the sign */
      const double pivot = partition->factors[part->value0 + k * n + k];
      if ((pivot < 0) != (partition->pivots[part->row0 + k] != (int)k + 1)) node->sign = -node->sign;
      node->log_determinant += log(fabs(pivot));
    }
  }
}

mbs_status mbs_path_solve(mbs_path *path, mbs_path_node *node) {
  mbs_run_state *run = path->run;
  mbs_system *system = run->system;
  mbs_partition *partition = &path->partition;
  mbs_status status = mbs_run_check(run, node->t);
  if (status != MBS_OK) return status;
  system->evaluations++;
  run->model->kernels->normalize(run->model, node->q);
  set_states(path, node);
  /* Phi = 0, then det C, C v = rhsV, C v' = rhsA */
  status = mbs_partition_positions(partition, system, node->t, node->q);
  if (status != MBS_OK) return status;
  mbs_partition_factor(partition, system);
  set_determinant(path, node);
  status = mbs_partition_velocities(partition, system, node->v);
  if (status == MBS_OK && node->sign != 0) status = mbs_partition_accelerations(partition, system, node->v, node->a);
  if (status == MBS_OK) differentiate(path, node);
  if (status == MBS_OK) read_states(path, node);
  return status;
}

static bool has_open_positions(const mbs_path *path) {
  return path->partition.positions && path->partition.positions->independent > 0;
}

static bool is_open(const mbs_path *path) { return has_open_positions(path) || path->state_count > 0; }

/* Sets path->integrated to the integrated positions of a node after `from`. Returns the largest change, scaled. */
static double integrate_positions(mbs_path *path, const mbs_path_node *node) {
  assert(has_open_positions(path));
  const mbs_path_node *from = &path->from;
  const double h = node->t - from->t;
  double change = 0;
  for (size_t i = 0; i < path->run->model->nq; i++) {
    /* q_0 + h/2 (q_0' + q_1') + h^2/12 (q_0'' - q_1'') */
    const double q = from->q[i] + h / 2 * (from->qd[i] + node->qd[i]) + h * h / 12 * (from->qdd[i] - node->qdd[i]);
    change = fmax(change, fabs(q - path->integrated[i]) / path->units[i]);
    path->integrated[i] = q;
  }
  return change;
}

/* Integrates the states of a node after `from` likewise. Returns the largest change, scaled. */
static double integrate_states(const mbs_path *path, mbs_path_node *node) {
  const double h = node->t - path->from.t;
  double change = 0;
  for (size_t k = 0; k < 3 * path->state_count; k += 3) {
    const double *z0 = path->from.z + k, *z1 = node->z + k;
    const double z = z0[0] + h / 2 * (z0[1] + z1[1]) + h * h / 12 * (z0[2] - z1[2]);
    change = fmax(change, fabs(z - z1[0]) / fmax(1, fabs(z)));
    node->z[k] = z;
  }
  return change;
}

/* Solves for a node after `from`, starting from its prediction, and integrates the undetermined positions and the
 * states. Sets *missed to the largest difference of the integrated ones from the prediction, scaled. theory (14.12) */
static mbs_status solve_open(mbs_path *path, mbs_path_node *node, double *missed) {
  const size_t size = path->run->model->nq * sizeof *node->q;
  double before = INFINITY;
  memcpy(path->integrated, node->q, size);
  for (int k = 0; k < OPEN_ITERATIONS; k++) {
    mbs_status status = mbs_path_solve(path, node);
    if (status != MBS_OK || node->sign == 0) return status;
    double change = integrate_states(path, node);
    if (has_open_positions(path)) {
      change = fmax(change, integrate_positions(path, node));
      memcpy(node->q, path->integrated, size);
    }
    if (k == 0) *missed = change;
    const bool shrinks = change <= open_share * before;
    if (change <= open_settled || (!shrinks && change <= path->run->model->rtol)) return mbs_path_solve(path, node);
    if (!shrinks) break;
    before = change;
  }
  return MBS_NOT_ASSEMBLED;
}

/* theory (14.4) */
double mbs_path_defect(const mbs_path *path, const mbs_path_node *one, const mbs_path_node *two) {
  double h = two->t - one->t, largest = 0;
  for (size_t i = 0; i < path->run->model->nq; i++) {
    /* q_1 - q_0 - h/2 (q_0' + q_1') - h^2/12 (q_0'' - q_1'') */
    double defect =
        two->q[i] - one->q[i] - h / 2 * (one->qd[i] + two->qd[i]) - h * h / 12 * (one->qdd[i] - two->qdd[i]);
    largest = fmax(largest, fabs(defect) / path->units[i]);
    if (isnan(defect)) return INFINITY;
  }
  return largest;
}

/* theory (14.5) */
double mbs_path_time_left(const mbs_path_node *one, const mbs_path_node *two) {
  /* r = |det C_2 / det C_1|, tau = (t_2 - t_1) r / (1 - r) */
  double left = exp(two->log_determinant - one->log_determinant);
  return left < 1 ? (two->t - one->t) * left / (1 - left) : INFINITY;
}

double mbs_path_allowed(const mbs_path *path, const mbs_path_node *one, const mbs_path_node *two) {
  return fmin(smoothness, rounding_defect + straight_share * (two->t - one->t) / mbs_path_time_scale(path, one));
}

double mbs_path_time_scale(const mbs_path *path, const mbs_path_node *node) {
  double speed = 0, acceleration = 0;
  for (size_t i = 0; i < path->run->model->nq; i++) {
    speed = fmax(speed, fabs(node->qd[i]) / path->units[i]);
    acceleration = fmax(acceleration, fabs(node->qdd[i]) / path->units[i]);
  }
  /* 1 / (|q'| + sqrt|q''|) */
  return 1 / (speed + sqrt(acceleration));
}

/* ---- interpolation ------------------------------------------------------------------------------------------- */

/* Predicts the positions by the quintic through both nodes with q' and q'', and the velocities by the cubic. */
void mbs_path_predict(const mbs_path *path, const mbs_path_node *one, const mbs_path_node *two, mbs_path_node *node) {
  const mbs_model *model = path->run->model;
  const double times[] = {one->t, two->t};
  double w[6], u[4], slope[4], *q = node->q, *v = node->v, *a = node->a;
  /* q: weights of the quintic; v, a: of the cubic and its slope */
  mbs_hermite_weights(2, 3, times, node->t, w, NULL);
  mbs_hermite_weights(2, 2, times, node->t, u, slope);
  for (size_t i = 0; i < model->nq; i++)
    q[i] = w[0] * one->q[i] + w[1] * one->qd[i] + w[2] * one->qdd[i] + w[3] * two->q[i] + w[4] * two->qd[i] +
           w[5] * two->qdd[i];
  for (size_t k = 0; k < model->nv; k++) {
    v[k] = u[0] * one->v[k] + u[1] * one->a[k] + u[2] * two->v[k] + u[3] * two->a[k];
    a[k] = slope[0] * one->v[k] + slope[1] * one->a[k] + slope[2] * two->v[k] + slope[3] * two->a[k];
  }
  for (size_t k = 0; k < 3 * path->state_count; k += 3)
    node->z[k] = w[0] * one->z[k] + w[1] * one->z[k + 1] + w[2] * one->z[k + 2] + w[3] * two->z[k] +
                 w[4] * two->z[k + 1] + w[5] * two->z[k + 2];
}

/* Predicts the first node of a piece, which has no node before `from`: q + h v + h^2/2 v'. */
static void predict_first(mbs_path *path, mbs_path_node *node) {
  const mbs_model *model = path->run->model;
  double h = node->t - path->from.t;
  for (size_t k = 0; k < model->nv; k++) path->move[k] = h * path->from.v[k] + h * h / 2 * path->from.a[k];
  mbs_displace(model, path->from.q, path->move, node->q);
  memcpy(node->a, path->from.a, model->nv * sizeof *node->a);
  for (size_t k = 0; k < model->nv; k++) node->v[k] = path->from.v[k] + h * path->from.a[k];
  const double *z = path->from.z;
  for (size_t k = 0; k < 3 * path->state_count; k += 3) node->z[k] = z[k] + h * z[k + 1] + h * h / 2 * z[k + 2];
}

/* Returns true if the functions of time agree, inside the step, with the quintics through their values and derivatives
 * at its ends. */
static bool functions_resolved(const mbs_path *path, double t0, double t1) {
  mbs_system *system = path->run->system;
  const mbs_model *model = system->model;
  const double times[] = {t0, t1};
  double inside[FUNCTION_SHARES], weights[FUNCTION_SHARES][6];
  for (size_t k = 0; k < FUNCTION_SHARES; k++) {
    inside[k] = t0 + function_shares[k] * (t1 - t0);
    mbs_hermite_weights(2, 3, times, inside[k], weights[k], NULL);
  }
  for (size_t d = 0; d < model->driver_count; d++) {
    int index = model->blocks[model->drivers[d].block].function;
    assert(index >= 0 && (size_t)index < model->function_count);
    const mbs_function *function = &model->functions[index];
    double ends[6], here[3], unit = path->row_units[model->drivers[d].row];
    function->cls->value(system, function, t0, ends);
    function->cls->value(system, function, t1, ends + 3);
    for (size_t k = 0; k < FUNCTION_SHARES; k++) {
      /* the quintic through both ends against f(t) */
      double expected = 0;
      for (int i = 0; i < 6; i++) expected += weights[k][i] * ends[i];
      function->cls->value(system, function, inside[k], here);
      if (!(fabs(here[0] - expected) <= interpolation_gap * unit)) return false;
    }
  }
  return true;
}

/* ---- steps --------------------------------------------------------------------------------------------------- */

static double span(const mbs_path *path) { return path->run->model->t_end - path->run->model->t_start; }

/* Tries a step to time t, into path->trial. Sets *defect to the defect of the step relative to the allowed one; more
 * than 1 rejects the step. */
static mbs_status try_step(mbs_path *path, double t, double *defect) {
  mbs_path_node *trial = &path->trial;
  trial->t = t;
  if (path->has_before)
    mbs_path_predict(path, &path->before, &path->from, trial);
  else
    predict_first(path, trial);
  double missed = 0;
  mbs_status status = is_open(path) ? solve_open(path, trial, &missed) : mbs_path_solve(path, trial);
  if (status == MBS_OK) status = mbs_check_contacts(path->run->system);
  if (status != MBS_OK) return status;
  /* relative defect; 2: the step is too long for another reason */
  *defect = mbs_path_defect(path, &path->from, trial) / mbs_path_allowed(path, &path->from, trial);
  *defect = fmax(*defect, missed / path->run->model->rtol);
  if (!path->run->model->kernels->revolutions_certain(path->run->system)) *defect = fmax(*defect, 2);
  bool near = mbs_path_time_left(&path->from, trial) < least_left * (t - path->from.t);
  if (near || trial->sign == 0 || trial->sign != path->from.sign || !functions_resolved(path, path->from.t, t))
    *defect = fmax(*defect, 2);
  return MBS_OK;
}

bool mbs_path_rejects(mbs_status status) {
  return status != MBS_CANCELLED && status != MBS_TIMED_OUT && status != MBS_TOO_MANY_EVALUATIONS &&
         status != MBS_NO_MEMORY;
}

/* theory (14.6) */
double mbs_path_order(const mbs_path_node *node, double left, double next_t, double next_left) {
  /* p = (t_2 - t_1) / (tau_1 - tau_2) */
  double order = (next_t - node->t) / (left - next_left);
  return isfinite(left) && isfinite(order) && order > 0 ? fmin(order, largest_order) : 1;
}

/* Returns the time when the determinant of C vanishes, extrapolated from `from` and `node`, the node after it. */
static double instant_ahead(const mbs_path *path, const mbs_path_node *node) {
  double left = mbs_path_time_left(&path->from, node);
  if (!isfinite(left)) return node->t;
  /* t* = t_2 + p tau_2 */
  return fmin(node->t + left * mbs_path_order(&path->from, path->from.left, node->t, left), path->limit);
}

/* Sets the error for a path that no step continues from `node`. Returns its status. */
static mbs_status end_path(mbs_path *path, mbs_status status, const mbs_path_node *node, double instant) {
  mbs_run_state *run = path->run;
  bool named = status == MBS_CONTRADICTION || (status != MBS_OK && status == run->system->fault.status);
  mbs_status ended = mbs_run_functions_end(run, node->t);
  if (ended != MBS_OK) return ended;
  return named ? status : mbs_run_locked(run, instant, node->q, true);
}

/* Returns true if C has nearly lost its rank at a node. Such a position cannot be crossed, and errors grow without
 * bounds. */
static bool is_lost(const mbs_path *path, const mbs_path_node *node) {
  return node->pivot_ratio < lost_share * path->largest_ratio;
}

static double control(double defect) { return fmax(least_shrink, safety * pow(fmax(defect, 1e-10), -0.2)); }

static double smallest_step(const mbs_path *path) {
  return fmax(smallest_share * span(path), 8 * DBL_EPSILON * fabs(path->from.t));
}

/* Returns the length of the next step: at most the length that the last step proposed, and at most half of the time to
 * a loss of rank. */
static double choose_length(const mbs_path *path) {
  const mbs_model *model = path->run->model;
  double h = fmin(path->next, longest_share * span(path));
  if (model->max_step > 0) h = fmin(h, model->max_step);
  /* half of tau */
  if (path->has_before) h = fmin(h, 0.5 * mbs_path_time_left(&path->before, &path->from));
  double remaining = path->limit - path->from.t;
  return h < remaining && remaining < 2 * h ? 0.5 * remaining : h;
}

mbs_status mbs_path_step(mbs_path *path) {
  mbs_run_state *run = path->run;
  double h = choose_length(path), smallest = smallest_step(path);
  for (;;) {
    double defect = INFINITY, t = path->from.t + h >= path->limit ? path->limit : path->from.t + h;
    h = t - path->from.t;
    mbs_status status = try_step(path, t, &defect);
    if (status != MBS_OK && !mbs_path_rejects(status)) return status;
    if (status == MBS_OK && defect <= 1 && is_lost(path, &path->trial))
      return end_path(path, MBS_OK, &path->trial, instant_ahead(path, &path->trial));
    if (status == MBS_OK && defect <= 1) {
      /* h_new = 0.9 h defect^-1/5, within its bounds */
      path->next = h * fmin(most_growth, control(defect));
      mbs_path_copy(path, &path->trial, &path->to);
      path->joined = true;
      return MBS_OK;
    }
    /* shorter according to the defect, or by half */
    h *= status == MBS_OK ? fmin(0.5, control(defect)) : 0.5;
    if (h < smallest) return end_path(path, status, &path->from, path->from.t);
    mbs_run_forget_error(run); /* the step is tried again, so that its error does not count */
  }
}

/* Stores the angles and the contacts of curves at a node; the next states continue from them. */
static void keep(const mbs_path *path, const mbs_path_node *node) {
  mbs_system *system = path->run->system;
  set_states(path, node);
  mbs_set_position(system, node->t, node->q);
  mbs_set_velocity(system, node->v);
  system->model->kernels->remember(system);
  mbs_accept_contacts(system);
}

/* Stores a start at which C has nearly lost its rank: the given position, and velocities with the least residual. */
static void take_singular(mbs_path *path, const double *q, const double *v, mbs_path_node *node) {
  mbs_system *system = path->run->system;
  const mbs_model *model = system->model;
  memcpy(node->q, q, model->nq * sizeof *q);
  memcpy(node->v, v, model->nv * sizeof *v);
  memset(node->a, 0, model->nv * sizeof *node->a);
  mbs_set_position(system, node->t, node->q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHSV);
  path->partition.factored = path->partition.regular = false;
  mbs_partition_velocities(&path->partition, system, node->v);
  if (!isfinite(mbs_largest(node->v, model->nv))) memcpy(node->v, v, model->nv * sizeof *v);
  node->sign = 0;
  node->pivot_ratio = 0;
  node->log_determinant = -INFINITY;
  differentiate(path, node);
  read_states(path, node);
}

mbs_status mbs_path_start(mbs_path *path, double t, const double *q, const double *v, double limit) {
  assert(!(limit < t));
  mbs_system *system = path->run->system;
  const mbs_model *model = system->model;
  mbs_path_node *node = &path->to;
  memcpy(node->q, q, model->nq * sizeof *q);
  memcpy(node->v, v, model->nv * sizeof *v);
  memcpy(path->direction, v, model->nv * sizeof *v);
  memset(node->a, 0, model->nv * sizeof *node->a);
  node->t = t;
  for (size_t k = 0; k < path->state_count; k++) node->z[3 * k] = system->z[path->states[k]];
  path->limit = limit;
  path->has_before = path->joined = path->begins_singular = false;
  path->examined = -INFINITY;
  path->crossing.active = false;
  mbs_set_position(system, t, node->q);
  if (!system->all_active) path->largest_determinant = -INFINITY; /* determinant of other rows */
  mbs_status status = mbs_partition_choose(&path->partition, system, false);
  if (status == MBS_OK) status = mbs_path_solve(path, node);
  if (status != MBS_OK && !mbs_path_rejects(status)) return status;
  if (status != MBS_OK) take_singular(path, q, v, node);
  path->begins_singular = node->sign == 0 || node->pivot_ratio < mbs_near_start_share;
  path->largest_determinant = fmax(path->largest_determinant, node->log_determinant);
  path->renewed_determinant = node->log_determinant;
  path->next = first_move * mbs_path_time_scale(path, node);
  return MBS_OK;
}

/* If rows are redundant, selects the independent rows again after they have become less independent. */
static mbs_status renew_rows(mbs_path *path) {
  mbs_system *system = path->run->system;
  if (system->all_active || path->from.log_determinant >= path->renewed_determinant + log(mbs_renewal_share))
    return MBS_OK;
  path->renewed_determinant = path->from.log_determinant;
  mbs_set_position(system, path->from.t, path->from.q);
  mbs_constraints(system, MBS_WANT_C);
  if (!mbs_renew_rows(system, path->run->workspace)) return MBS_OK;
  path->has_before = false; /* the determinant is that of other rows */
  mbs_status status = mbs_partition_choose(&path->partition, system, false);
  if (status == MBS_OK) status = mbs_path_solve(path, &path->from);
  path->renewed_determinant = path->largest_determinant = path->from.log_determinant;
  return status;
}

static mbs_status next_interval(mbs_path *path) {
  path->crossing.active = false;
  path->unresolved = false;
  mbs_status renewed = renew_rows(path);
  if (renewed != MBS_OK) return renewed;
  if (path->begins_singular && !is_open(path)) return mbs_crossing_start(path);
  mbs_status status = path->has_before && !is_open(path) ? mbs_crossing_detect(path) : MBS_OK;
  if (status != MBS_OK || path->crossing.active) return status;
  return mbs_path_step(path);
}

mbs_status mbs_path_advance(mbs_path *path) {
  mbs_path_node before = path->before;
  path->has_before = path->joined;
  path->to.left = path->joined ? mbs_path_time_left(&path->from, &path->to) : INFINITY;
  path->before = path->from;
  path->from = path->to;
  path->to = before;
  path->largest_determinant = fmax(path->largest_determinant, path->from.log_determinant);
  path->largest_ratio = fmax(path->largest_ratio, path->from.pivot_ratio);
  keep(path, &path->from);
  return next_interval(path);
}

mbs_status mbs_path_shorten(mbs_path *path) {
  path->next = (path->to.t - path->from.t) / 8;
  path->crossing.active = path->unresolved = false;
  if (path->next < smallest_step(path)) return end_path(path, MBS_NOT_ASSEMBLED, &path->from, path->from.t);
  keep(path, &path->from);
  return mbs_path_step(path);
}

bool mbs_path_shorten_crossing(mbs_path *path, mbs_status *status) {
  assert(path->crossing.active);
  if (path->crossing.share / 8 < shortest_crossing) return false;
  path->crossing.share /= 8;
  path->examined = -INFINITY;
  *status = mbs_path_shorten(path);
  return true;
}

/* ---- states within the interval ------------------------------------------------------------------------------ */

/* Sets the system to a state that needs no Newton iteration: both ends, and states inside a crossing. */
static void take(const mbs_path *path, double t, const double *q, const double *v, const double *a) {
  mbs_system *system = path->run->system;
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, v);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  memcpy(system->vdot, a, system->model->nv * sizeof *a);
}

double mbs_path_distance(const mbs_path *path, const double *one, const double *two) {
  double largest = 0;
  for (size_t i = 0; i < path->run->model->nq; i++) largest = fmax(largest, fabs(one[i] - two[i]) / path->units[i]);
  return largest;
}

/* Corrects an interpolated state, like mbs_path_solve() for a node, and sets the system's accelerations. Interpolation
 * is nearly exact, so that Newton's method needs the factors of its first step only. Far from a loss of rank the usual
 * tolerances suffice. */
static mbs_status solve_between(mbs_path *path, mbs_path_node *state) {
  mbs_system *system = path->run->system;
  mbs_partition *partition = &path->partition;
  double least = fmin(path->from.log_determinant, path->to.log_determinant);
  mbs_status status = mbs_run_check(path->run, state->t);
  if (status != MBS_OK) return status;
  system->evaluations++;
  set_states(path, state);
  partition->polished = least < path->largest_determinant + log(far_share);
  status = mbs_partition_positions(partition, system, state->t, state->q);
  if (status == MBS_OK) status = mbs_partition_velocities(partition, system, state->v);
  if (status == MBS_OK) status = mbs_partition_accelerations(partition, system, state->v, state->a);
  partition->polished = true;
  return status;
}

static void take_node(const mbs_path *path, const mbs_path_node *node, double *q, double *v) {
  const mbs_model *model = path->run->model;
  memcpy(q, node->q, model->nq * sizeof *q);
  memcpy(v, node->v, model->nv * sizeof *v);
  set_states(path, node);
  take(path, node->t, q, v, node->a);
}

mbs_status mbs_path_state(mbs_path *path, double t, double *q, double *v) {
  const mbs_model *model = path->run->model;
  mbs_path_node *state = &path->trial;
  mbs_status status = MBS_OK;
  path->unresolved = false;
  if (path->crossing.active) {
    mbs_crossing_state(path, t, q, v, state->a);
    take(path, t, q, v, state->a);
    return MBS_OK;
  }
  if (t == path->from.t || t == path->to.t) {
    take_node(path, t == path->from.t ? &path->from : &path->to, q, v);
    return MBS_OK;
  }
  state->t = t;
  mbs_path_predict(path, &path->from, &path->to, state);
  model->kernels->normalize(model, state->q);
  memcpy(q, state->q, model->nq * sizeof *q);
  status = solve_between(path, state);
  path->unresolved =
      status == MBS_NOT_ASSEMBLED || (status == MBS_OK && mbs_path_distance(path, q, state->q) > interpolation_gap);
  if (path->unresolved) return MBS_NOT_ASSEMBLED;
  memcpy(q, state->q, model->nq * sizeof *q);
  memcpy(v, state->v, model->nv * sizeof *v);
  memcpy(path->run->system->vdot, state->a, model->nv * sizeof *state->a);
  path->run->system->q = q; /* equal numbers in memory that outlasts the call */
  path->run->system->v = v;
  return status;
}
