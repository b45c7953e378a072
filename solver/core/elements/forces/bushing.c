/* A bushing: springs and dampers between two bodies in all directions of space.
 *
 *     d = (u_k.(r_P2 - r_P1), theta)     u_k: axes fixed in the first body; theta: rotation of the second body against
 *                                        the first from the declared start, in the plane an angle, in space a vector
 *     Q = -(K d + C d') + preload        generalized force along d:  f = sum Q_k u_k at P2, and the moment of theta */
#include "base/rotation.h"
#include "elements/forces/rotation_vector.h"

#include <string.h>

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "points",
     .kind = MBS_KIND_POINT,
     .min_count = 2,
     .max_count = 2,
     .required = true,
     .doc = "P1 on the first body, P2 on the second; the forces act at P2 on both"},
    {.name = "vectors",
     .kind = MBS_KIND_VECTOR,
     .min_count = MBS_COUNTS(1, 2),
     .max_count = MBS_COUNTS(1, 2),
     .or_single = true,
     .doc = "the x axis of the bushing on the first body, in space also its y axis; default: the axes of that body"},
    {.name = "stiffness",
     .kind = MBS_KIND_NUMBER,
     .min_count = MBS_MOTIONS,
     .max_count = MBS_MOTIONS,
     .required = true,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .unit = "N/m or N m/rad",
     .doc = "K along x, y and of the turn; in space along x, y, z and about them"},
    {.name = "damping",
     .kind = MBS_KIND_NUMBER,
     .min_count = MBS_MOTIONS,
     .max_count = MBS_MOTIONS,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "N s/m or N m s/rad",
     .doc = "C, likewise; default: none"},
    {.name = "preload",
     .kind = MBS_KIND_NUMBER,
     .min_count = MBS_MOTIONS,
     .max_count = MBS_MOTIONS,
     .fallback = 0,
     .unit = "N or N m",
     .doc = "constant force and torque on the second body, likewise; default: none"},
    MBS_FORCE_END};

enum { MOTIONS = 6 };

/* Numbers along x, y, z and about them; in the plane those of z, rx and ry are 0. */
typedef struct bushing_data {
  double axes[3][3]; /* u_k in the axes of the first body */
  double stiffness[MOTIONS], damping[MOTIONS], preload[MOTIONS];
} bushing_data;

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const bool good = mbs_read_ends(builder, node, &force->frames);
  mbs_force_vectors(builder, node, force, (int[]){force->frames.body1, force->frames.body1}, 2);
  if (!good) force->frames = MBS_ON_GROUND;
  force->conservative = !mbs_read_given(node, "damping");
}

/* Reads the numbers of a field; `units` of translations and of rotations. */
static void read_motions(mbs_binder *binder, const mbs_node *node, const char *name, const char *const units[2],
                         double out[MOTIONS]) {
  static const int planar[] = {0, 1, 5};
  const mbs_value *value = mbs_read_value(node, name);
  const bool plane = binder->model->dim == 2;
  mbs_field field = *mbs_field_of(node, name);
  memset(out, 0, MOTIONS * sizeof *out);
  for (size_t i = 0; i < value->count && i < (plane ? 3 : MOTIONS); i++) {
    const int k = plane ? planar[i] : (int)i;
    field.unit = units[k >= 3];
    out[k] = mbs_read_item(binder, &field, value, i);
  }
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  bushing_data *data = numbers;
  mbs_force_axes(binder, force, 0, 1, data->axes);
  read_motions(binder, force->node, "stiffness", (const char *[]){"N/m", "N m/rad"}, data->stiffness);
  read_motions(binder, force->node, "damping", (const char *[]){"N s/m", "N m s/rad"}, data->damping);
  read_motions(binder, force->node, "preload", (const char *[]){"N", "N m"}, data->preload);
}

/* Computes theta in the axes of the first body; in the plane an angle about z. */
static void find_turn(mbs_system *system, const mbs_force *force, double theta[3]) {
  const int one = force->frames.body1, other = force->frames.body2;
  double phi1[3], phi2[3];
  if (system->model->dim == 3) {
    mbs_rotation_vector(system, force, theta);
    return;
  }
  system->kernels->rotation(system, one, 0, phi1);
  system->kernels->rotation(system, other, 0, phi2);
  theta[0] = theta[1] = 0;
  theta[2] = phi2[2] - phi1[2] - (system->constants->poses[other].angle - system->constants->poses[one].angle);
}

/* A bushing at the current state: its axes u, d and d'. */
typedef struct bushing_state {
  double u[3][3], d[MOTIONS], rate[MOTIONS];
  double arm[3]; /* r_P2 - r_P1 */
} bushing_state;

static void find_state(mbs_system *system, const mbs_force *force, bushing_state *at) {
  const bushing_data *data = mbs_force_data(system, force);
  const mbs_geometry *places = mbs_force_geometry(system, force);
  const int one = force->frames.body1, other = force->frames.body2;
  double r1[3], v1[3], r2[3], v2[3], w1[3], w2[3], theta[3], w[3];
  mbs_point_motion(system, one, places->s1, r1, v1);
  mbs_point_motion(system, other, places->s2, r2, v2);
  mbs_angular_velocity(system, one, w1);
  mbs_angular_velocity(system, other, w2);
  find_turn(system, force, theta);
  for (int k = 0; k < 3; k++) at->arm[k] = r2[k] - r1[k];
  /* the first body has the velocity v_1 + omega_1 x arm at P2 */
  mbs_add_cross(w1, at->arm, v1);
  for (int k = 0; k < 3; k++) {
    v2[k] -= v1[k];
    w2[k] -= w1[k];
  }
  for (int k = 0; k < 3; k++) {
    mbs_to_global(system, one, data->axes[k], at->u[k]);
    at->d[k] = mbs_dot(at->u[k], at->arm);
    at->rate[k] = mbs_dot(at->u[k], v2);
    at->d[3 + k] = mbs_dot(data->axes[k], theta);
    w[k] = mbs_dot(at->u[k], w2);
  }
  mbs_rotation_vector_rate(at->d + 3, w, at->rate + 3);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const bushing_data *data = mbs_force_data(system, force);
  const mbs_geometry *places = mbs_force_geometry(system, force);
  (void)index;
  bushing_state at;
  double Q[MOTIONS], n[3], f[3] = {0}, torque[3] = {0}, *out = system->outputs + force->first_output;
  find_state(system, force, &at);
  for (int k = 0; k < MOTIONS; k++) {
    const double elastic = data->stiffness[k] * at.d[k], viscous = data->damping[k] * at.rate[k];
    Q[k] = data->preload[k] - elastic - viscous;
    /* V = d'Kd / 2 - preload.d,  P_diss = d''C d' */
    system->potential_forces += (0.5 * elastic - data->preload[k]) * at.d[k];
    system->power_dissipated += viscous * at.rate[k];
  }
  mbs_rotation_vector_moment(at.d + 3, Q + 3, n);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) {
      f[i] += Q[k] * at.u[k][i];
      torque[i] += n[k] * at.u[k][i];
    }
  const bool plane = system->model->dim == 2;
  const int dim = plane ? 2 : 3, turns = plane ? 1 : 3;
  memcpy(out, f, (size_t)dim * sizeof *out);
  memcpy(out + dim, torque + 3 - turns, (size_t)turns * sizeof *out);
  memcpy(out + dim + turns, at.d, (size_t)dim * sizeof *out);
  memcpy(out + 2 * dim + turns, at.d + MOTIONS - turns, (size_t)turns * sizeof *out);
  mbs_apply_force(system, force->frames.body2, places->s2, f);
  mbs_twist(system, force->frames.body2, torque);
  /* the first body receives the opposite at P2: a force at P1 and its moment */
  mbs_add_cross(at.arm, f, torque);
  for (int i = 0; i < 3; i++) {
    f[i] = -f[i];
    torque[i] = -torque[i];
  }
  mbs_apply_force(system, force->frames.body1, places->s1, f);
  mbs_twist(system, force->frames.body1, torque);
}

const mbs_force_class mbs_force_bushing = {
    .base = {.name = "bushing",
             .doc = "Springs and dampers between two bodies in all directions, as of a rubber bushing. Displacements "
                    "are measured in axes of the first body, the rotation of the second body from its start.",
             .equation = "f, n on the second body at P2 = -(K d + C d') + preload,   d = (rP2 - rP1, turn)\n"
                         "V = d'K d / 2 - preload.d",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 6,
    .outputs = "fx|fy|torque|x|y|turn",
    .spatial_output_count = 12,
    .spatial_outputs = "fx|fy|fz|tx|ty|tz|x|y|z|rx|ry|rz",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(bushing_data),
    .apply = apply,
};
