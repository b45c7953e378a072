/* Additional starts: each joint along the tree is rotated and translated a little, by the same amounts in both
 * formulations. */
#include "initial/multistart.h"

#include "base/rotation.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "initial/relative_pose.h"
#include "kernels/kernels.h"
#include "model/units.h"

#include <math.h>
#include <string.h>

/* Largest rotation [rad], and translation as a share of the model's extent; values given in the document are moved by a
 * share of that. The first entry is the given start. Small ones follow, which stay near the intended position; the
 * smallest are for nearly stretched mechanisms. */
static const struct {
  double turn, slide, share_of_given;
} first_ones[] = {{0, 0, 0},       {0.03, 0.01, 0}, {0.1, 0.03, 0},  {0.1, 0.03, 0.1}, {1e-3, 3e-4, 0}, {0.4, 0.1, 0},
                  {0.4, 0.1, 0.1}, {1.2, 0.3, 0},   {1.2, 0.3, 0.1}, {2.5, 1, 0},      {2.5, 1, 0.1},   {2.5, 1, 0.5}};
/* Sizes of the later starts, for all values. */
static const double turns[] = {0.2, 0.4, 0.7, 1, 1.4, 2}, slide_of_turn = 0.3;
static const double longest_turn = 0.5, longest_slide = 0.5;
enum { FIRST = sizeof first_ones / sizeof *first_ones, SIZES = sizeof turns / sizeof *turns, ROUNDS = 6 };

int mbs_multistart_count(void) { return FIRST + SIZES * ROUNDS; }

/* Returns true if the body belongs to a joint in `hold`; in body coordinates its bodies are not moved. */
static bool is_held(const mbs_model *model, int body) {
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (model->held_joint[j] && (joint->frames.body1 == body || joint->frames.body2 == body)) return true;
  }
  return false;
}

/* Returns a number in [-1, 1] without a pattern that a mechanism could share (splitmix64). */
static double number_of(uint64_t start, uint64_t component) {
  uint64_t x = 0x9E3779B97F4A7C15u * (0x10001 * start + component + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-52 - 1;
}

/* Returns the change of component 0 .. 5, translations first, of body number i along the tree in start k. */
static double move_of(const mbs_constants *constants, int k, size_t i, int component) {
  const mbs_model *model = constants->model;
  bool turn = component >= 3, given = mbs_guess_is_given(model, model->start_order[i], turn);
  double number = number_of((uint64_t)k, 6 * i + (size_t)component);
  if (k < FIRST) {
    double size = turn ? first_ones[k].turn : first_ones[k].slide * constants->extent;
    return number * size * (given ? first_ones[k].share_of_given : 1);
  }
  double size = turns[(k - FIRST) % SIZES];
  return number * (turn ? size : size * slide_of_turn * constants->extent);
}

/* Returns the rotation that takes joint angle `coordinate` of a body from its guess to its driver's value: -Phi of the
 * driver at the guesses. Returns NaN if the angle is not driven. */
static double driven_turn(const mbs_system *system, int body, int coordinate) {
  const mbs_model *model = system->model;
  for (size_t d = 0; d < model->driver_count; d++) {
    const mbs_block *driven = &model->blocks[model->drivers[d].block];
    bool turn = driven->primitive == MBS_PRIMITIVE_ANGLE || driven->primitive == MBS_PRIMITIVE_TURN;
    if (turn && driven->of_joint >= 0 && driven->of_joint == model->start_joint[body] && driven->number == coordinate)
      return -system->Phi[model->drivers[d].row];
  }
  return NAN;
}

/* Computes this rotation for body coordinates, in the axes of the parent. Returns false if no angle is driven. */
static bool driven_rotation(const mbs_system *system, int body, double out[3]) {
  const mbs_model *model = system->model;
  int j = model->start_joint[body];
  bool any = false;
  memset(out, 0, 3 * sizeof *out);
  for (int c = 0; j >= 0 && c < (int)model->joints[j].shape->coordinate_count; c++) {
    const mbs_geometry *at = &system->constants->joints[j].geometry;
    bool reversed = model->joints[j].frames.body1 == body;
    double turn = (reversed ? -1 : 1) * driven_turn(system, body, c);
    if (isnan(turn)) continue;
    any = true;
    /* sum of sigma turn times the axis */
    const double z[3] = {0, 0, 1}, *axis = model->dim == 2 ? z : reversed ? at->u2 : at->u1;
    for (int k = 0; k < 3; k++) out[k] += turn * axis[k];
  }
  return any;
}

/* Moves the pose of a body relative to its parent, in body coordinates. */
static void move_body(const mbs_initial_guess *guesses, const mbs_system *system, int k, size_t i) {
  const mbs_model *model = system->model;
  int body = model->start_order[i], parent = model->start_parent[body], j = model->start_joint[body];
  const mbs_joint_shape *shape = j < 0 ? NULL : model->joints[j].shape;
  bool turns_free = !shape, slides_free = !shape, held = is_held(model, body);
  for (size_t c = 0; shape && c < shape->coordinate_count; c++)
    *(mbs_is_turn(shape->coordinates[c].primitive) ? &turns_free : &slides_free) = true;
  const double *s1, *s2;
  mbs_pose relative;
  double turn[3];
  mbs_tree_points(system->constants, body, &s1, &s2);
  /* d and A_1' A_2 of the guesses, moved */
  relative = guesses->relative[body];
  bool driven = driven_rotation(system, body, turn);
  for (int c = 0; c < 3; c++) {
    if (turns_free && !held && !driven) turn[model->dim == 2 ? 2 - c : c] = move_of(system->constants, k, i, 3 + c);
    if (slides_free && !held && c < model->dim) relative.r[c] += move_of(system->constants, k, i, c);
  }
  relative.angle += turn[2];
  mbs_euler_turn_on(relative.p, turn, relative.p);
  mbs_absolute_pose(model, &guesses->now[parent], &relative, s1, s2, &guesses->now[body]);
}

/* Returns true if start k differs from those before it. */
static bool is_new(const mbs_model *model, int k) {
  if (k == 0 || k >= FIRST) return true;
  bool any_given = false, any_free = false;
  for (int body = 1; body <= (int)model->nB; body++) {
    for (int turn = 0; turn < 2; turn++) *(mbs_guess_is_given(model, body, turn) ? &any_given : &any_free) = true;
  }
  return first_ones[k].share_of_given > 0 ? any_given : any_free;
}

/* Computes the displacement dv [nv] from the guesses, in joint coordinates. */
static void move_joints(const mbs_system *system, int k, double *dv) {
  const mbs_model *model = system->model;
  for (size_t i = 0; i < model->nB; i++) {
    int body = model->start_order[i], first = model->first_v[body], slides = mbs_slide_count(model, body);
    for (int v = first; v < model->first_v[body + 1]; v++) {
      int component = v < first + slides ? v - first : 3 + v - first - slides;
      double driven = driven_turn(system, body, v - first);
      dv[v] = model->hold_v[v] ? 0 : !isnan(driven) ? driven : move_of(system->constants, k, i, component);
    }
  }
}

bool mbs_multistart_point(const mbs_initial_guess *guesses, mbs_system *system, double t, int k, double *q,
                          double *workspace) {
  const mbs_model *model = system->model;
  if (!is_new(model, k)) return false;
  mbs_set_position(system, t, guesses->q);
  mbs_constraints(system, MBS_WANT_PHI);
  if (!model->body_formulation) {
    /* q + dv from the guesses */
    move_joints(system, k, workspace);
    mbs_displace(model, guesses->q, workspace, q);
    return true;
  }
  /* each body's pose is moved relative to its parent, from the ground on */
  guesses->now[0] = guesses->poses[0];
  for (size_t i = 0; i < model->nB; i++) {
    int body = model->start_order[i];
    move_body(guesses, system, k, i);
    model->kernels->floating(&guesses->now[body], q + model->first_q[body], workspace);
  }
  return true;
}

void mbs_short_steps(const mbs_constants *constants, double *longest) {
  const mbs_model *model = constants->model;
  for (int body = 1; body <= (int)model->nB; body++) {
    int first = model->first_v[body], slides = mbs_slide_count(model, body);
    for (int v = first; v < model->first_v[body + 1]; v++)
      longest[v] = v < first + slides ? longest_slide * constants->extent : longest_turn;
  }
}
