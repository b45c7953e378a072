/* Bevel gears: two cones with a common apex, P1 on the first and P2 on the second body, roll on each other. With th_i
 * the turn about the axis a_i (from the apex to the gear) against the plane of both axes, and the mean radii r_i,
 *
 *     Phi = r1 th1 + r2 th2
 *
 * S is the angle of the axes, c = a1 x a2 / sin S, g1 the angle of the first pitch cone, tan g1 = sin S / (r2/r1 + cos
 * S). The teeth press at the mean pitch point apex + r1 (cot g1 a1 + c x a1), in the direction m from the apex, on the
 * second body with Ft c + Fr c x m; Ft = -lambda, Fr = |Ft| tan p. */
#include "elements/joints/mesh.h"

#include "base/message.h"
#include "base/rotation.h"

#include <string.h>

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "points",
                                    .kind = MBS_KIND_POINT,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "the apex of the pitch cones on both bodies"},
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "the axes a1, a2 from the apex to the gears, one on each"},
                                   MBS_MESH_RADII(false, "the mean pitch radii r1, r2"),
                                   MBS_MESH_TEETH(2, "z1, z2, in place of the radii"),
                                   MBS_MESH_PRESSURE,
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

static void check(mbs_builder *builder, size_t joint) { mbs_mesh_check(builder, joint, "radii"); }

static void bind(mbs_binder *binder, const mbs_joint *joint, void *data) {
  mbs_mesh *mesh = data;
  mbs_mesh_bind(binder, joint, "radii", 2, mesh);
  memcpy(mesh->weights, mesh->radii, sizeof mesh->weights);
}

static void start(mbs_binder *binder, const mbs_joint *joint, void *data, double angles[2]) {
  mbs_mesh_start_at_vectors(binder, joint, 2, data, angles);
}

/* Computes c, and the mean pitch point from the apex. Returns sin S. */
static double pitch_point(const mbs_system *system, const mbs_joint *joint, double c[3], double out[3]) {
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  double a1[3], a2[3], across[3];
  mbs_mesh_vector(system, joint, 0, a1);
  mbs_mesh_vector(system, joint, 1, a2);
  mbs_cross(a1, a2, c);
  const double sine = sqrt(mbs_dot(c, c)), cosine = mbs_dot(a1, a2);
  const double cotangent = (mesh->radii[1] / mesh->radii[0] + cosine) / sine;
  for (int k = 0; k < 3; k++) c[k] /= sine;
  mbs_cross(c, a1, across);
  for (int k = 0; k < 3; k++) out[k] = mesh->radii[0] * (cotangent * a1[k] + across[k]);
  return sine;
}

static void tooth_force(const mbs_system *system, const mbs_joint *joint, double lambda, double side,
                        mbs_tooth_force *out) {
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  double c[3], pitch[3], apex[3], across[3];
  pitch_point(system, joint, c, pitch);
  mbs_mesh_point(system, joint, 0, apex);
  mbs_cross(c, pitch, across);
  const double length = sqrt(mbs_dot(pitch, pitch));
  out->tangential = -lambda;
  out->radial = side * lambda * mesh->tangent;
  for (int k = 0; k < 3; k++) {
    out->at[k] = apex[k] + pitch[k];
    out->force[k] = out->tangential * c[k] + out->radial * across[k] / length;
  }
}

static bool fits(const mbs_system *system, const mbs_joint *joint, double slack, char *message, size_t size) {
  double c[3], pitch[3], P1[3], P2[3], square = 0;
  if (!(pitch_point(system, joint, c, pitch) > MBS_MESH_FIT)) {
    mbs_message(message, size, "the axes of '%s' are parallel; those of bevel gears meet at an angle", joint->name);
    return false;
  }
  mbs_mesh_point(system, joint, 0, P1);
  mbs_mesh_point(system, joint, 1, P2);
  for (int k = 0; k < 3; k++) square += (P2[k] - P1[k]) * (P2[k] - P1[k]);
  if (sqrt(square) <= MBS_MESH_FIT * sqrt(mbs_dot(pitch, pitch)) + slack) return true;
  mbs_message(message, size,
              "the apexes of '%s' are %.9g m apart, but must coincide; correct the points, and hold the gears in this "
              "position with joints",
              joint->name, sqrt(square));
  return false;
}

const mbs_joint_class mbs_joint_bevel_gear = {
    .base = {.name = "bevel-gear",
             .doc = "Two bevel gears in mesh, whose axes meet in the apex. The carrier of the axes may move, as in a "
                    "differential.",
             .equation = "Phi = r1 th1 + r2 th2, th_i: turn about a_i against the plane of both axes (1 row)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_NONE,
    .spatial = {.row_count = 1, .rows = {MBS_MESH_ROW}},
    .check = check,
    .bind = bind,
    .data_size = sizeof(mbs_mesh),
    .row = mbs_mesh_row,
    .angle_count = 2,
    .angle = mbs_mesh_angle_at_vectors,
    .start = start,
    .tooth_force = tooth_force,
    .fits = fits,
};
