/* Angles, rows and checks of the joints between teeth. The angle th of a body about its axis a against a direction E is
 * minus the angle of E about a in the body. With w, n = a x w fixed in the body and E' relative to the body:
 *
 *     x = w.E, y = n.E:  th = -atan2(y, x),   th' = -(x y' - y x') / (x^2 + y^2)
 *     k = (x n - y w) / (x^2 + y^2):          D = E x k in the turn of the body, -k in E
 */
#include "elements/joints/mesh.h"

#include "base/message.h"
#include "base/rotation.h"
#include "equations/forces.h"
#include "equations/slip.h"

#include <string.h>

/* ---- the document -------------------------------------------------------------------------------------------- */

void mbs_mesh_check(mbs_builder *builder, size_t joint, const char *lengths) {
  const mbs_node *node = builder->model->joints[joint].node;
  const bool sized = mbs_read_given(node, lengths), teeth = mbs_read_given(node, "teeth");
  const bool module = mbs_read_given(node, "module");
  const char *type = node->cls->name;
  if (sized && (teeth || module))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, teeth ? "teeth" : "module")->pointer,
                 "give either '%s', or 'teeth' and 'module'", lengths);
  else if (!sized && !teeth && !module)
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field '%s' of %s (or 'teeth' and 'module')",
                 lengths, type);
  else if (!sized && !(teeth && module))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field '%s' of %s, which '%s' requires",
                 teeth ? "module" : "teeth", type, teeth ? "teeth" : "module");
}

void mbs_mesh_bind(mbs_binder *binder, const mbs_joint *joint, const char *lengths, size_t count, mbs_mesh *mesh) {
  const bool sized = mbs_read_given(joint->node, lengths);
  const double scale = sized ? 1 : 0.5 * mbs_read_number(binder, joint->node, "module");
  *mesh = (mbs_mesh){.tangent = tan(mbs_read_number(binder, joint->node, "pressure_angle")), .side = 1};
  const char *field = sized ? lengths : "teeth";
  if (mbs_field_of(joint->node, field)->max_count > 0)
    mbs_read_numbers(binder, joint->node, field, mesh->radii, count);
  else
    mesh->radii[0] = mbs_read_number(binder, joint->node, field);
  for (size_t k = 0; k < count; k++) mesh->radii[k] *= scale;
}

/* ---- the start ----------------------------------------------------------------------------------------------- */

static void turn_by_pose(const mbs_model *model, const mbs_pose *pose, const double own[3], double out[3]) {
  double A[9];
  if (model->dim == 3) {
    mbs_euler_matrix(pose->p, A);
    mbs_rotate(A, own, out);
    return;
  }
  const double c = cos(pose->angle), s = sin(pose->angle);
  out[0] = c * own[0] - s * own[1];
  out[1] = s * own[0] + c * own[1];
  out[2] = own[2];
}

/* Vector w across the axis of a side; in the plane the body's own x axis. */
static const double *across(const mbs_model *model, const mbs_geometry *at, int side) {
  static const double x[3] = {1, 0, 0};
  return model->dim == 2 ? x : side ? at->w2 : at->w1;
}

/* Axis or vector of a side; in the plane z if it has none. */
static const double *vector_of(const mbs_joint *joint, const mbs_geometry *at, int side) {
  static const double z[3] = {0, 0, 1};
  if ((side ? joint->frames.vector2 : joint->frames.vector1) < 0) return z;
  return side ? at->u2 : at->u1;
}

mbs_mesh_start mbs_mesh_start_of(const mbs_binder *binder, const mbs_joint *joint) {
  const mbs_model *model = binder->model;
  const mbs_geometry *at = &mbs_joint_numbers(binder->constants, joint)->geometry;
  const int bodies[2] = {joint->frames.body1, joint->frames.body2};
  mbs_mesh_start start;
  for (int side = 0; side < 2; side++) {
    const mbs_pose *pose = &binder->constants->poses[bodies[side]];
    turn_by_pose(model, pose, side ? at->s2 : at->s1, start.P[side]);
    for (int k = 0; k < 3; k++) start.P[side][k] += pose->r[k];
    turn_by_pose(model, pose, vector_of(joint, at, side), start.u[side]);
    turn_by_pose(model, pose, across(model, at, side), start.w[side]);
  }
  return start;
}

/* Returns -atan2(n.E, w.E), n = a x w. */
static double angle_against(const double E[3], const double a[3], const double w[3]) {
  double n[3];
  mbs_cross(a, w, n);
  return -atan2(mbs_dot(n, E), mbs_dot(w, E));
}

static double direction_of(const double E[3]) { return atan2(E[1], E[0]); }

/* Computes the start angles against the line of both points; planar ones include full revolutions of the bodies. */
void mbs_mesh_start_at_points(const mbs_binder *binder, const mbs_joint *joint, mbs_mesh *mesh, double angles[2]) {
  const mbs_mesh_start start = mbs_mesh_start_of(binder, joint);
  const mbs_pose *poses = binder->constants->poses;
  const int bodies[2] = {joint->frames.body1, joint->frames.body2};
  double E[3];
  for (int k = 0; k < 3; k++) E[k] = start.P[1][k] - start.P[0][k];
  for (int side = 0; side < 2; side++)
    mesh->angles[side] = angles[side] = binder->model->dim == 2 ? poses[bodies[side]].angle - direction_of(E)
                                                                : angle_against(E, start.u[side], start.w[side]);
}

void mbs_mesh_start_at_vectors(const mbs_binder *binder, const mbs_joint *joint, size_t count, mbs_mesh *mesh,
                               double angles[2]) {
  const mbs_mesh_start start = mbs_mesh_start_of(binder, joint);
  const mbs_pose *poses = binder->constants->poses;
  const double *own = mbs_joint_numbers(binder->constants, joint)->geometry.u2;
  for (size_t side = 0; side < count; side++)
    mesh->angles[side] = angles[side] =
        binder->model->dim == 2
            ? poses[joint->frames.body1].angle - poses[joint->frames.body2].angle - direction_of(own)
            : angle_against(start.u[1 - side], start.u[side], start.w[side]);
}

/* ---- angles -------------------------------------------------------------------------------------------------- */

/* A vector with its rate, and its second derivative for V' = beta, global axes. */
typedef struct moving {
  double at[3], rate[3], second[3];
} moving;

static moving vector_moves(const mbs_system *system, int body, const double own[3], mbs_rigid_motion *motion) {
  moving a = {.at = {0}};
  system->model->kernels->motion(system, body, motion);
  system->model->kernels->to_global(system, body, own, a.at);
  mbs_cross(motion->w, a.at, a.rate);
  mbs_cross(motion->alpha, a.at, a.second);
  mbs_add_cross(motion->w, a.rate, a.second);
  return a;
}

/* Computes rP2 - rP1, with the arms of the points from the mass centres. */
static moving line_of_points(const mbs_system *system, const mbs_joint *joint, double arms[2][3]) {
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  moving line = {.at = {0}};
  for (int side = 0; side < 2; side++) {
    mbs_rigid_motion motion;
    const double sign = side ? 1 : -1;
    const moving arm =
        vector_moves(system, side ? joint->frames.body2 : joint->frames.body1, side ? at->s2 : at->s1, &motion);
    for (int k = 0; k < 3; k++) {
      line.at[k] += sign * (motion.r[k] + arm.at[k]);
      line.rate[k] += sign * (motion.v[k] + arm.rate[k]);
      line.second[k] += sign * (motion.a[k] + arm.second[k]);
    }
    memcpy(arms[side], arm.at, sizeof arms[side]);
  }
  return line;
}

/* Computes the angle of side out->number against E, with its bias, and the turn of the body in D. Returns k. */
static bool turn_against(const mbs_system *system, const mbs_joint *joint, const moving *E, double k[3],
                         mbs_custom_row *out) {
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const int side = out->number, body = side ? joint->frames.body2 : joint->frames.body1;
  mbs_rigid_motion motion;
  const moving w = vector_moves(system, body, across(system->model, at, side), &motion);
  const double z[3] = {0, 0, 1}, *own = system->model->dim == 2 ? z : side ? at->u2 : at->u1;
  double a[3] = {0, 0, 1}, n[3], rate[3], second[3], turn[3];
  if (system->model->dim == 3) system->model->kernels->to_global(system, body, own, a);
  mbs_cross(a, w.at, n);
  /* rates in the body: E' - omega x E, E'' - alpha x E - omega x (omega x E) - 2 omega x (E' - omega x E) */
  mbs_cross(E->at, motion.w, rate);
  for (int i = 0; i < 3; i++) rate[i] += E->rate[i];
  mbs_cross(E->at, motion.alpha, second);
  for (int i = 0; i < 3; i++) turn[i] = -motion.w[i];
  mbs_add_double_cross(turn, motion.w, E->at, second);
  for (int i = 0; i < 3; i++) turn[i] *= 2;
  mbs_add_cross(turn, rate, second);
  for (int i = 0; i < 3; i++) second[i] += E->second[i];
  const double x = mbs_dot(w.at, E->at), y = mbs_dot(n, E->at), size = x * x + y * y;
  if (!(size > 0)) return false; /* without a direction there is no angle */
  const double x1 = mbs_dot(w.at, rate), y1 = mbs_dot(n, rate);
  out->value = -atan2(y, x);
  out->bias =
      (2 * (x * y1 - y * x1) * (x * x1 + y * y1) / size - (x * mbs_dot(n, second) - y * mbs_dot(w.at, second))) / size;
  for (int i = 0; i < 3; i++) k[i] = (x * n[i] - y * w.at[i]) / size;
  mbs_cross(E->at, k, turn);
  mbs_row_add_wrench(system, joint, body, 1, NULL, turn, out);
  return true;
}

void mbs_mesh_angle_at_points(const mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  double k[3], arms[2][3];
  const moving E = line_of_points(system, joint, arms);
  if (!turn_against(system, joint, &E, k, out)) return;
  for (int side = 0; side < 2; side++) {
    double moment[3];
    mbs_cross(arms[side], k, moment);
    mbs_row_add_wrench(system, joint, side ? joint->frames.body2 : joint->frames.body1, side ? -1 : 1, k, moment, out);
  }
}

void mbs_mesh_angle_at_vectors(const mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const int other = out->number ? joint->frames.body1 : joint->frames.body2;
  mbs_rigid_motion motion;
  double k[3], moment[3];
  const moving E = vector_moves(system, other, out->number ? at->u1 : at->u2, &motion);
  if (!turn_against(system, joint, &E, k, out)) return;
  mbs_cross(E.at, k, moment);
  mbs_row_add_wrench(system, joint, other, -1, NULL, moment, out);
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* Computes the angles in the plane with their full revolutions: those of the bodies are known. Two angles also depend
 * on the direction of the line of the points, of whose values the one counts that makes the row smallest. theory
 * (13.9) */
static void expected_in_plane(const mbs_system *system, const mbs_joint *joint, double out[2]) {
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  const double phi[2] = {mbs_planar_angle(system, joint->frames.body1), mbs_planar_angle(system, joint->frames.body2)};
  if (joint->cls->angle_count == 1) {
    out[0] = phi[0] - phi[1] - direction_of(mbs_joint_numbers(system->constants, joint)->geometry.u2);
    return;
  }
  /* psi = sum of w_k (phi_k - angle_k) / sum of w_k */
  double psi = 0;
  for (int k = 0; k < 2; k++) psi += mesh->weights[k] * (phi[k] - mesh->angles[k]);
  psi /= mesh->weights[0] + mesh->weights[1];
  for (int k = 0; k < 2; k++) out[k] = phi[k] - psi;
}

void mbs_mesh_row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_kernels *kernels = system->model->kernels;
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  double expected[2];
  if (!kernels->unwrap_row_angle) expected_in_plane(system, joint, expected);
  for (int k = 0; k < joint->cls->angle_count; k++) {
    double D[12] = {0};
    mbs_custom_row angle = {.number = k, .D = D};
    joint->cls->angle(system, joint, &angle);
    const double value = kernels->unwrap_row_angle ? kernels->unwrap_row_angle(system, joint, &angle)
                                                   : mbs_unwrap_angle(angle.value, expected[k]);
    out->value += mesh->weights[k] * (value - mesh->angles[k]);
    out->bias += mesh->weights[k] * angle.bias;
    for (int i = 0; i < joint->body_count * kernels->width; i++) out->D[i] += mesh->weights[k] * D[i];
  }
}

/* ---- places -------------------------------------------------------------------------------------------------- */

void mbs_mesh_point(const mbs_system *system, const mbs_joint *joint, int side, double out[3]) {
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  out[2] = 0;
  system->model->kernels->point(system, side ? joint->frames.body2 : joint->frames.body1, side ? at->s2 : at->s1, 0,
                                out);
}

void mbs_mesh_vector(const mbs_system *system, const mbs_joint *joint, int side, double out[3]) {
  const double *own = vector_of(joint, &mbs_joint_numbers(system->constants, joint)->geometry, side);
  for (int k = 0; k < 3; k++) out[k] = own[k];
  if (system->model->dim == 3 || (side ? joint->frames.vector2 : joint->frames.vector1) >= 0)
    system->model->kernels->to_global(system, side ? joint->frames.body2 : joint->frames.body1, own, out);
}

bool mbs_mesh_fits(const mbs_joint *joint, const char *what, double found, double fitting, double slack, char *message,
                   size_t size) {
  if (fabs(found - fitting) <= MBS_MESH_FIT * fitting + slack) return true;
  mbs_message(message, size,
              "the %s of '%s' is %.9g m, but its teeth mesh at %.9g m; correct the radii, the module or the points, "
              "and hold the gears at this distance with joints",
              what, joint->name, found, fitting);
  return false;
}

bool mbs_mesh_aligned(const mbs_joint *joint, const char *rule, double off, char *message, size_t size) {
  if (fabs(off) <= MBS_MESH_FIT) return true;
  mbs_message(message, size, "the axes of '%s' must be %s; they are %.3g rad off", joint->name, rule,
              asin(fmin(1, fabs(off))));
  return false;
}
