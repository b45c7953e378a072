/* Gear pair: two spur gears roll on each other, with centres P1, P2 that joints keep at the distance of the teeth. With
 * psi the angle of the direction e from P1 to P2 (in space across the axes, which are parallel),
 *
 *     Phi = s1 (phi1 - psi) + s2 (phi2 - psi),   s1 + s2 = norm(rP2 - rP1)
 *
 * external: s = (r1, r2); internal: the smaller radius is negative. The teeth press at P1 + s1 e, on the second body
 * with Ft perp(e) + Fr e, internal Ft perp(e) - Fr e; Ft = -lambda, Fr = |Ft| tan p. */
#include "elements/joints/mesh.h"

#include "base/rotation.h"

#include <string.h>

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "points",
                                    .kind = MBS_KIND_POINT,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "the centres P1, P2 of the first and the second gear"},
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .spaces = MBS_SPATIAL,
                                    .doc = "the parallel axes of the first and the second gear, one on each"},
                                   MBS_MESH_RADII(false, "the pitch radii r1, r2"),
                                   MBS_MESH_TEETH(2, "z1, z2, in place of the radii"),
                                   {.name = "mesh",
                                    .kind = MBS_KIND_CHOICE,
                                    .choices = "external|internal",
                                    .fallback_text = "external",
                                    .doc = "internal: the gear with the larger radius is a ring around the other"},
                                   MBS_MESH_PRESSURE,
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

static bool is_internal(const mbs_joint *joint) { return mbs_read_choice(joint->node, "mesh") == 1; }

static void check(mbs_builder *builder, size_t joint) { mbs_mesh_check(builder, joint, "radii"); }

static void bind(mbs_binder *binder, const mbs_joint *joint, void *data) {
  mbs_mesh *mesh = data;
  mbs_mesh_bind(binder, joint, "radii", 2, mesh);
  memcpy(mesh->weights, mesh->radii, sizeof mesh->weights);
  mesh->length = mesh->radii[0] + mesh->radii[1];
  if (!is_internal(joint)) return;
  mesh->length = fabs(mesh->radii[0] - mesh->radii[1]);
  mesh->side = -1;
  if (mesh->length == 0 && mesh->radii[0] > 0)
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE,
                 mbs_read_value(joint->node, mbs_read_given(joint->node, "radii") ? "radii" : "teeth")->pointer,
                 "the gears of an internal mesh must have different radii");
  mesh->weights[mesh->radii[0] < mesh->radii[1] ? 0 : 1] *= -1;
}

/* The second axis counts along the first. */
static void start(mbs_binder *binder, const mbs_joint *joint, void *data, double angles[2]) {
  mbs_mesh *mesh = data;
  const mbs_mesh_start at = mbs_mesh_start_of(binder, joint);
  mbs_mesh_start_at_points(binder, joint, mesh, angles);
  if (binder->model->dim == 3)
    mesh->weights[1] = copysign(1, mbs_dot(at.u[0], at.u[1])) * (mesh->length - mesh->weights[0]);
}

/* Computes the axis a of the first gear, and the line of the centres across it, E. Returns its length. */
static double line(const mbs_system *system, const mbs_joint *joint, double a[3], double P1[3], double E[3]) {
  double P2[3];
  mbs_mesh_point(system, joint, 0, P1);
  mbs_mesh_point(system, joint, 1, P2);
  mbs_mesh_vector(system, joint, 0, a);
  for (int k = 0; k < 3; k++) E[k] = P2[k] - P1[k];
  const double along = mbs_dot(E, a);
  for (int k = 0; k < 3; k++) E[k] -= along * a[k];
  return sqrt(mbs_dot(E, E));
}

static void tooth_force(const mbs_system *system, const mbs_joint *joint, double lambda, double side,
                        mbs_tooth_force *out) {
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  double a[3], P1[3], e[3], across[3];
  const double length = line(system, joint, a, P1, e);
  for (int k = 0; k < 3; k++) e[k] /= length;
  mbs_cross(a, e, across);
  out->tangential = -lambda;
  out->radial = side * lambda * mesh->tangent;
  for (int k = 0; k < 3; k++) {
    out->at[k] = P1[k] + mesh->weights[0] * e[k];
    out->force[k] = out->tangential * across[k] + mesh->side * out->radial * e[k];
  }
}

static bool fits(const mbs_system *system, const mbs_joint *joint, double slack, char *message, size_t size) {
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  double a[3], b[3], P1[3], E[3], sine[3];
  const double length = line(system, joint, a, P1, E);
  mbs_mesh_vector(system, joint, 1, b);
  mbs_cross(a, b, sine);
  return mbs_mesh_aligned(joint, "parallel", sqrt(mbs_dot(sine, sine)), message, size) &&
         mbs_mesh_fits(joint, "distance of the centres", length, mesh->length, slack, message, size);
}

const mbs_joint_class mbs_joint_gear_pair = {
    .base = {.name = "gear-pair",
             .doc = "Two spur gears in mesh, whose centres joints keep at a distance. The carrier of the centres may "
                    "move.",
             .equation = "Phi = s1 (phi1 - psi) + s2 (phi2 - psi), psi: angle of the line from P1 to P2 (1 row)\n"
                         "s = (r1, r2); internal: the smaller radius negative",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .symbol = MBS_SYMBOL_NONE,
    .planar = {.row_count = 1, .rows = {MBS_MESH_ROW}},
    .spatial = {.row_count = 1, .rows = {MBS_MESH_ROW}},
    .check = check,
    .bind = bind,
    .data_size = sizeof(mbs_mesh),
    .row = mbs_mesh_row,
    .angle_count = 2,
    .angle = mbs_mesh_angle_at_points,
    .start = start,
    .tooth_force = tooth_force,
    .fits = fits,
};
