/* Crosses singular positions. Where branches of Phi(q, t) = 0 cross, C loses its rank, but each branch is smooth, and
 * the motion stays on its own branch. Newton's method fails there: at a distance d from the singular position errors of
 * positions are 1/d of a residual, those of velocities 1/d^2, those of accelerations 1/d^3. The crossing has three
 * steps:
 *
 *   1. Approach: ever shorter steps confirm that the path leads to the singular position, and does not turn away
 *      (branches that are only near each other) or end (a lock-up).
 *   2. Far side: the state beyond is predicted by the polynomial through the last well-conditioned nodes, and is
 *      corrected.
 *   3. Support points: well-conditioned states on both sides. In between, states are the polynomial through them.
 *
 * A path that begins at a singular position can continue on several branches. There C a = rhsA(v) has a solution only
 * if the right side is consistent with the rows' dependence y' C = 0. That is an equation for the velocities, quadratic
 * in alpha (the bifurcation equation):
 *
 *   y' rhsA(v0 + alpha x) = 0,   C x = 0. */
#include "base/norms.h"
#include "continuation/hermite.h"
#include "continuation/path_private.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"
#include "run/lock_up.h"
#include "run/run_errors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Length of a crossing on each side of a singular position, scaled; the share of it at which the approach ends. */
static const double half_width = 0.06, nearest_share = 3e-5;
/* If p loops lose their rank at one instant, errors grow as their distance to the power -p. */
static const double rounding = 1e-13;
/* The spacing of support points, as a share of that length. */
static const double point_spacing = 0.4;
/* A step of an approach must bring the loss of rank nearer by at least this share of the step. */
static const double least_approach = 0.25;
/* Largest distance of the nearest probed state from the polynomial of the crossing, as a share of its distance from the
 * singular position. */
static const double near_gap = 0.1;
enum { APPROACH_MAX = 100, HALVINGS_MAX = 10, ROOT_ITERATIONS = 60, NEWTON_ITERATIONS = 4 };
/* Lengths of the first step of a path that begins at a singular position, scaled; the later ones are tried if the first
 * fails. */
static const double first_ways[] = {1e-3, 1e-4, 1e-2};
/* Largest error of the first step against the mean of the velocities at its ends, as a share of its length. */
static const double first_gap = 0.02;
/* If two branches have the same angle to path->direction, this weight prefers the smaller change of velocity. */
static const double same_direction = 1e-6;
/* A singular value below this share of the largest counts as zero. */
static const double lost_share = 1e-7;

/* ---- the approach -------------------------------------------------------------------------------------------- */

/* Finds a node a little after `two` on the path through `one` and `two`. Returns false if there is none. */
static bool probe(mbs_path *path, const mbs_path_node *one, const mbs_path_node *two, double h, mbs_path_node *node) {
  for (int k = 0; k < HALVINGS_MAX; k++, h /= 2) {
    node->t = two->t + h;
    /* a step of h, halved until it lies on the path */
    mbs_path_predict(path, one, two, node);
    if (mbs_path_solve(path, node) == MBS_OK && node->sign == two->sign &&
        mbs_path_defect(path, two, node) <= mbs_path_allowed(path, two, node))
      return true;
  }
  return false;
}

/* Follows the path towards a loss of rank that is `ahead` seconds away, until it is `least` seconds away. `left` is
 * that of mbs_path_time_left(). Returns true and sets path->near and *instant. Returns false if the path ends or turns
 * away. */
static bool approach(mbs_path *path, double left, double ahead, double least, double *instant) {
  const mbs_path_node *one = &path->before, *two = &path->from;
  mbs_path_node *const spare[] = {&path->trial, &path->near, &path->ahead};
  for (int k = 0; k < APPROACH_MAX && ahead > least; k++) {
    mbs_path_node *next = spare[k % 3];
    if (!probe(path, one, two, 0.5 * ahead, next)) return false;
    /* tau_2, and t* - t = p tau_2 */
    double now_left = mbs_path_time_left(two, next);
    double now_ahead = now_left * mbs_path_order(two, left, next->t, now_left);
    path->examined = next->t;
    if (!(now_left < left && now_ahead <= ahead - least_approach * (next->t - two->t))) return false;
    left = now_left;
    ahead = now_ahead;
    one = two;
    two = next;
  }
  if (two != &path->near) mbs_path_copy(path, two, &path->near);
  *instant = two->t + ahead;
  return ahead <= least;
}

/* ---- the crossing ---------------------------------------------------------------------------------------------- */

/* Finds the regular state beyond the singular position, as far from the instant as `from`, into path->ahead. Returns
 * false if the path does not lead there. */
static bool find_far_side(mbs_path *path, double instant) {
  mbs_path_node *far = &path->ahead, *between = &path->trial;
  /* `far` is as far beyond t* as `from` is before it */
  far->t = 2 * instant - path->from.t;
  mbs_path_predict(path, &path->before, &path->from, far);
  if (mbs_path_solve(path, far) != MBS_OK || far->sign == 0) return false;
  if (!(mbs_path_defect(path, &path->from, far) <= mbs_path_allowed(path, &path->from, far))) return false;
  between->t = path->near.t;
  mbs_path_predict(path, &path->from, far, between);
  double way = (instant - path->near.t) / mbs_path_time_scale(path, far);
  return mbs_path_distance(path, between->q, path->near.q) <= near_gap * way;
}

static bool set_point(mbs_path *path, const mbs_path_node *one, const mbs_path_node *two, double t, int index) {
  assert(index >= 0 && index < MBS_CROSSING_POINTS);
  mbs_path_node *point = &path->crossing.points[index];
  point->t = t;
  mbs_path_predict(path, one, two, point);
  return mbs_path_solve(path, point) == MBS_OK && point->sign != 0;
}

/* Sets half of the support points before `from`, within the piece of the path that is known to be smooth, and half
 * beyond the far side. */
static bool set_points(mbs_path *path) {
  enum { HALF = MBS_CROSSING_POINTS / 2 };
  /* distances of the support points beyond and before */
  double spacing = point_spacing * 0.5 * (path->ahead.t - path->from.t);
  double back = fmin(spacing, (path->from.t - path->before.t) / (HALF - 1));
  bool good = true;
  for (int k = 0; k < HALF && good; k++)
    good = set_point(path, &path->before, &path->from, path->from.t - (HALF - 1 - k) * back, k) &&
           set_point(path, &path->from, &path->ahead, path->ahead.t + k * spacing, HALF + k);
  return good;
}

static void point_weights(const mbs_path *path, double t, double *value, double *slope) {
  double times[MBS_CROSSING_POINTS];
  for (int k = 0; k < MBS_CROSSING_POINTS; k++) times[k] = path->crossing.points[k].t;
  mbs_hermite_weights(MBS_CROSSING_POINTS, 1, times, t, value, slope);
}

/* Returns the determinant of C, or its slope, at t by the polynomial through the support points, up to a constant
 * factor. */
static double determinant(const mbs_path *path, double t, bool slope) {
  double weights[MBS_CROSSING_POINTS], sum = 0;
  point_weights(path, t, slope ? NULL : weights, slope ? weights : NULL);
  for (int k = 0; k < MBS_CROSSING_POINTS; k++) {
    const mbs_path_node *point = &path->crossing.points[k];
    /* +- |det C| of support point k times l_k(t), or l_k'(t) */
    sum += weights[k] * point->sign * exp(point->log_determinant - path->from.log_determinant);
  }
  return sum;
}

/* Returns the instant between `from` and path->ahead where the determinant vanishes, or where it is least if it does
 * not change its sign. */
static double find_instant(const mbs_path *path) {
  bool touches = path->from.sign == path->ahead.sign;
  double low = path->from.t, high = path->ahead.t, sign = determinant(path, low, touches);
  /* bisection for a zero of det C, or of its slope if det C only touches zero */
  for (int k = 0; k < ROOT_ITERATIONS; k++) {
    double middle = low + 0.5 * (high - low);
    *(sign * determinant(path, middle, touches) > 0 ? &low : &high) = middle;
  }
  return low + 0.5 * (high - low);
}

/* Sets the end of the interval: the far side, or the limit if that is earlier. */
static void set_end(mbs_path *path) {
  mbs_path_node *to = &path->to;
  mbs_path_copy(path, &path->ahead, to);
  if (to->t <= path->limit) return;
  to->t = path->limit;
  mbs_crossing_state(path, to->t, to->q, to->v, to->a);
}

/* theory (14.7) */
mbs_status mbs_crossing_detect(mbs_path *path) {
  assert(path->has_before && !path->crossing.active);
  mbs_run_state *run = path->run;
  /* tau, and t* - t = p tau against the length of a crossing */
  double left = mbs_path_time_left(&path->before, &path->from);
  double width = path->crossing.share * half_width * mbs_path_time_scale(path, &path->from);
  double ahead = left * mbs_path_order(&path->before, path->before.left, path->from.t, left), instant;
  if (!(ahead <= width) || path->from.t < path->examined || path->before.sign != path->from.sign) return MBS_OK;
  /* share of the length up to which the path is probed */
  double nearest = fmax(nearest_share, 10 * pow(rounding, 1 / (1 + ahead / left)));
  bool crosses = approach(path, left, ahead, nearest * width, &instant);
  if (crosses) {
    path->examined = instant;
    path->crossing.active = find_far_side(path, instant) && set_points(path);
  }
  mbs_status asked = mbs_run_check(run, path->from.t);
  if (asked != MBS_OK) return asked;
  mbs_run_forget_error(run); /* errors of probes do not count */
  if (!path->crossing.active) return MBS_OK;
  path->crossing.t = find_instant(path);
  path->joined = true;
  path->next = path->ahead.t - path->from.t;
  set_end(path);
  return MBS_OK;
}

/* theory (14.8) */
void mbs_crossing_state(const mbs_path *path, double t, double *q, double *v, double *a) {
  assert(path->crossing.active);
  const mbs_model *model = path->run->model;
  double weights[MBS_CROSSING_POINTS];
  point_weights(path, t, weights, NULL);
  memset(q, 0, model->nq * sizeof *q);
  memset(v, 0, model->nv * sizeof *v);
  memset(a, 0, model->nv * sizeof *a);
  /* q = sum of l_k(t) q_k, v and a likewise */
  for (int k = 0; k < MBS_CROSSING_POINTS; k++) {
    const mbs_path_node *point = &path->crossing.points[k];
    for (size_t i = 0; i < model->nq; i++) q[i] += weights[k] * point->q[i];
    for (size_t i = 0; i < model->nv; i++) v[i] += weights[k] * point->v[i];
    for (size_t i = 0; i < model->nv; i++) a[i] += weights[k] * point->a[i];
  }
  model->kernels->normalize(model, q);
}

/* theory (14.11) */
void mbs_crossing_multipliers(const mbs_path *path, double t, double *lambda) {
  assert(path->crossing.active);
  const mbs_crossing *crossing = &path->crossing;
  size_t rows = path->run->model->rows;
  double weights[MBS_CROSSING_POINTS];
  point_weights(path, t, weights, NULL);
  memset(lambda, 0, rows * sizeof *lambda);
  for (size_t k = 0; k < MBS_CROSSING_POINTS; k++) {
    /* (t_k - t*) / (t - t*) */
    double ratio = (crossing->points[k].t - crossing->t) / (t - crossing->t); /* ratio of the distances to the pole */
    const double factors[] = {1, ratio, ratio * ratio};
    /* lambda_r += l_k ratio^nu_r lambda_rk */
    for (size_t r = 0; r < rows; r++)
      lambda[r] += weights[k] * (crossing->poles[r] ? factors[crossing->poles[r]] : 1) * crossing->lambda[k * rows + r];
  }
}

/* ---- a path that begins at a singular position --------------------------------------------------------------- */

/* Null vectors: C x = 0, x [nv], and y' C = 0, y [active rows], for scaled rows. */
typedef struct null_vectors {
  double *x, *y;
  size_t nullity;
} null_vectors;

/* Computes the last right singular vector of A [n x n] into `out` [n]; destroys A. Returns the nullity of A. The
 * workspace has n^2 + n + mbs_lapack_workspace(n, n) doubles. */
static size_t last_vector(size_t n, double *A, double *out, double *workspace) {
  assert(n > 0);
  double *values = workspace, *Vt = values + n, *rest = Vt + n * n;
  size_t nullity = 0;
  if (!mbs_singular_values(n, n, A, values, Vt, rest)) return 0;
  for (size_t k = 0; k < n; k++) {
    out[k] = Vt[k * n + n - 1];
    nullity += values[k] < lost_share * values[0];
  }
  return nullity;
}

static null_vectors find_null_vectors(mbs_path *path) {
  mbs_system *system = path->run->system;
  const mbs_model *model = system->model;
  size_t m = model->rows, n = path->partition.dependent;
  if (!path->null_work)
    path->null_work =
        mbs_arena_alloc(system->arena, 3 * n + m * n + 3 * n * n + mbs_lapack_workspace(n, n), sizeof *path->null_work);
  null_vectors out = {.x = path->null_work, .y = path->null_work + n};
  if (!path->null_work || n != model->nv) return out;
  double *C = out.y + n, *A = C + m * n, *At = A + n * n, *workspace = At + n * n;
  mbs_jacobian_dense(system, C);
  /* A: the independent rows of C, scaled; At: its transpose */
  for (size_t r = 0; r < m; r++)
    for (size_t k = 0; k < n && path->partition.active_index[r] >= 0; k++) {
      size_t row = (size_t)path->partition.active_index[r];
      A[k * n + row] = At[row * n + k] = C[k * m + r] * system->v_units[k] / system->row_units[r];
    }
  /* C x = 0, C' y = 0 */
  out.nullity = last_vector(n, A, out.x, workspace);
  last_vector(n, At, out.y, workspace);
  for (size_t k = 0; k < n; k++) out.x[k] *= system->v_units[k];
  return out;
}

/* Returns y' rhsA at the velocities v + alpha x. theory (14.9) */
static double solvability(mbs_path *path, const null_vectors *null, double alpha) {
  mbs_system *system = path->run->system;
  const mbs_model *model = system->model;
  double sum = 0;
  for (size_t k = 0; k < model->nv; k++) path->move[k] = path->from.v[k] + alpha * null->x[k];
  mbs_set_velocity(system, path->move);
  mbs_constraints(system, MBS_WANT_RHS);
  for (size_t r = 0; r < model->rows; r++)
    if (path->partition.active_index[r] >= 0)
      sum += null->y[path->partition.active_index[r]] * system->rhsA[r] / system->row_units[r];
  return sum;
}

/* Returns 1 - |cos| of the angle between v [nv] and path->direction: 0 if parallel, 1 if perpendicular. */
static double turned_away(const mbs_path *path, const double *v) {
  const mbs_system *system = path->run->system;
  double product = 0, square1 = 0, square2 = 0;
  for (size_t k = 0; k < system->model->nv; k++) {
    double x = v[k] / system->v_units[k], y = path->direction[k] / system->v_units[k];
    product += x * y;
    square1 += x * x;
    square2 += y * y;
  }
  return square1 > 0 && square2 > 0 ? 1 - fabs(product) / sqrt(square1 * square2) : 0;
}

/* Sets the velocities at `from` to those of the branch whose direction is nearest to path->direction. Returns false if
 * there is no branch. theory (14.9) */
static bool choose_way(mbs_path *path) {
  const mbs_model *model = path->run->model;
  mbs_set_position(path->run->system, path->from.t, path->from.q);
  mbs_constraints(path->run->system, MBS_WANT_C);
  null_vectors null = find_null_vectors(path);
  double s = fmax(mbs_largest_in_units(path->from.v, path->run->system->v_units, model->nv), 1e-300);
  if (null.nullity != 1) return true; /* x is missing or not unique: keeps the velocities, which may be right */
  /* y' rhsA at v_0, v_0 + s x, v_0 - s x */
  double here = solvability(path, &null, 0), up = solvability(path, &null, s), down = solvability(path, &null, -s);
  double c1 = 0.5 * (up - down), c2 = 0.5 * (up + down) - here; /* here + c1 x + c2 x^2, x = alpha / s */
  double size = fabs(here) + fabs(c1) + fabs(c2), root = c1 * c1 - 4 * c2 * here;
  if (!(size > 0)) return true;
  if (root < -1e-9 * size * size) return false;
  double sum = -c1 - copysign(sqrt(fmax(root, 0)), c1), best = INFINITY, alpha = 0; /* avoids cancellation */
  const double roots[] = {sum != 0 ? 2 * here / sum : NAN, fabs(c2) > 1e-12 * size ? sum / (2 * c2) : NAN};
  for (int i = 0; i < 2; i++) {
    if (!isfinite(roots[i])) continue;
    for (size_t k = 0; k < model->nv; k++) path->move[k] = path->from.v[k] + s * roots[i] * null.x[k];
    double away = turned_away(path, path->move) + same_direction * fabs(roots[i]);
    if (away < best) alpha = s * roots[i];
    best = fmin(best, away);
  }
  if (!isfinite(best)) return false;
  /* v_0 + alpha x */
  for (size_t k = 0; k < model->nv; k++) path->from.v[k] += alpha * null.x[k];
  return true;
}

/* Finds the first regular node, at the scaled distance `way` from `from` along its velocities. Returns false if there
 * is none. */
static bool first_node(mbs_path *path, double way, double pace, mbs_path_node *node) {
  assert(way > 0);
  const mbs_model *model = path->run->model;
  const mbs_path_node *from = &path->from;
  double h = way * pace, largest = 0;
  node->t = from->t + h;
  /* q + h v, corrected */
  for (size_t i = 0; i < model->nv; i++) path->move[i] = h * from->v[i];
  mbs_displace(model, from->q, path->move, node->q);
  memcpy(node->v, from->v, model->nv * sizeof *node->v);
  memset(node->a, 0, model->nv * sizeof *node->a);
  if (mbs_path_solve(path, node) != MBS_OK || node->sign == 0) return false;
  /* q_1 - q_0 - h/2 (q_0' + q_1') */
  for (size_t i = 0; i < model->nq; i++)
    largest = fmax(largest, fabs(node->q[i] - from->q[i] - h / 2 * (from->qd[i] + node->qd[i])) / path->units[i]);
  return largest <= first_gap * way;
}

/* Sets support points at equal intervals of time from `begin`, on the path that continues from path->to. */
static mbs_status walk_on(mbs_path *path, double begin, double distance_between) {
  int set = 0;
  while (set < MBS_CROSSING_POINTS) {
    mbs_path_node before = path->before;
    path->has_before = path->joined;
    path->before = path->from;
    path->from = path->to;
    path->to = before;
    mbs_status status = mbs_path_step(path);
    if (status != MBS_OK) return status;
    /* the support points within this step of the path */
    for (; set < MBS_CROSSING_POINTS; set++) {
      double t = begin + (set + 1) * distance_between;
      if (t > path->to.t) break;
      if (t < path->from.t || !set_point(path, &path->from, &path->to, t, set)) return MBS_SINGULAR_POSITION;
    }
  }
  return MBS_OK;
}

/* Returns the instant when C loses its rank: the zero of the determinant through the support points if the start still
 * has its rank, otherwise the start. */
static double instant_of_start(const mbs_path *path, const mbs_path_node *start) {
  double t = start->t;
  if (start->sign == 0) return t;
  for (int k = 0; k < NEWTON_ITERATIONS; k++) t -= determinant(path, t, false) / determinant(path, t, true);
  return fabs(t - start->t) < fabs(path->crossing.points[0].t - start->t) ? t : start->t;
}

/* Finds the first node and the support points from the start in path->near, with the velocities in path->from. Returns
 * MBS_SINGULAR_POSITION if there are none, or if the start is not near a loss of rank. */
static mbs_status leave_by(mbs_path *path, double way) {
  const mbs_path_node *start = &path->near;
  double pace = mbs_path_time_scale(path, &path->from);
  if (!isfinite(pace) || !first_node(path, way, pace, &path->to)) return MBS_SINGULAR_POSITION;
  mbs_run_forget_error(path->run);
  path->joined = false;
  path->next = path->to.t - path->from.t;
  mbs_status status = walk_on(path, start->t, half_width * pace);
  if (status != MBS_OK) return status;
  return start->pivot_ratio < mbs_near_start_share * path->crossing.points[0].pivot_ratio ? MBS_OK
                                                                                          : MBS_SINGULAR_POSITION;
}

/* Chooses a branch, then calls leave_by() with each length of the first step until one succeeds. */
static mbs_status leave(mbs_path *path) {
  const mbs_model *model = path->run->model;
  memset(path->from.a, 0, model->nv * sizeof *path->from.a);
  memset(path->from.qdd, 0, model->nq * sizeof *path->from.qdd);
  if (!choose_way(path)) return MBS_SINGULAR_POSITION;
  model->kernels->rates(model, path->from.q, path->from.v, path->from.qd);
  mbs_path_copy(path, &path->from, &path->ahead);
  mbs_status status = MBS_SINGULAR_POSITION;
  for (size_t k = 0; k < sizeof first_ways / sizeof *first_ways && status != MBS_OK; k++) {
    if (k > 0) mbs_path_copy(path, &path->ahead, &path->from);
    status = leave_by(path, first_ways[k]);
    if (status != MBS_OK && !mbs_path_rejects(status)) return status;
  }
  return status;
}

mbs_status mbs_crossing_start(mbs_path *path) {
  assert(path->begins_singular);
  mbs_run_state *run = path->run;
  mbs_path_node *start = &path->near;
  double limit = path->limit, next = path->next;
  mbs_path_copy(path, &path->from, start);
  path->begins_singular = path->joined = false;
  path->limit = INFINITY; /* functions of time continue there without a change */
  mbs_status status = leave(path);
  path->limit = limit;
  mbs_path_copy(path, start, &path->from);
  path->has_before = path->joined = false;
  if (status != MBS_OK && !mbs_path_rejects(status)) return status;
  if (status != MBS_OK && start->sign == 0) return mbs_run_no_branch(run, start->t, start->q);
  mbs_run_forget_error(run);
  if (status != MBS_OK) { /* a regular start */
    path->next = next;
    return mbs_path_step(path);
  }
  mbs_path_copy(path, &path->crossing.points[0], &path->ahead);
  path->crossing.active = true;
  path->crossing.t = instant_of_start(path, start);
  path->next = path->ahead.t - path->from.t;
  set_end(path);
  return MBS_OK;
}
