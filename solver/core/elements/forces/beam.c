/* A massless beam between two bodies: corotational, after Euler and Bernoulli. u is the direction of the chord from P1
 * to P2, l its length; x_i, y_i, z_i are axes of the beam's end on body i, x_i along the undeformed beam. Deformations:
 *
 *     e = l - L
 *     b_i    the smallest rotation from u to x_i, as a vector; its components along y_i and z_i are beta_iy, beta_iz.
 *            In the plane beta_iz is t_i, the angle of x_i against the chord
 *     tau    the angle about u from y_1 to y_2, after both are turned by the smallest rotations from x_i to u
 *
 *     N = EA e / L    M_1 = EI/L (4 beta_1 + 2 beta_2)    M_2 = EI/L (2 beta_1 + 4 beta_2)    T = GJ tau / L
 *
 * and the same of the rates, times the damping. Forces follow from the virtual power of these moments, theory (7.28).
 * For a moment (M_y, M_z) of an end, whose chord has the components c = (u.x, u.y, u.z), rho^2 = c_y^2 + c_z^2,
 * kappa = angle(c) / rho: beta_y = kappa c_z, beta_z = -kappa c_y, and
 *
 *     M.beta' = gamma.c',   gamma = (-B, mu c_y B - kappa M_z, mu c_z B + kappa M_y),
 *     B = M_y c_z - M_z c_y,   mu = (c_x - kappa) / rho^2 */
#include "base/rotation.h"
#include "elements/forces/force.h"

#include <string.h>

#define STIFFNESS(NAME, UNIT, DOC)                                                                                  \
  .name = NAME, .kind = MBS_KIND_NUMBER, .required = true, .fallback = 0, .low = 0, .high = INFINITY, .unit = UNIT, \
  .doc = DOC
static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "points",
     .kind = MBS_KIND_POINT,
     .min_count = 2,
     .max_count = 2,
     .required = true,
     .doc = "P1, P2, the ends of the beam"},
    {.name = "vectors",
     .kind = MBS_KIND_VECTOR,
     .min_count = MBS_COUNTS(2, 4),
     .max_count = MBS_COUNTS(2, 4),
     .required = true,
     .doc = "x1, x2: the direction of the undeformed beam, from P1 to P2, on the first and on the second body; in "
            "space also y1, y2, perpendicular to them and parallel if there is no torsion"},
    {.name = "length",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "m",
     .doc = "L of the undeformed beam; default: the distance of the points at the start"},
    {STIFFNESS("axial_stiffness", "N", "EA")},
    {STIFFNESS("bending_stiffness", "N m^2", "EI; in space about y and about z"), .min_count = MBS_COUNTS(1, 2),
     .max_count = MBS_COUNTS(1, 2), .or_single = true},
    {STIFFNESS("torsional_stiffness", "N m^2", "GJ"), .spaces = MBS_SPATIAL},
    {.name = "damping",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "s",
     .doc = "time by which the stiffness is multiplied to give the damping; default: none"},
    MBS_FORCE_END};

enum { ENDS = 2, X = 0, Y = 1, Z = 2 };

typedef struct beam_data {
  double axes[ENDS][3][3]; /* x_i, y_i, z_i in the axes of body i */
  double length;           /* L [m]; 0: the length at the start */
  double axial, torsion;   /* EA [N], GJ [N m^2] */
  double bending[3];       /* EI about y and z [N m^2] */
  double damping;          /* [s] */
} beam_data;

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const bool good = mbs_read_ends(builder, node, &force->frames);
  const mbs_frames *at = &force->frames;
  mbs_force_vectors(builder, node, force, (int[]){at->body1, at->body2, at->body1, at->body2}, 2 * ENDS);
  if (!good) force->frames = MBS_ON_GROUND;
  force->conservative = !mbs_read_given(node, "damping");
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  beam_data *data = numbers;
  const mbs_node *node = force->node;
  const bool spatial = binder->model->dim == 3;
  double bending[2] = {0, 0};
  for (size_t i = 0; i < ENDS; i++) mbs_force_axes(binder, force, i, ENDS + i, data->axes[i]);
  data->length = mbs_read_given(node, "length") ? mbs_read_number(binder, node, "length") : 0;
  data->axial = mbs_read_number(binder, node, "axial_stiffness");
  mbs_read_numbers(binder, node, "bending_stiffness", bending, 2);
  data->bending[X] = 0;
  data->bending[Y] = spatial ? bending[0] : 0;
  data->bending[Z] = spatial ? bending[1] : bending[0];
  data->torsion = spatial ? mbs_read_number(binder, node, "torsional_stiffness") : 0;
  data->damping = mbs_read_number(binder, node, "damping");
}

/* An end: its axes and the chord's direction in them, c, at the current position; angular velocity of its body. */
typedef struct beam_end {
  double axes[3][3], c[3], w[3];
  double kappa, mu;
  double beta[3], rate[3]; /* beta and beta'; their components along x are 0 */
  double s;                /* rate of the rotation about u */
} beam_end;

typedef struct beam_state {
  beam_end end[ENDS];
  double u[3], u_rate[3]; /* u, u' */
  double l, l_rate, tau, tau_rate;
} beam_state;

/* Returns L. */
static double length_of(const mbs_system *system, const mbs_force *force) {
  const beam_data *data = mbs_force_data(system, force);
  const mbs_geometry *at = mbs_force_geometry(system, force);
  const mbs_pose *poses = system->constants->poses;
  const int body[ENDS] = {force->frames.body1, force->frames.body2};
  double r[ENDS][3], A[9], square = 0;
  if (data->length > 0) return data->length;
  for (int i = 0; i < ENDS; i++) {
    const mbs_pose *pose = &poses[body[i]];
    const double half = 0.5 * pose->angle, planar[4] = {cos(half), 0, 0, sin(half)};
    mbs_euler_matrix(system->model->dim == 2 ? planar : pose->p, A);
    mbs_rotate(A, i ? at->s2 : at->s1, r[i]);
    for (int k = 0; k < 3; k++) r[i][k] += pose->r[k];
  }
  for (int k = 0; k < 3; k++) square += (r[1][k] - r[0][k]) * (r[1][k] - r[0][k]);
  return sqrt(square);
}

static void find_chord(const mbs_system *system, const mbs_force *force, beam_state *at) {
  const mbs_geometry *places = mbs_force_geometry(system, force);
  double r1[3], v1[3], r2[3], v2[3];
  mbs_point_motion(system, force->frames.body1, places->s1, r1, v1);
  mbs_point_motion(system, force->frames.body2, places->s2, r2, v2);
  for (int k = 0; k < 3; k++) {
    at->u[k] = r2[k] - r1[k];
    v2[k] -= v1[k];
  }
  /* l' = u.v,   u' = (v - u l') / l */
  at->l = sqrt(mbs_dot(at->u, at->u));
  for (int k = 0; k < 3; k++) at->u[k] /= at->l;
  at->l_rate = mbs_dot(at->u, v2);
  for (int k = 0; k < 3; k++) at->u_rate[k] = (v2[k] - at->l_rate * at->u[k]) / at->l;
}

/* Computes the bending of an end, and the rate s of the transported axes about the chord:
 * s (1 + u.x) = omega.(x + u) - (u x u').x. theory (7.27) */
static void find_end(const mbs_system *system, const mbs_force *force, int i, beam_state *at) {
  const beam_data *data = mbs_force_data(system, force);
  const int body = i ? force->frames.body2 : force->frames.body1;
  beam_end *end = &at->end[i];
  double spin[3], c_rate[3], relative[3];
  mbs_angular_velocity(system, body, end->w);
  /* c' = axes.(u' - omega x u) */
  memcpy(relative, at->u_rate, sizeof relative);
  mbs_add_cross(at->u, end->w, relative);
  for (int k = 0; k < 3; k++) {
    mbs_to_global(system, body, data->axes[i][k], end->axes[k]);
    end->c[k] = mbs_dot(end->axes[k], at->u);
    c_rate[k] = mbs_dot(end->axes[k], relative);
  }
  const double *c = end->c, rho = sqrt(c[Y] * c[Y] + c[Z] * c[Z]), angle = atan2(rho, c[X]);
  /* kappa and mu have the limits 1 and -2/3 at rho = 0 */
  end->kappa = rho > 0 ? angle / rho : 1;
  end->mu = rho > 0 ? (c[X] - end->kappa) / (rho * rho) : -2.0 / 3;
  /* kappa' = -c_x' + mu (c_y c_y' + c_z c_z') */
  const double kappa_rate = -c_rate[X] + end->mu * (c[Y] * c_rate[Y] + c[Z] * c_rate[Z]);
  end->beta[X] = end->rate[X] = 0;
  end->beta[Y] = end->kappa * c[Z];
  end->beta[Z] = -end->kappa * c[Y];
  end->rate[Y] = end->kappa * c_rate[Z] + kappa_rate * c[Z];
  end->rate[Z] = -end->kappa * c_rate[Y] - kappa_rate * c[Y];
  mbs_cross(at->u, at->u_rate, spin);
  end->s = (mbs_dot(end->w, end->axes[X]) + mbs_dot(end->w, at->u) - mbs_dot(spin, end->axes[X])) / (1 + c[X]);
}

/* Computes y_i turned by the smallest rotation from x_i to u: y - (y.u) / (1 + x.u) (x + u). */
static void transport(const beam_end *end, const double u[3], double out[3]) {
  for (int k = 0; k < 3; k++) out[k] = end->axes[Y][k] - end->c[Y] / (1 + end->c[X]) * (end->axes[X][k] + u[k]);
}

static void find_state(const mbs_system *system, const mbs_force *force, beam_state *at) {
  double y1[3], y2[3], cross[3];
  find_chord(system, force, at);
  for (int i = 0; i < ENDS; i++) find_end(system, force, i, at);
  transport(&at->end[0], at->u, y1);
  transport(&at->end[1], at->u, y2);
  mbs_cross(y1, y2, cross);
  at->tau = atan2(mbs_dot(at->u, cross), mbs_dot(y1, y2));
  at->tau_rate = at->end[1].s - at->end[0].s;
}

/* Reports positions in which the beam has no chord, or is so bent or twisted that its angles are not continuous. */
static void check_position(mbs_system *system, const mbs_force *force, const beam_state *at) {
  if (!(at->l > 0))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, force->name, "its two points coincide");
  else if (!(at->end[0].c[X] > 0) || !(at->end[1].c[X] > 0))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, force->name,
                       "an end is bent by 90 degrees or more against the chord; use several beams in a row");
  else if (!(fabs(at->tau) < 0.25 * mbs_full_turn))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, force->name,
                       "it is twisted by 90 degrees or more; use several beams in a row");
}

/* Applies the moment M of an end on its body: with gamma the torque u x gamma; adds gamma to `of_chord`. */
static void apply_bending(mbs_system *system, int body, const beam_state *at, const beam_end *end, const double M[3],
                          double of_chord[3]) {
  const double *c = end->c, B = M[Y] * c[Z] - M[Z] * c[Y];
  const double gamma[3] = {-B, end->mu * c[Y] * B - end->kappa * M[Z], end->mu * c[Z] * B + end->kappa * M[Y]};
  double global[3] = {0, 0, 0}, torque[3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) global[i] += gamma[k] * end->axes[k][i];
  mbs_cross(at->u, global, torque);
  mbs_twist(system, body, torque);
  for (int i = 0; i < 3; i++) of_chord[i] += global[i];
}

/* Applies the torsional moment T on an end (sign: 1 on the second body): -T (x + u) / (1 + u.x); adds its part of the
 * chord, -T x x u / (1 + u.x). */
static void apply_torsion(mbs_system *system, int body, const beam_state *at, const beam_end *end, double T,
                          double of_chord[3]) {
  const double share = -T / (1 + end->c[X]);
  double torque[3], cross[3];
  for (int i = 0; i < 3; i++) torque[i] = share * (end->axes[X][i] + at->u[i]);
  mbs_twist(system, body, torque);
  mbs_cross(end->axes[X], at->u, cross);
  for (int i = 0; i < 3; i++) of_chord[i] += share * cross[i];
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  const beam_data *data = mbs_force_data(system, force);
  const mbs_geometry *places = mbs_force_geometry(system, force);
  const int body[ENDS] = {force->frames.body1, force->frames.body2};
  const bool spatial = system->model->dim == 3;
  beam_state at;
  double of_chord[3] = {0, 0, 0}, M[ENDS][3], f[3], *out = system->outputs + force->first_output;
  find_state(system, force, &at);
  check_position(system, force, &at);
  const double L = length_of(system, force), e = at.l - L, EA = data->axial / L, GJ = data->torsion / L;
  const double N = EA * (e + data->damping * at.l_rate), T = GJ * (at.tau + data->damping * at.tau_rate);
  double potential = EA * e * e + GJ * at.tau * at.tau;
  double power = EA * at.l_rate * at.l_rate + GJ * at.tau_rate * at.tau_rate;
  for (int i = 0; i < ENDS; i++) {
    const beam_end *own = &at.end[i], *other = &at.end[1 - i];
    for (int k = 0; k < 3; k++) {
      const double EI = data->bending[k] / L, elastic = EI * (4 * own->beta[k] + 2 * other->beta[k]),
                   rate = EI * (4 * own->rate[k] + 2 * other->rate[k]);
      M[i][k] = elastic + data->damping * rate;
      potential += elastic * own->beta[k];
      power += rate * own->rate[k];
    }
    apply_bending(system, body[i], &at, own, M[i], of_chord);
    if (spatial) apply_torsion(system, body[i], &at, own, i ? T : -T, of_chord);
  }
  system->potential_forces += 0.5 * potential;
  system->power_dissipated += data->damping * power;
  /* the force on the second body: -N u - (part of `of_chord` across u) / l */
  const double along = mbs_dot(of_chord, at.u);
  for (int k = 0; k < 3; k++) f[k] = -N * at.u[k] - (of_chord[k] - along * at.u[k]) / at.l;
  out[0] = N;
  if (spatial) out[1] = T;
  for (int i = 0; i < ENDS && spatial; i++) memcpy(out + 2 + 2 * i, M[i] + Y, 2 * sizeof *out);
  for (int i = 0; i < ENDS && !spatial; i++) out[1 + i] = M[i][Z];
  mbs_apply_force(system, body[1], places->s2, f);
  for (int k = 0; k < 3; k++) f[k] = -f[k];
  mbs_apply_force(system, body[0], places->s1, f);
}

const mbs_force_class mbs_force_beam = {
    .base = {.name = "beam",
             .doc = "A massless elastic beam between two bodies, for large displacements and small strains "
                    "(corotational, Euler-Bernoulli). Several in a row, with the beam's mass in the bodies between "
                    "them, are a flexible beam.",
             .equation = "N = EA (l - L) / L, M1 = EI / L (4 t1 + 2 t2), M2 = EI / L (2 t1 + 4 t2), T = GJ tau / L\n"
                         "l: length of the chord, ti: angle of xi against the chord, tau: twist",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 3,
    .outputs = "force|moment1|moment2",
    .spatial_output_count = 6,
    .spatial_outputs = "force|torsion|moment_y1|moment_z1|moment_y2|moment_z2",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(beam_data),
    .apply = apply,
};
