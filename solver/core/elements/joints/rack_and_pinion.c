/* Rack and pinion: the pinion, the first body, with the centre P1 rolls on the pitch line of the rack through P2 along
 * u. With g the side of the line on which the pinion is, g = 1 along perp(u) (in space a x u with the pinion's axis a),
 *
 *     Phi = u.(rP1 - rP2) + g r (phi1 - phi2),   r = g perp(u).(rP1 - rP2)
 *
 * The teeth press at P1 - g r perp(u), on the rack with Ft u - g Fr perp(u); Ft = -lambda, Fr = |Ft| tan p. */
#include "elements/joints/mesh.h"

#include "base/rotation.h"
#include "equations/slip.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "points",
                                    .kind = MBS_KIND_POINT,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "P1, the centre of the pinion, and P2 on the pitch line of the rack"},
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 1,
                                    .max_count = 2,
                                    .or_single = true,
                                    .required = true,
                                    .doc = "u, the direction of the rack, on the second body; in space before it the "
                                           "pinion's axis, on the first"},
                                   {.name = "radius",
                                    .kind = MBS_KIND_NUMBER,
                                    .fallback = NAN,
                                    .low = 0,
                                    .high = INFINITY,
                                    .low_open = true,
                                    .unit = "m",
                                    .doc = "r, the pitch radius of the pinion"},
                                   MBS_MESH_TEETH(0, "z, the teeth of the pinion, in place of the radius"),
                                   MBS_MESH_PRESSURE,
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

static void check(mbs_builder *builder, size_t joint) {
  const mbs_node *node = builder->model->joints[joint].node;
  mbs_mesh_check(builder, joint, "radius");
  const mbs_value *vectors = mbs_read_value(node, "vectors");
  if (vectors->given && vectors->count != (builder->model->dim == 2 ? 1 : 2))
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, vectors->pointer, "a rack-and-pinion joint has %s",
                 builder->model->dim == 2 ? "one vector in the plane, the direction of the rack"
                                          : "two vectors in space, the pinion's axis and the direction of the rack");
}

static void bind(mbs_binder *binder, const mbs_joint *joint, void *data) {
  mbs_mesh *mesh = data;
  mbs_mesh_bind(binder, joint, "radius", 1, mesh);
  mesh->length = mesh->radii[0];
}

static void start(mbs_binder *binder, const mbs_joint *joint, void *data, double angles[2]) {
  mbs_mesh *mesh = data;
  const mbs_mesh_start at = mbs_mesh_start_of(binder, joint);
  double d[3], across[3];
  for (int k = 0; k < 3; k++) d[k] = at.P[0][k] - at.P[1][k];
  mbs_cross(at.u[0], at.u[1], across);
  mesh->side = mbs_dot(across, d) < 0 ? -1 : 1;
  mesh->slide = mbs_dot(at.u[1], d);
  mesh->weights[0] = mesh->side * mesh->radii[0];
  mbs_mesh_start_at_vectors(binder, joint, 1, mesh, angles);
}

/* u.(V1 - V2) at P1: the velocities of the points of both bodies at the centre of the pinion */
static void row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const mbs_moving P1 = mbs_moving_point(system, joint->frames.body1, at->s1),
                   P2 = mbs_moving_point(system, joint->frames.body2, at->s2);
  mbs_slip_direction slip = {.p = P1, .u = mbs_moving_vector(system, joint->frames.body2, at->u2)};
  for (int k = 0; k < 3; k++) {
    out->value += slip.u.at[k] * (P1.at[k] - P2.at[k]);
    slip.u.at[k] = -slip.u.at[k];
    slip.u.rate[k] = -slip.u.rate[k];
  }
  out->value -= mbs_mesh_of(system, joint)->slide;
  mbs_slip_row(system, joint, &slip, out);
  mbs_mesh_row(system, joint, out);
}

/* Computes u, the direction across it from the rack, a x u, and rP1 - rP2. */
static void line(const mbs_system *system, const mbs_joint *joint, double u[3], double across[3], double P1[3],
                 double d[3]) {
  double a[3], P2[3];
  mbs_mesh_point(system, joint, 0, P1);
  mbs_mesh_point(system, joint, 1, P2);
  mbs_mesh_vector(system, joint, 0, a);
  mbs_mesh_vector(system, joint, 1, u);
  mbs_cross(a, u, across);
  for (int k = 0; k < 3; k++) d[k] = P1[k] - P2[k];
}

static void tooth_force(const mbs_system *system, const mbs_joint *joint, double lambda, double side,
                        mbs_tooth_force *out) {
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  double u[3], across[3], P1[3], d[3];
  line(system, joint, u, across, P1, d);
  out->tangential = -lambda;
  out->radial = side * lambda * mesh->tangent;
  for (int k = 0; k < 3; k++) {
    out->at[k] = P1[k] - mesh->side * mesh->radii[0] * across[k];
    out->force[k] = out->tangential * u[k] - mesh->side * out->radial * across[k];
  }
}

static bool fits(const mbs_system *system, const mbs_joint *joint, double slack, char *message, size_t size) {
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  double a[3], u[3], across[3], P1[3], d[3];
  line(system, joint, u, across, P1, d);
  mbs_mesh_vector(system, joint, 0, a);
  return mbs_mesh_aligned(joint, "perpendicular to its rack", mbs_dot(a, u), message, size) &&
         mbs_mesh_fits(joint, "distance of the centre from the pitch line", mesh->side * mbs_dot(across, d),
                       mesh->length, slack, message, size);
}

const mbs_joint_class mbs_joint_rack_and_pinion = {
    .base = {.name = "rack-and-pinion",
             .doc = "A pinion (first body) in mesh with a rack (second body); joints keep its centre at the distance r "
                    "from the pitch line.",
             .equation = "Phi = u.(rP1 - rP2) + g r (phi1 - phi2), g: side of the rack on which the pinion is (1 row)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .symbol = MBS_SYMBOL_NONE,
    .planar = {.row_count = 1, .rows = {MBS_MESH_ROW}, .second_vector = true},
    .spatial = {.row_count = 1, .rows = {MBS_MESH_ROW}},
    .check = check,
    .bind = bind,
    .data_size = sizeof(mbs_mesh),
    .row = row,
    .angle_count = 1,
    .angle = mbs_mesh_angle_at_vectors,
    .start = start,
    .tooth_force = tooth_force,
    .fits = fits,
};
