/* Distance of a position from the guesses of the document, and its angles relative to them.
 *
 * A pose is relative to a reference body: d = A1'(rP2 - rP1) and the rotation A1' A2, or the angle phi2 - phi1. Its
 * motion is the change of d and the angle of the rotation between the two. */
#include "initial/initial_guess.h"

#include "base/rotation.h"
#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "equations/residual_rounding.h"
#include "equations/state.h"
#include "initial/relative_pose.h"
#include "kernels/kernels.h"
#include "model/units.h"

#include <math.h>
#include <string.h>

/* Weight of degrees of freedom without a value in the document; given ones have the weight 1. */
static const double share_of_default = 0.5;
/* Step of finite differences of the distance, in scales. */
static const double difference_step = 1e-6;
/* A full revolution does not affect a row if it changes the row by less than this, in scales. */
static const double untouched = 1e-9;

/* Computes the pose of a body relative to its parent along the tree, at the points of their joint. */
static void pose_along_tree(const mbs_initial_guess *self, const mbs_model *model, const mbs_pose *poses, int body,
                            mbs_pose *out) {
  const double *s1, *s2;
  mbs_tree_points(self->constants, body, &s1, &s2);
  mbs_relative_pose(model, &poses[model->start_parent[body]], &poses[body], s1, s2, out);
}

bool mbs_guess_open(mbs_initial_guess *self, mbs_system *system, double t, const double *q) {
  const mbs_model *model = system->model;
  self->q = mbs_arena_alloc(system->arena, model->nq + 1, sizeof *self->q);
  self->poses = mbs_arena_alloc(system->arena, model->nB + 1, sizeof *self->poses);
  self->relative = mbs_arena_alloc(system->arena, model->nB + 1, sizeof *self->relative);
  self->now = mbs_arena_alloc(system->arena, model->nB + 1, sizeof *self->now);
  self->wound = mbs_arena_alloc(system->arena, model->nq + 1, sizeof *self->wound);
  self->slopes = mbs_arena_alloc(system->arena, model->nv + 1, sizeof *self->slopes);
  self->before = mbs_arena_alloc(system->arena, model->rows + 1, sizeof *self->before);
  self->units = mbs_arena_alloc(system->arena, model->rows + model->nv + 1, sizeof *self->units);
  if (!self->q || !self->poses || !self->relative || !self->now || !self->wound || !self->slopes || !self->before ||
      !self->units)
    return false;
  self->constants = system->constants;
  memcpy(self->q, q, model->nq * sizeof *q);
  mbs_set_position(system, t, q);
  for (size_t b = 0; b <= model->nB; b++) mbs_read_pose(system, (int)b, &self->poses[b]);
  for (size_t b = 1; b <= model->nB; b++) pose_along_tree(self, model, self->poses, (int)b, &self->relative[b]);
  return true;
}

/* ---- distance ------------------------------------------------------------------------------------------------ */

typedef struct departure {
  double turn, slide; /* [rad], [m] */
} departure;

static departure departure_of(const mbs_model *model, const mbs_pose *guess, const mbs_pose *now) {
  double square = 0, product = 0;
  for (int k = 0; k < 3; k++) square += (now->r[k] - guess->r[k]) * (now->r[k] - guess->r[k]);
  for (int k = 0; k < 4; k++) product += now->p[k] * guess->p[k];
  /* 2 acos |p_a.p_b|, or the difference of angles */
  double turn = model->dim == 3 ? 2 * acos(fmin(fabs(product), 1)) : now->angle - guess->angle;
  return (departure){.turn = turn, .slide = sqrt(square)};
}

/* Returns the motion of a body relative to its parent along the tree. */
static departure departure_along_tree(const mbs_initial_guess *self, const mbs_model *model, int body) {
  mbs_pose now;
  pose_along_tree(self, model, self->now, body, &now);
  return departure_of(model, &self->relative[body], &now);
}

/* Returns the motion of a body relative to the ground, from its own `initial`. */
static departure departure_from_declared(const mbs_initial_guess *self, const mbs_model *model, int body) {
  departure out = departure_of(model, &self->constants->bodies[body].initial, &self->now[body]);
  out.turn = remainder(out.turn, mbs_full_turn);
  return out;
}

static bool joint_says(const mbs_model *model, int body) {
  int j = model->start_joint[body];
  return j >= 0 && model->joints[j].initial_position_count > 0;
}

bool mbs_guess_is_given(const mbs_model *model, int body, bool turn) {
  const mbs_body *declared = &model->bodies[body];
  return joint_says(model, body) || (turn ? declared->given.angle : declared->given.position);
}

/* Returns the contribution of one body to dist^2. theory (9.7) */
static double square_of_body(const mbs_initial_guess *self, const mbs_model *model, int body) {
  const mbs_body *declared = &model->bodies[body];
  const bool by_joint = joint_says(model, body), own_turn = declared->given.angle && !by_joint,
             own_slide = declared->given.position && !by_joint;
  const double share = by_joint ? 1 : share_of_default;
  departure along = {0}, own = {0};
  if (!own_turn || !own_slide) along = departure_along_tree(self, model, body);
  if (own_turn || own_slide) own = departure_from_declared(self, model, body);
  const double turn = own_turn ? own.turn : share * along.turn, slide = own_slide ? own.slide : share * along.slide;
  /* (w_t psi)^2 + (w_s norm(Delta d) / extent)^2 */
  return turn * turn + slide * slide / (self->constants->extent * self->constants->extent);
}

/* Returns the contribution of a joint that carries no body, from its own `initial`. */
static double square_of_joint(const mbs_initial_guess *self, const mbs_model *model, const mbs_joint *joint) {
  static const double rest[6] = {0};
  const mbs_pose origin = {.p = {1, 0, 0, 0}};
  const mbs_frames *frames = &joint->frames;
  mbs_pose child, guess, now;
  const mbs_joint_constants *numbers = mbs_joint_numbers(self->constants, joint);
  const double *s1 = numbers->geometry.s1, *s2 = numbers->geometry.s2;
  /* second body relative to the first, from `initial` and at present */
  model->kernels->carry(joint, numbers, false, &origin, numbers->initial_position, rest, &child);
  mbs_relative_pose(model, &origin, &child, s1, s2, &guess);
  mbs_relative_pose(model, &self->now[frames->body1], &self->now[frames->body2], s1, s2, &now);
  departure moved = departure_of(model, &guess, &now);
  moved.turn = remainder(moved.turn, mbs_full_turn);
  return moved.turn * moved.turn + moved.slide * moved.slide / (self->constants->extent * self->constants->extent);
}

static void read_poses(const mbs_initial_guess *self, const mbs_system *system) {
  for (size_t b = 0; b <= system->model->nB; b++) mbs_read_pose(system, (int)b, &self->now[b]);
}

/* Returns the distance, or a part of it that is larger than `most` already. theory (9.7) */
static double distance_up_to(const mbs_initial_guess *self, mbs_system *system, double most) {
  const mbs_model *model = system->model;
  double sum = 0;
  read_poses(self, system);
  /* dist^2, body by body, then joints that carry no body */
  for (size_t b = 1; b <= model->nB && sqrt(sum) <= most; b++) sum += square_of_body(self, model, (int)b);
  for (size_t j = 0; j < model->joint_count && sqrt(sum) <= most; j++) {
    const mbs_joint *joint = &model->joints[j];
    bool carries =
        model->start_joint[joint->frames.body1] == (int)j || model->start_joint[joint->frames.body2] == (int)j;
    if (joint->initial_position_count && !carries) sum += square_of_joint(self, model, joint);
  }
  return sqrt(sum);
}

double mbs_guess_distance(const mbs_initial_guess *self, mbs_system *system) {
  return distance_up_to(self, system, INFINITY);
}

bool mbs_guess_is_farther(const mbs_initial_guess *self, mbs_system *system, double distance) {
  return distance_up_to(self, system, distance) > distance;
}

double mbs_guess_rotation(const mbs_initial_guess *self, mbs_system *system, int body) {
  const mbs_model *model = system->model;
  int parent = model->start_parent[body];
  mbs_read_pose(system, body, &self->now[body]);
  mbs_read_pose(system, parent, &self->now[parent]);
  if (model->bodies[body].given.angle && !joint_says(model, body))
    return departure_from_declared(self, model, body).turn;
  return departure_along_tree(self, model, body).turn;
}

const char *mbs_guessed_element(const mbs_model *model, int body) {
  const mbs_body *declared = &model->bodies[body];
  int j = model->start_joint[body];
  return j < 0 || (declared->given.angle && !joint_says(model, body)) ? declared->name : model->joints[j].name;
}

/* theory (9.8) */
void mbs_guess_direction(const mbs_initial_guess *self, mbs_system *system, double t, const double *q, double *dv) {
  const mbs_model *model = system->model;
  double *unit = self->units + model->rows, *trial = self->wound;
  mbs_scales(system, unit, self->units);
  double here = mbs_guess_distance(self, system);
  memset(dv, 0, model->nv * sizeof *dv);
  for (size_t k = 0; k < model->nv; k++) {
    dv[k] = difference_step * unit[k];
    mbs_displace(model, q, dv, trial);
    dv[k] = 0;
    mbs_set_position(system, t, trial);
    /* d dist / d delta_k, in scales */
    self->slopes[k] = (mbs_guess_distance(self, system) - here) / difference_step;
  }
  /* -grad dist^2 / 2 = -dist grad dist */
  for (size_t k = 0; k < model->nv; k++) dv[k] = -here * self->slopes[k] * unit[k];
  mbs_set_position(system, t, q);
}

/* ---- full revolutions ------------------------------------------------------------------------------------------ */

static bool is_carried_by(const mbs_model *model, int body, int ancestor) {
  while (body && body != ancestor) body = model->start_parent[body];
  return body == ancestor;
}

/* Returns the first coordinate of a body that is an angle whose full revolutions do not change the pose; *count is
 * their number. */
static int first_angle(const mbs_model *model, int body, int *count) {
  int first = model->first_q[body], slides = mbs_slide_count(model, body), j = model->tree_joint[body];
  const mbs_joint *joint = j >= 0 ? &model->joints[j] : NULL;
  int n = model->first_q[body + 1] - first, turns = n - slides;
  bool free = turns < 3 && !(joint && (joint->shape->rolls || joint->shape->pitch)); /* otherwise Euler parameters */
  *count = free ? turns : 0;
  return first + slides;
}

/* Adds revolutions to an angle of a body; in body coordinates, to the angles of all its descendants along the tree. */
static void add_turns(const mbs_model *model, int body, int angle, double turns, double *q) {
  if (!model->body_formulation) {
    q[angle] += mbs_full_turn * turns;
    return;
  }
  for (int b = 1, count; b <= (int)model->nB; b++)
    if (is_carried_by(model, b, body)) q[first_angle(model, b, &count)] += mbs_full_turn * turns;
}

/* Returns the full revolutions by which an angle differs from its guess; in body coordinates, for the joint angle along
 * the tree. theory (9.10) */
static double full_turns(const mbs_initial_guess *self, const mbs_model *model, int body, int angle, const double *q) {
  double moved = q[angle] - self->q[angle];
  int parent = model->start_parent[body], count;
  if (model->body_formulation && parent) {
    int at = first_angle(model, parent, &count);
    moved -= q[at] - self->q[at];
  }
  /* round((theta - theta_0) / 2 pi) if they differ by more than half a revolution */
  return fabs(moved) > 0.5 * mbs_full_turn * (1 + untouched) ? nearbyint(moved / mbs_full_turn) : 0;
}

/* Returns true if the rows at q have their previous values. */
static bool rows_hold(const mbs_initial_guess *self, mbs_system *system, double t, const double *q) {
  const mbs_model *model = system->model;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI);
  double rounding = mbs_residual_rounding(system);
  for (size_t r = 0; r < model->rows; r++)
    if (!(fabs(system->Phi[r] - self->before[r]) <= fmax(untouched * self->units[r], rounding))) return false;
  return true;
}

/* Removes the full revolutions of angles relative to their guesses, parents first: of all angles, or with `each` only
 * of those that leave the rows unchanged. Returns true if an angle changed. theory (9.10) */
static bool bring_back(const mbs_initial_guess *self, mbs_system *system, double t, bool each, double *q) {
  const mbs_model *model = system->model;
  bool any = false;
  for (size_t i = 0; i < model->nB; i++) {
    int body = model->start_order[i], count, first = first_angle(model, body, &count);
    for (int angle = first; angle < first + count; angle++) {
      double turns = full_turns(self, model, body, angle, q);
      if (turns == 0) continue;
      add_turns(model, body, angle, -turns, q);
      bool hold = !each || rows_hold(self, system, t, q);
      if (!hold) add_turns(model, body, angle, turns, q);
      any |= hold;
    }
  }
  return any;
}

bool mbs_guess_unwrap_angles(const mbs_initial_guess *self, mbs_system *system, double t, double *q) {
  const mbs_model *model = system->model;
  memcpy(self->wound, q, model->nq * sizeof *q);
  if (!bring_back(self, system, t, false, q)) return false;
  mbs_set_position(system, t, self->wound);
  mbs_constraints(system, MBS_WANT_PHI);
  memcpy(self->before, system->Phi, model->rows * sizeof *self->before);
  mbs_scales(system, self->units + model->rows, self->units);
  /* all revolutions at once if Phi does not change, else one by one */
  if (rows_hold(self, system, t, q)) return true;
  memcpy(q, self->wound, model->nq * sizeof *q);
  bool any = bring_back(self, system, t, true, q);
  mbs_set_position(system, t, q);
  return any;
}
