/* Dragging a point P of the mechanism towards a target: steps of Levenberg and Marquardt for norm(e), e = target - r_P,
 * along the degrees of freedom, in the metric of the mass matrix:
 *     g_k = M^-1 (J_k' - C' S^-1 C M^-1 J_k'),   G = J g,   (G + mu s) l = e,   q := q + sum of l_k g_k
 * followed by a projection onto the constraints. J are the rows of the point's velocity; s is the effect of a unit
 * impulse at the point on the body alone. A step that leads farther away, or onto another branch, is undone, and mu
 * grows.
 * At the end of the point's path its first derivative along the degrees of freedom vanishes, and so does every such
 * step, whether the target lies beyond the end or has come back. There a small motion along the degrees of freedom
 * determines the second derivative, and with it the direction that leads nearer. */
#include "interactive/session.h"

#include "base/suballocate.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"
#include "model/rows.h"
#include "run/run_errors.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRIALS_MAX = 5, AXES = 3 };
/* Largest motion of a body in one step and, by default, in a call [extents, radians]. */
static const double step_cap = 0.3, call_cap = 1.5;
/* A body that moves farther than its velocities predict, by this multiple plus this amount, is on another branch. */
static const double stray_share = 1.5, stray = 0.02;
/* A step is good if it brings at least this fraction of the best one in its direction. */
static const double good_share = 0.5;
/* Bounds of mu, and the factor by which a good step divides it and a bad one multiplies it. */
static const double least_damping = 1e-6, most_damping = 1e-2, damping_pace = 10;
/* Limits: a distance that counts as zero [extents]; a step that ends the iteration; smallest useful gain of a step. */
static const double at_target = 1e-12, small_step = 1e-9, least_gain = 1e-3;
/* A motion along a degree of freedom for finding the second derivative; a smaller motion of the point counts as none
 * [extents]. */
static const double probe_step = 0.05, unmoved = 1e-9;
/* A direction counts as blocked if a smaller fraction of it satisfies the constraints. */
static const double least_freedom = 1e-7;
/* Trial steps for finding the curvature of a path at its end. */
static const double near_probe = 2, far_probe = 4;
/* A target farther inwards than this fraction of the path's radius of curvature is on the other side. */
static const double far_side = 0.5;
/* A diagonal element of G below this fraction of s counts as zero. */
static const double least_mobility = 1e-12;

struct mbs_drag {
  double *rows[AXES], *motions[AXES]; /* [nv] J_k, g_k */
  double *step, *rest, *zero, *way;   /* [nv]; zero: zero velocity; way: sum of all steps of a call */
  double *trial;                      /* [nq] */
  double *workspace;                  /* workspace of small matrices */
  /* State of a point that waits at the end of its path: its body and its position there, its global position, the unit
   * tangent inwards, and the curvature times the unit normal. */
  bool waits;
  int waiting_body;
  double waiting_point[AXES], end[AXES], inward[AXES], curvature[AXES];
};

struct mbs_drag *mbs_drag_new(const mbs_model *model, mbs_arena *arena) {
  struct mbs_drag *drag = mbs_arena_alloc(arena, 1, sizeof *drag);
  double *rest = mbs_arena_alloc(arena, 10 * model->nv + model->nq + 1, sizeof *rest);
  double *workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(AXES, AXES), sizeof *workspace);
  if (!drag || !rest || !workspace) return NULL;
  for (int k = 0; k < AXES; k++) {
    drag->rows[k] = mbs_suballocate(&rest, model->nv);
    drag->motions[k] = mbs_suballocate(&rest, model->nv);
  }
  drag->step = mbs_suballocate(&rest, model->nv);
  drag->rest = mbs_suballocate(&rest, model->nv);
  drag->zero = mbs_suballocate(&rest, model->nv);
  drag->way = mbs_suballocate(&rest, model->nv);
  drag->trial = mbs_suballocate(&rest, model->nq);
  drag->workspace = workspace;
  return drag;
}

/* The data of one call. */
typedef struct task {
  mbs_session *session;
  mbs_system *system;
  struct mbs_drag *drag;
  int body, dim;
  const double *point, *target;
  double limit;    /* remaining motion permitted in the call */
  double size;     /* s */
  double r[AXES];  /* position of the point */
  double e[AXES];  /* vector from the point to the target */
  double distance; /* norm(e) */
  double G[AXES * AXES];
  bool lost;  /* C is nearly rank-deficient */
  bool free;  /* something can move */
  bool shown; /* a motion was tried */
  bool moved; /* the point moved */
} task;

/* ---- linear parts ---------------------------------------------------------------------------------------------- */

/* Computes the point's position, and the vector and distance to the target. */
static void measure(task *self) {
  double sum = 0;
  self->session->model->kernels->point(self->system, self->body, self->point, 0, self->r);
  for (int k = 0; k < self->dim; k++) {
    self->e[k] = self->target[k] - self->r[k];
    sum += self->e[k] * self->e[k];
  }
  self->distance = sqrt(sum);
}

static double product(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Returns a force [N] at least as large as the weight of the mechanism. */
static double weight_of(const mbs_session *session) {
  const mbs_constants *constants = session->constants;
  double weight = 0;
  for (size_t b = 1; b <= session->model->nB; b++)
    weight += constants->bodies[b].mass * sqrt(product(constants->gravity, constants->gravity, 3));
  return weight > 0 ? weight : 1;
}

/* Computes J_k from the change of h by a force along axis k at the point; h otherwise contains only weights. */
static void fill_rows(task *self) {
  mbs_system *system = self->system;
  const mbs_kernels *kernels = self->session->model->kernels;
  struct mbs_drag *drag = self->drag;
  size_t n = self->session->model->nv;
  double weight = weight_of(self->session);
  mbs_set_velocity(system, drag->zero);
  kernels->clear_wrenches(system);
  kernels->generalized_forces(system);
  memcpy(drag->rest, system->h, n * sizeof *drag->rest);
  for (int k = 0; k < self->dim; k++) {
    const double force[AXES] = {k == 0 ? weight : 0, k == 1 ? weight : 0, k == 2 ? weight : 0};
    kernels->clear_wrenches(system);
    kernels->push(system, self->body, self->point, force);
    kernels->generalized_forces(system);
    for (size_t i = 0; i < n; i++) drag->rows[k][i] = (system->h[i] - drag->rest[i]) / weight;
  }
  kernels->clear_wrenches(system);
}

/* Near a rank loss, excludes motions along other branches: g_k = d (J_k d) / (d' M d) with the last motion d. theory
 * (18.9) */
static void stay_on_branch(task *self) {
  mbs_session *session = self->session;
  struct mbs_drag *drag = self->drag;
  const double *d = session->now.direction;
  size_t n = session->model->nv;
  mbs_set_velocity(self->system, d);
  double inertia = 2 * session->model->kernels->kinetic(self->system);
  if (!(inertia > 0)) return;
  self->lost = true;
  for (int k = 0; k < self->dim; k++) {
    double rate = product(drag->rows[k], d, n) / inertia;
    for (size_t i = 0; i < n; i++) drag->motions[k][i] = rate * d[i];
  }
}

/* Computes J, g and G at the current position. theory (18.2), (18.3) */
static mbs_status linearize(task *self) {
  mbs_system *system = self->system;
  struct mbs_drag *drag = self->drag;
  size_t n = self->session->model->nv;
  mbs_constraints(system, MBS_WANT_C);
  mbs_status status = mbs_factor(system);
  if (status != MBS_OK) return status;
  fill_rows(self);
  for (int k = 0; k < self->dim; k++) {
    /* g_k = M^-1 (J_k' - C' S^-1 C M^-1 J_k') */
    mbs_solve_within(system, drag->rows[k]);
    memcpy(drag->motions[k], system->vdot, n * sizeof *system->vdot);
  }
  self->lost = false;
  if (mbs_session_near_singular(self->session)) stay_on_branch(self);
  for (int i = 0; i < self->dim; i++)
    for (int k = 0; k < self->dim; k++) self->G[i * self->dim + k] = product(drag->rows[i], drag->motions[k], n);
  return MBS_OK;
}

/* x := (G + mu s)^-1 x. theory (18.4) */
static bool solve_damped(const task *self, double damping, double x[AXES]) {
  double A[AXES * AXES];
  memcpy(A, self->G, sizeof A);
  for (int k = 0; k < self->dim; k++) A[k * self->dim + k] += damping * self->size;
  return mbs_linear_solve((size_t)self->dim, A, x, self->drag->workspace);
}

/* out += sum of l_k g_k. */
static void add_motions(const task *self, const double l[AXES], double *out) {
  for (int k = 0; k < self->dim; k++)
    for (size_t i = 0; i < self->session->model->nv; i++) out[i] += l[k] * self->drag->motions[k][i];
}

/* Returns the approximate effect of a unit impulse at the point on the body alone. */
static double own_size(const task *self) {
  assert(self->body >= 1 && (size_t)self->body <= self->session->model->nB);
  const mbs_body_constants *body = &self->session->constants->bodies[self->body];
  double inertia = fmax(body->inertia[0], self->dim == 3 ? fmax(body->inertia[1], body->inertia[2]) : 0);
  double size = body->mass > 0 ? 1 / body->mass : 0;
  if (inertia > 0) size += product(self->point, self->point, (size_t)self->dim) / inertia;
  return size;
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

/* Sets the position back to now.q. */
static void set_back(task *self) {
  mbs_session *session = self->session;
  memcpy(session->now.q, self->drag->trial, session->model->nq * sizeof *session->now.q);
  mbs_set_position(self->system, session->now.t, session->now.q);
  measure(self);
}

/* Moves now.q by `share` of dv and back onto the constraints, near the predicted position, and measures the point's
 * distance there. Returns false if there is no such position. */
static bool try_step(task *self, const double *dv, double share, double reach) {
  mbs_session *session = self->session;
  struct mbs_drag *drag = self->drag;
  for (size_t i = 0; i < session->model->nv; i++) drag->rest[i] = share * dv[i];
  mbs_displace(session->model, session->now.q, drag->rest, session->now.q);
  if (!mbs_session_project(session, false)) return false;
  measure(self);
  return mbs_session_max_displacement(session, session->marks) <= stray_share * reach + stray;
}

/* Accepts the step. */
static void keep_step(task *self, const double *dv, double share) {
  mbs_session *session = self->session;
  self->drag->waits = false;
  self->limit -= mbs_session_max_displacement(session, session->marks);
  mbs_session_mark(session, session->marks);
  memcpy(self->drag->trial, session->now.q, session->model->nq * sizeof *session->now.q);
  for (size_t i = 0; i < session->model->nv && !self->lost; i++) {
    session->now.direction[i] = share * dv[i];
    self->drag->way[i] += share * dv[i];
  }
}

/* norm(e - p x - b x^2)^2 */
static double left_at(const double e[AXES], const double p[AXES], const double b[AXES], double x) {
  double sum = 0;
  for (int k = 0; k < AXES; k++) {
    double left = e[k] - (p[k] + b[k] * x) * x;
    sum += left * left;
  }
  return sum;
}

/* Returns the first minimum of that along x in [0, 1], starting at 0. theory (18.5) */
static double least_along(const double e[AXES], const double p[AXES], const double b[AXES]) {
  enum { PIECES = 32 };
  double least = INFINITY, x = 0;
  for (int piece = 0; piece <= PIECES; piece++) {
    double left = left_at(e, p, b, (double)piece / PIECES);
    if (left > least) break;
    least = left;
    x = (double)piece / PIECES;
  }
  return x;
}

/* Makes the step `share` of drag->step, which should move the point by p; a shorter one if the path bends away before.
 * Returns the fraction of the step that was made; 0 if none leads nearer. */
static double take_step(task *self, double share, double reach, const double p[AXES]) {
  double e[AXES], from[AXES] = {0, 0, 0}, bent[AXES] = {0, 0, 0}, before = self->distance, x = 0.25;
  memcpy(e, self->e, sizeof e);
  memcpy(from, self->r, sizeof from);
  if (try_step(self, self->drag->step, share, share * reach)) {
    for (int k = 0; k < AXES; k++) bent[k] = self->r[k] - from[k] - p[k];
    x = least_along(e, p, bent);
    double most = before * before - left_at(e, p, bent, x);
    if (self->distance < before && before * before - self->distance * self->distance >= good_share * most) {
      keep_step(self, self->drag->step, share);
      return 1;
    }
  }
  set_back(self);
  if (!(x * share * reach > small_step)) return 0;
  if (try_step(self, self->drag->step, x * share, x * share * reach) && self->distance < before) {
    keep_step(self, self->drag->step, x * share);
    return x;
  }
  set_back(self);
  return 0;
}

/* Makes steps while they lead nearer. theory (18.4) */
static mbs_status descend(task *self) {
  mbs_session *session = self->session;
  struct mbs_drag *drag = self->drag;
  double *damping = &session->now.damping, none = at_target * session->constants->extent;
  bool fresh = false;
  *damping = fmin(fmax(*damping, least_damping), most_damping);
  for (int k = 0; k < TRIALS_MAX && self->distance > none && self->limit > 0; k++) {
    mbs_status status = fresh ? MBS_OK : linearize(self);
    if (status != MBS_OK) return status;
    double l[AXES], p[AXES] = {0, 0, 0};
    memcpy(l, self->e, sizeof l);
    memset(drag->step, 0, session->model->nv * sizeof *drag->step);
    if (!solve_damped(self, *damping, l)) return MBS_OK;
    add_motions(self, l, drag->step);
    double reach = mbs_session_predicted_displacement(session, drag->step),
           share = fmin(1, fmin(step_cap, self->limit) / reach);
    if (!(reach > small_step)) return MBS_OK;
    for (int i = 0; i < self->dim; i++) p[i] = share * product(self->G + i * self->dim, l, (size_t)self->dim);
    double taken = take_step(self, share, reach, p);
    fresh = taken == 0;
    *damping = taken == 1 ? fmax(*damping / damping_pace, least_damping) : *damping * damping_pace;
  }
  return MBS_OK;
}

/* ---- positions where first derivatives vanish ------------------------------------------------------------------ */

/* Reduces dv to its part within the constraints that moves the point least, with the length of a trial step. Returns
 * false if there is none. theory (18.6) */
static bool along_freedoms(task *self, double *dv) {
  const mbs_model *model = self->session->model;
  mbs_session *session = self->session;
  double l[AXES], length = mbs_session_predicted_displacement(session, dv);
  if (!(length > 0)) return false;
  mbs_session_project_velocity(session, dv);
  /* dv - g (G + mu s)^-1 J dv */
  for (int k = 0; k < self->dim; k++) l[k] = -product(self->drag->rows[k], dv, model->nv);
  if (!solve_damped(self, least_damping, l)) return false;
  double within = mbs_session_predicted_displacement(session, dv);
  add_motions(self, l, dv);
  double reach = mbs_session_predicted_displacement(session, dv);
  self->free |= within > least_freedom * length;
  if (!(reach > least_freedom * length)) return false;
  for (size_t i = 0; i < model->nv; i++) dv[i] *= probe_step / reach;
  return true;
}

/* Tries a step along dv [one trial step], and undoes it unless it leads nearer. */
static bool nearer_along(task *self, const double *dv, double share) {
  double before = self->distance, none = at_target * self->session->constants->extent;
  if (try_step(self, dv, share, fabs(share) * probe_step) && self->distance < before - none) {
    keep_step(self, dv, share);
    return true;
  }
  set_back(self);
  return false;
}

/* Computes the chord from `from` to the position of the point after `share` of dv. Returns its length, or 0 if there is
 * no such position. Leaves the mechanism unchanged. */
static double chord(task *self, const double *dv, double share, const double from[AXES], double out[AXES]) {
  double sum = 0;
  bool there = try_step(self, dv, share, share * probe_step);
  for (int k = 0; k < self->dim; k++) {
    out[k] = self->r[k] - from[k];
    sum += out[k] * out[k];
  }
  set_back(self);
  return there ? sqrt(sum) : 0;
}

/* Stores that the point is at the end of its path, which bends back along dv: its tangent and curvature, from two
 * chords d(s) = t s + (kappa n) s^2 / 2. Only mechanisms with one degree of freedom have such a path. theory (18.7) */
static void wait_at_end(task *self, const double *dv) {
  struct mbs_drag *drag = self->drag;
  double near[AXES] = {0, 0, 0}, far[AXES] = {0, 0, 0}, from[AXES] = {0, 0, 0};
  if (mbs_session_mobility(self->session) != 1) return;
  memcpy(from, self->r, sizeof from);
  double s = chord(self, dv, near_probe, from, near), S = chord(self, dv, far_probe, from, far);
  if (!(s > unmoved * self->session->constants->extent) || !(S > s)) return;
  for (int k = 0; k < self->dim; k++) {
    double bend = (far[k] / S - near[k] / s) / (S - s);
    drag->curvature[k] = 2 * bend;
    drag->inward[k] = near[k] / s - bend * s;
  }
  drag->waits = true;
  drag->waiting_body = self->body;
  memcpy(drag->waiting_point, self->point, (size_t)self->dim * sizeof *self->point);
  memcpy(drag->end, from, sizeof from);
}

/* Returns true if the point waits at the end of its path while the target is on the other side. The nearest positions
 * are then at the other end, to which the point would jump; it waits until the target comes back. theory (18.7) */
static bool waits_on(const task *self) {
  const struct mbs_drag *drag = self->drag;
  if (!drag->waits || drag->waiting_body != self->body) return false;
  size_t n = (size_t)self->dim;
  if (memcmp(drag->waiting_point, self->point, n * sizeof *self->point) != 0) return false;
  if (memcmp(drag->end, self->r, n * sizeof *self->r) != 0) return false;
  return product(self->e, drag->inward, n) > 0 && product(self->e, drag->curvature, n) > far_side;
}

/* Along x dv the point moves by b x^2: moves to x = sqrt(b.e / b.b), which is nearest. theory (18.7) */
static bool bend(task *self, const double *dv) {
  double from[AXES] = {0, 0, 0}, along = 0, square = 0, least = unmoved * self->session->constants->extent;
  memcpy(from, self->r, sizeof from);
  bool there = try_step(self, dv, 1, probe_step);
  for (int k = 0; k < self->dim && there; k++) {
    double bent = self->r[k] - from[k];
    along += bent * (self->target[k] - from[k]);
    square += bent * bent;
  }
  set_back(self);
  self->shown |= there;
  self->moved |= square > least * least;
  if (there && square > least * least && !(along > least * least)) wait_at_end(self, dv);
  if (!(along > least * least) || !(square > least * least)) return false;
  double share = fmin(1, sqrt(along / square));
  return nearer_along(self, dv, share) || nearer_along(self, dv, -share);
}

/* If steps do not lead nearer: continues in the direction of the last motion or, if there is none, in any direction. */
static mbs_status lead_on(task *self, bool *nearer) {
  mbs_session *session = self->session;
  const mbs_model *model = session->model;
  double *dv = self->drag->step;
  mbs_status status = linearize(self);
  *nearer = false;
  for (int k = 0; k < self->dim && status == MBS_OK; k++)
    self->moved |= self->G[k * self->dim + k] > least_mobility * self->size;
  for (int attempt = 0; attempt < 2 && status == MBS_OK && !*nearer; attempt++) {
    if (attempt == 0)
      memcpy(dv, session->now.direction, model->nv * sizeof *dv);
    else
      for (size_t i = 0; i < model->nv; i++) dv[i] = sin(1.7 * (double)(i + 1)) * self->system->v_units[i];
    if (along_freedoms(self, dv)) *nearer = bend(self, dv);
  }
  return status;
}

/* ---- the call -------------------------------------------------------------------------------------------------- */

static bool is_finite(const double *x, int n) {
  for (int k = 0; k < n; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

/* Writes the joints of a body, "'a', 'b'", as many as fit. Returns the first of them, or "". */
static const char *name_joints(const mbs_model *model, int body, char *out, size_t size, size_t *count) {
  const char *first = "";
  size_t used = 0;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (joint->frames.body1 != body && joint->frames.body2 != body) continue;
    if (!(*count)++) first = joint->name;
    if (used + strlen(joint->name) + 8 < size)
      used += (size_t)snprintf(out + used, size - used, "%s'%s'", used ? ", " : "", joint->name);
  }
  return first;
}

/* Reports that the point cannot move, and what holds its body. */
static mbs_status fail_held(const task *self) {
  mbs_session *session = self->session;
  char names[200] = "its constraints";
  size_t count = 0;
  const char *first = name_joints(session->model, self->body, names, sizeof names, &count);
  const char *body = session->model->bodies[self->body].name, *holds = count == 1 ? "holds" : "hold";
  if (self->free)
    return mbs_run_fail(&session->run, MBS_LOCK_UP, session->now.t, first,
                        "this point of '%s' cannot move: %s %s it, while other parts of the mechanism can move", body,
                        names, holds);
  return mbs_run_fail(&session->run, MBS_LOCK_UP, session->now.t, first,
                      "'%s' cannot move: %s %s it, and the joints of the mechanism leave no degree of freedom; remove "
                      "a constraint, or give a joint one more degree of freedom",
                      body, names, holds);
}

static mbs_status pull_point(task *self) {
  assert(self->dim == 2 || self->dim == 3);
  mbs_session *session = self->session;
  double none = at_target * session->constants->extent;
  mbs_session_mark(session, session->marks);
  memcpy(self->drag->trial, session->now.q, session->model->nq * sizeof *session->now.q);
  measure(self);
  if (waits_on(self)) return MBS_OK;
  self->size = own_size(self);
  double start = self->distance;
  mbs_status status = descend(self);
  bool nearer = start - self->distance >= least_gain * self->distance;
  if (status != MBS_OK || nearer || self->distance <= none || !(self->limit > 0)) return status;
  self->moved = start - self->distance > unmoved * session->constants->extent;
  status = lead_on(self, &nearer);
  if (status == MBS_OK && nearer) status = descend(self);
  bool held = !self->moved && (self->shown || !self->free);
  return status == MBS_OK && held ? fail_held(self) : status;
}

mbs_status mbs_session_drag(mbs_session *session, size_t body, const double *point, const double *target, double limit,
                            double *distance) {
  const mbs_model *model = session->model;
  task self = {.session = session,
               .system = session->run.system,
               .drag = session->drag,
               .dim = model->dim,
               .point = point,
               .target = target,
               .limit = limit > 0 ? limit : call_cap};
  mbs_session_begin(session);
  if (body < 1 || body > model->nB || !is_finite(point, model->dim) || !is_finite(target, model->dim)) {
    mbs_status status =
        mbs_run_fail(&session->run, MBS_OUT_OF_RANGE, session->now.t, "",
                     body == 0 ? "the ground cannot be dragged" : "there is no such body, or a number is not finite");
    return mbs_session_end(session, status);
  }
  self.body = model->user_body[body - 1];
  mbs_session_release_drivers(session);
  memset(session->drag->way, 0, model->nv * sizeof *session->drag->way);
  mbs_status status = pull_point(&self);
  if (mbs_session_predicted_displacement(session, session->drag->way) > small_step)
    memcpy(session->now.direction, session->drag->way, model->nv * sizeof *session->now.direction);
  *distance = self.distance;
  mbs_session_stop(session);
  return mbs_session_end(session, status);
}
