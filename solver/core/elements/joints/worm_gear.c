/* Worm gear: the worm, the first body, with n starts turns the wheel with z teeth, the second body; the axes a1, a2 are
 * perpendicular. With th_i the turn about a_i against the carrier of both axes, e the direction from the worm's axis to
 * the wheel's centre P2 across both axes, and h the sign of e.(a1 x a2),
 *
 *     Phi = r2 (h th2 - n/z th1),   n < 0 for a left-hand worm
 *
 * Turns against the other body's axis differ from turns against e by a constant. The teeth press at P2 - r2 e, on the
 * wheel with Ft a1 + Ft tan L (e x a1) + Fr e; Ft = -lambda, tan L = r2 n / (z rw), Fr = |Ft| tan p / cos L. */
#include "elements/joints/mesh.h"

#include "base/rotation.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "points",
                                    .kind = MBS_KIND_POINT,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "P1 on the worm's axis, P2 the wheel's centre"},
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "the axes a1, a2 of worm and wheel, which are perpendicular"},
                                   {.name = "starts",
                                    .kind = MBS_KIND_NUMBER,
                                    .required = true,
                                    .fallback = NAN,
                                    .low = 0,
                                    .high = INFINITY,
                                    .low_open = true,
                                    .doc = "n, the threads of the worm"},
                                   {.name = "teeth",
                                    .kind = MBS_KIND_NUMBER,
                                    .required = true,
                                    .fallback = NAN,
                                    .low = 0,
                                    .high = INFINITY,
                                    .low_open = true,
                                    .doc = "z, the teeth of the wheel"},
                                   MBS_MESH_RADII(true, "the pitch radii rw of the worm, r2 of the wheel"),
                                   {.name = "hand",
                                    .kind = MBS_KIND_CHOICE,
                                    .choices = "right|left",
                                    .fallback_text = "right",
                                    .doc = "the hand of the worm's thread"},
                                   MBS_MESH_PRESSURE,
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

static void bind(mbs_binder *binder, const mbs_joint *joint, void *data) {
  mbs_mesh *mesh = data;
  *mesh = (mbs_mesh){.tangent = tan(mbs_read_number(binder, joint->node, "pressure_angle"))};
  mbs_read_numbers(binder, joint->node, "radii", mesh->radii, 2);
  const double hand = mbs_read_choice(joint->node, "hand") == 1 ? -1 : 1;
  const double ratio =
      hand * mbs_read_number(binder, joint->node, "starts") / mbs_read_number(binder, joint->node, "teeth");
  mesh->length = mesh->radii[0] + mesh->radii[1];
  mesh->lead = ratio * mesh->radii[1] / mesh->radii[0];
  mesh->weights[0] = -ratio * mesh->radii[1];
}

static void start(mbs_binder *binder, const mbs_joint *joint, void *data, double angles[2]) {
  mbs_mesh *mesh = data;
  const mbs_mesh_start at = mbs_mesh_start_of(binder, joint);
  double d[3], across[3];
  for (int k = 0; k < 3; k++) d[k] = at.P[1][k] - at.P[0][k];
  mbs_cross(at.u[0], at.u[1], across);
  mesh->side = mbs_dot(across, d) < 0 ? -1 : 1;
  mesh->weights[1] = mesh->side * mesh->radii[1];
  mbs_mesh_start_at_vectors(binder, joint, 2, mesh, angles);
}

/* Computes a1, e and P2; returns the distance of the worm's axis from P2 along e. */
static double line(const mbs_system *system, const mbs_joint *joint, double a1[3], double e[3], double P2[3]) {
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  double a2[3], P1[3], distance = 0;
  mbs_mesh_vector(system, joint, 0, a1);
  mbs_mesh_vector(system, joint, 1, a2);
  mbs_mesh_point(system, joint, 0, P1);
  mbs_mesh_point(system, joint, 1, P2);
  mbs_cross(a1, a2, e);
  const double length = mesh->side * sqrt(mbs_dot(e, e));
  for (int k = 0; k < 3; k++) {
    e[k] /= length;
    distance += e[k] * (P2[k] - P1[k]);
  }
  return distance;
}

static void tooth_force(const mbs_system *system, const mbs_joint *joint, double lambda, double side,
                        mbs_tooth_force *out) {
  const mbs_mesh *mesh = mbs_mesh_of(system, joint);
  double a1[3], e[3], P2[3], across[3];
  line(system, joint, a1, e, P2);
  mbs_cross(e, a1, across);
  out->tangential = -lambda;
  out->radial = side * lambda * mesh->tangent * sqrt(1 + mesh->lead * mesh->lead);
  for (int k = 0; k < 3; k++) {
    out->at[k] = P2[k] - mesh->radii[1] * e[k];
    out->force[k] = out->tangential * (a1[k] + mesh->lead * across[k]) + out->radial * e[k];
  }
}

static bool fits(const mbs_system *system, const mbs_joint *joint, double slack, char *message, size_t size) {
  double a1[3], a2[3], e[3], P2[3];
  const double distance = line(system, joint, a1, e, P2);
  mbs_mesh_vector(system, joint, 1, a2);
  return mbs_mesh_aligned(joint, "perpendicular", mbs_dot(a1, a2), message, size) &&
         mbs_mesh_fits(joint, "distance of the axes", distance, mbs_mesh_of(system, joint)->length, slack, message,
                       size);
}

const mbs_joint_class mbs_joint_worm_gear = {
    .base = {.name = "worm-gear",
             .doc = "A worm (first body) in mesh with a worm wheel (second body), whose perpendicular axes joints keep "
                    "at a distance.",
             .equation =
                 "Phi = r2 (h th2 - n/z th1), th_i: turn about a_i, h: sign of e.(a1 x a2), e: from the worm to "
                 "the wheel (1 row)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_NONE,
    .spatial = {.row_count = 1, .rows = {MBS_MESH_ROW}},
    .bind = bind,
    .data_size = sizeof(mbs_mesh),
    .row = mbs_mesh_row,
    .angle_count = 2,
    .angle = mbs_mesh_angle_at_vectors,
    .start = start,
    .tooth_force = tooth_force,
    .fits = fits,
};
