/* Contact of a point, disc or ball of the second body with a line (in the plane) or a plane (in space) of the first. n
 * is the unit normal on the side of the second body, d the depth, N the normal force.
 *
 * The approach speed at the start of the contact, d0', is memory, which changes only at the located instant. It is not
 * known for a contact that exists at the start of a run or has no history. Then d'/d0' counts as 0 until the contact
 * ends, because any substitute would be a damper of arbitrary size. A contact lasts while d > 0. It never pulls: if the
 * law would (a damper faster than its spring), N is 0, continuously, and the depth relaxes. K d^(n+1) / (n+1) is
 * potential energy; all other energy is dissipated. Friction is N mu(slip) against the slip of the surfaces.
 *
 * Sources: Hunt, Crossley, J. Appl. Mech. 42 (1975); Lankarani, Nikravesh, J. Mech. Design 112 (1990); Flores et al.,
 * Multibody Syst. Dyn. 25 (2011). */
#include "base/rotation.h"
#include "elements/forces/friction_law.h"

#include <string.h>

static const mbs_field friction_fields[] = {MBS_FRICTION_FIELDS, MBS_FORCE_END};
static const mbs_class friction_class = {
    .name = "contact-friction", .doc = "Friction of a contact.", .fields = friction_fields};

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "point", .kind = MBS_KIND_POINT, .required = true, .doc = "the point in contact, or the centre of a disc"},
    {.name = "radius",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "m",
     .doc = "radius of the disc or ball; default: a point"},
    {.name = "line",
     .kind = MBS_KIND_LINE,
     .spaces = MBS_PLANAR,
     .required = true,
     .doc = "line in contact: a point of another body and the direction of the line; perp(direction) points to the "
            "free side"},
    {.name = "plane",
     .kind = MBS_KIND_LINE,
     .spaces = MBS_SPATIAL,
     .required = true,
     .doc = "plane in contact: through a point of another body, with the normal towards the free side"},
    {.name = "law",
     .kind = MBS_KIND_CHOICE,
     .choices = "hertz|kelvin-voigt|hunt-crossley|lankarani-nikravesh|flores",
     .fallback_text = "lankarani-nikravesh",
     .doc = "law of the normal force"},
    {.name = "stiffness",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "N/m^n",
     .doc = "K"},
    {.name = "exponent",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1.5,
     .low = 1,
     .high = 10,
     .doc = "exponent n; default: 1.5, for kelvin-voigt 1"},
    {.name = "restitution",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = 1,
     .doc = "e of hunt-crossley, lankarani-nikravesh, flores"},
    {.name = "damping",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .doc = "c of kelvin-voigt [N s/m]; of hunt-crossley [N s/m^(n+1)], where it replaces restitution"},
    {.name = "least_approach",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1e-4,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "m/s",
     .doc = "lower bound of the approach speed d0'. A contact that exists at the start has no approach speed, so its "
            "restitution applies only after it has ended"},
    {.name = "friction",
     .kind = MBS_KIND_OBJECT,
     .of = &friction_class,
     .doc = "friction along the line; default: none"},
    MBS_FORCE_END};

typedef enum contact_kind { HERTZ, KELVIN_VOIGT, HUNT_CROSSLEY, LANKARANI_NIKRAVESH, FLORES, LAWS } contact_kind;

typedef struct contact_data {
  double normal[3]; /* normal of the first body's line, body axes */
  double radius, stiffness, exponent;
  double share;   /* damping for d' = d0', as a share of K d^n */
  double factor;  /* coefficient of d^n d' */
  double viscous; /* coefficient of d' */
  double least_approach;
  bool rubs;
  mbs_friction_law friction;
} contact_data;

/* Indices of switches and memory. If the contact does not press, because the law would pull, N is 0. */
enum { TOUCHING, PRESSING, SWITCHES };
enum { APPROACH, MEMORY };

/* ---- building ------------------------------------------------------------------------------------------------ */

static contact_kind read_kind(const mbs_node *node) {
  static const char *const names[LAWS] = {"hertz", "kelvin-voigt", "hunt-crossley", "lankarani-nikravesh", "flores"};
  const char *word = mbs_read_text(node, "law");
  for (contact_kind kind = HERTZ; word && kind < LAWS; kind++)
    if (strcmp(word, names[kind]) == 0) return kind;
  return LANKARANI_NIKRAVESH;
}

/* Reads chi, c_n and c of the law. theory (7.9) */
static void read_damping(mbs_binder *binder, const mbs_node *node, contact_kind kind, contact_data *data) {
  const mbs_value *restitution = mbs_read_value(node, "restitution"), *damping = mbs_read_value(node, "damping");
  const char *law = mbs_read_text(node, "law");
  double e = mbs_read_number(binder, node, "restitution"), c = mbs_read_number(binder, node, "damping");
  bool by_restitution = kind >= HUNT_CROSSLEY, by_damping = kind == KELVIN_VOIGT || kind == HUNT_CROSSLEY;
  if (restitution->given && !by_restitution)
    mbs_diagnose(binder->list, MBS_INVALID, restitution->pointer, "the law '%s' has no restitution; remove it", law);
  else if (damping->given && !by_damping)
    mbs_diagnose(binder->list, MBS_INVALID, damping->pointer, "the law '%s' has no damping; remove it", law);
  else if (restitution->given && damping->given)
    mbs_diagnose(binder->list, MBS_INVALID, damping->pointer, "give restitution or damping, not both");
  else if (by_restitution && !restitution->given && !(by_damping && damping->given))
    mbs_diagnose(binder->list, MBS_MISSING, node->pointer, "the law '%s' needs its restitution%s", law,
                 by_damping ? " or its damping" : "");
  if (kind == FLORES && e == 0)
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, restitution->pointer, "restitution must be above 0 for flores");
  if (kind == KELVIN_VOIGT) data->viscous = c;
  if (kind == HUNT_CROSSLEY && damping->given) data->factor = c;
  if (!restitution->given) return;
  /* chi of the laws by restitution */
  data->share = kind == HUNT_CROSSLEY         ? 1.5 * (1 - e)
                : kind == LANKARANI_NIKRAVESH ? 0.75 * (1 - e * e)
                : e > 0                       ? 1.6 * (1 - e) / e
                                              : 0;
}

/* Reads the line or plane: a point of the first body and, on the same body, the vector that determines its normal. */
static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_value *line = mbs_read_value(node, builder->model->dim == 3 ? "plane" : "line");
  const mbs_value *point = mbs_read_value(node, "point");
  mbs_frames frames = MBS_NO_FRAMES;
  int of_vector = -1;
  force->frames = MBS_ON_GROUND;
  if (!line->given || !point->given) return; /* reported when the document was read */
  bool good = mbs_read_place(builder, point->scalars[0].text, false, point->pointer, &frames.body2, &frames.point2);
  for (int k = 0; k < 2; k++) {
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(line, (size_t)k, pointer);
    good = mbs_read_place(builder, line->scalars[k].text, k == 1, pointer, k == 0 ? &frames.body1 : &of_vector,
                          k == 0 ? &frames.point1 : &frames.vector1) &&
           good;
  }
  if (!good) return;
  force->frames = frames;
  if (of_vector != frames.body1)
    mbs_diagnose(builder->list, MBS_INVALID, line->pointer, "its point and its vector must be on one body");
  if (frames.body1 == frames.body2)
    mbs_diagnose(builder->list, MBS_INVALID, point->pointer,
                 "this point is on the same body as the line or plane; choose a point of another body");
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  const mbs_node *node = force->node;
  const mbs_value *friction = mbs_read_value(node, "friction");
  const double *u =
      force->frames.vector1 < 0 ? (const double[3]){0} : binder->constants->vectors[force->frames.vector1];
  bool spatial = binder->model->dim == 3;
  contact_data *data = numbers;
  contact_kind kind = read_kind(node);
  *data = (contact_data){.normal = {spatial ? u[0] : -u[1], spatial ? u[1] : u[0], u[2]}};
  data->radius = mbs_read_number(binder, node, "radius");
  data->stiffness = mbs_read_number(binder, node, "stiffness");
  data->exponent =
      kind == KELVIN_VOIGT && !mbs_read_given(node, "exponent") ? 1 : mbs_read_number(binder, node, "exponent");
  data->least_approach = mbs_read_number(binder, node, "least_approach");
  data->rubs = friction->given && friction->count;
  if (data->rubs) mbs_friction_read(binder, &friction->nodes[0], &data->friction);
  read_damping(binder, node, kind, data);
}

/* ---- geometry and law ---------------------------------------------------------------------------------------- */

typedef struct contact_state {
  double n[3];        /* normal, global axes */
  double depth, rate; /* d, d' */
  double arm1[3];     /* from the first body's point, and from the second's, to the contact point */
  double arm2[3];
  double slip[3]; /* velocity of the second body's surface along the first's */
} contact_state;

/* Computes the velocity of a body at the end of `arm`, which starts at its point s. */
static void velocity_at(const mbs_system *system, int body, const double s[3], const double arm[3], double out[3]) {
  double r[3], omega[3], turn[3];
  mbs_point_motion(system, body, s, r, out);
  mbs_angular_velocity(system, body, omega);
  mbs_cross(omega, arm, turn);
  for (int k = 0; k < 3; k++) out[k] += turn[k];
}

/* Computes the depth, its rate and the slip. theory (7.6), (7.7) */
static contact_state state_of(const mbs_system *system, const mbs_force *force) {
  const contact_data *data = mbs_force_data(system, force);
  const mbs_frames *frames = &force->frames;
  const mbs_geometry *at = mbs_force_geometry(system, force);
  contact_state c;
  double r1[3], r2[3], v1[3], v2[3], apart[3];
  mbs_to_global(system, frames->body1, data->normal, c.n);
  mbs_point_motion(system, frames->body1, at->s1, r1, v1);
  mbs_point_motion(system, frames->body2, at->s2, r2, v2);
  /* contact point r_2 - R n, from both points */
  for (int k = 0; k < 3; k++) {
    c.arm2[k] = -data->radius * c.n[k];
    apart[k] = r2[k] - r1[k];
    c.arm1[k] = apart[k] + c.arm2[k];
  }
  /* d = R - n.(r_2 - r_1) */
  c.depth = data->radius - mbs_dot(c.n, apart);
  velocity_at(system, frames->body1, at->s1, c.arm1, v1);
  velocity_at(system, frames->body2, at->s2, c.arm2, v2);
  for (int k = 0; k < 3; k++) c.slip[k] = v2[k] - v1[k];
  /* d' = -n.(v_2 - v_1), slip = v_2 - v_1 + d' n */
  c.rate = -mbs_dot(c.n, c.slip);
  for (int k = 0; k < 3; k++) c.slip[k] += c.rate * c.n[k];
  return c;
}

/* Returns d^n. Trial steps go slightly beyond the end of a contact. */
static double power(const contact_data *data, double depth) { return depth > 0 ? pow(depth, data->exponent) : 0; }

/* Returns the coefficient of d^n d': chi K / d0' + c_n */
static double damping_of(const contact_data *data, double approach) {
  return data->share * data->stiffness / approach + data->factor;
}

/* Returns the normal force of the law: theory (7.8) without its maximum. */
static double normal_force(const contact_data *data, const contact_state *c, double approach) {
  double P = power(data, c->depth);
  /* K d^n + (chi K / d0' + c_n) d^n d' + c d' */
  return data->stiffness * P + damping_of(data, approach) * P * c->rate + data->viscous * c->rate;
}

/* Returns a number with the sign of that force which is smooth and does not vanish with d: N/K with the viscous damper,
 * else N/(K d^n). */
static double pressure(const contact_data *data, const contact_state *c, double approach) {
  if (data->viscous > 0) return normal_force(data, c, approach) / data->stiffness;
  return 1 + damping_of(data, approach) / data->stiffness * c->rate;
}

/* Approach speed of a contact whose start is not known: it makes the damping by restitution zero. */
static const double unseen = INFINITY;

static double approach_of(const contact_data *data, const contact_state *c) {
  return fmax(c->rate, data->least_approach);
}

static double creep(const mbs_system *system, const mbs_force *force, double *transition) {
  const contact_data *data = mbs_force_data(system, force);
  const contact_state c = state_of(system, force);
  if (!data->rubs || !(c.depth > 0)) return 0;
  return mbs_friction_creep(&data->friction, sqrt(mbs_dot(c.slip, c.slip)), transition);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const contact_data *data = mbs_force_data(system, force);
  const mbs_geometry *at = mbs_force_geometry(system, force);
  const contact_state c = state_of(system, force);
  bool touching = system->settled ? system->mode_held[force->mode0 + TOUCHING] != 0 : c.depth > 0;
  double approach = system->settled ? system->memory[force->memory0 + APPROACH] : unseen;
  bool pressing = touching && (!system->settled || system->mode_held[force->mode0 + PRESSING] != 0);
  double N = pressing ? normal_force(data, &c, approach) : 0, F = 0, f[3], turn[3],
         slip = sqrt(mbs_dot(c.slip, c.slip));
  if (!system->settled) N = fmax(N, 0);
  (void)index;
  /* F = N mu(slip), f = N n - F slip / norm(slip) */
  if (data->rubs && slip > 0) F = N * mbs_friction_coefficient(&data->friction, slip);
  for (int k = 0; k < 3; k++) f[k] = N * c.n[k] - (slip > 0 ? F / slip * c.slip[k] : 0);
  double *out = system->outputs + force->first_output;
  out[0] = N;
  out[1] = F;
  out[2] = fmax(c.depth, 0);
  mbs_apply_force(system, force->frames.body2, at->s2, f);
  mbs_cross(c.arm2, f, turn);
  mbs_twist(system, force->frames.body2, turn);
  for (int k = 0; k < 3; k++) f[k] = -f[k];
  mbs_apply_force(system, force->frames.body1, at->s1, f);
  mbs_cross(c.arm1, f, turn);
  mbs_twist(system, force->frames.body1, turn);
  /* P_diss = N d' + F slip - K d^n d', V = K d^(n+1) / (n + 1) */
  system->power_dissipated += N * c.rate + F * slip;
  if (!touching) return;
  double elastic = data->stiffness * power(data, c.depth);
  system->potential_forces += elastic * c.depth / (data->exponent + 1);
  system->power_dissipated -= elastic * c.rate;
}

/* ---- beginning and end --------------------------------------------------------------------------------------- */

/* Sets the mode PRESSING for a contact that begins or exists; without contact it has no meaning. */
static void set_pressing(mbs_system *system, const mbs_force *force, const contact_state *c) {
  const double approach = system->memory[force->memory0 + APPROACH];
  system->mode_held[force->mode0 + PRESSING] = pressure(mbs_force_data(system, force), c, approach) >= 0;
}

static const char *settle(mbs_system *system, const mbs_force *force) {
  const contact_state c = state_of(system, force);
  const contact_data *data = mbs_force_data(system, force);
  system->memory[force->memory0 + APPROACH] = unseen;
  system->mode_held[force->mode0 + TOUCHING] = c.depth > 0;
  set_pressing(system, force, &c);
  if (!(c.depth > 0)) return NULL;
  return data->share > 0 ? "in contact at the start: no restitution until it ends" : "in contact at the start";
}

static void margins(const mbs_system *system, const mbs_force *force, double *out) {
  const contact_state c = state_of(system, force);
  const double *mode = system->mode_held + force->mode0;
  const double sign = mode[PRESSING] != 0 ? 1 : -1;
  out[TOUCHING] = mode[TOUCHING] != 0 ? c.depth : -c.depth;
  out[PRESSING] = 1;
  if (mode[TOUCHING] != 0)
    out[PRESSING] = sign * pressure(mbs_force_data(system, force), &c, system->memory[force->memory0 + APPROACH]);
}

static const char *event(mbs_system *system, const mbs_force *force, size_t which) {
  const contact_state c = state_of(system, force);
  double *mode = system->mode_held + force->mode0 + which;
  *mode = 1 - *mode;
  if (which == PRESSING) return NULL; /* the force is continuous */
  if (*mode == 0) return "contact ends";
  system->memory[force->memory0 + APPROACH] = approach_of(mbs_force_data(system, force), &c);
  set_pressing(system, force, &c);
  return "contact begins";
}

const mbs_force_class mbs_force_contact = {
    .base = {.name = "contact",
             .doc = "Contact of a point, disc or ball with a line or plane.",
             .equation = "d = R - n.(rP - rQ), the depth\n"
                         "hertz:               N = K d^n\n"
                         "kelvin-voigt:        N = K d^n + c d'  (n is 1 unless given)\n"
                         "hunt-crossley:       N = K d^n (1 + 3(1 - e)/2 d'/d0'),  or  K d^n + c d^n d'\n"
                         "lankarani-nikravesh: N = K d^n (1 + 3(1 - e^2)/4 d'/d0')\n"
                         "flores:              N = K d^n (1 + 8(1 - e)/(5 e) d'/d0')\n"
                         "d0' is the approach speed when the contact began",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 3,
    .outputs = "force|friction|penetration",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(contact_data),
    .apply = apply,
    .creep = creep,
    .own = {.switches = SWITCHES, .memory = MEMORY, .settle = settle, .margins = margins, .event = event},
};
