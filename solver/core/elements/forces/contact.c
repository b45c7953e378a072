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
#include "elements/forces/contact_points.h"
#include "elements/forces/friction_law.h"
#include "elements/forces/one_sided.h"
#include "equations/touches.h"

#include <stdlib.h>
#include <string.h>

static const mbs_field friction_fields[] = {MBS_FRICTION_FIELDS, MBS_FORCE_END};
static const mbs_class friction_class = {
    .name = "contact-friction", .doc = "Friction of a contact.", .fields = friction_fields};

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "point", .kind = MBS_KIND_POINT, .doc = "the point in contact, or the centre of a disc or ball"},
    {.name = "shapes",
     .kind = MBS_KIND_TEXT,
     .min_count = 1,
     .max_count = 1000,
     .doc =
         "instead of a point: named shapes of bodies or of the ground, \"body.name\"; all pairs of different bodies "
         "can touch, and each shape can touch the line or plane. In the plane circle, line, rectangle, convex polygon, "
         "arc; in space sphere, capsule, box, half-space"},
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
     .doc = "line in contact: a point of another body and the direction of the line; perp(direction) points to the "
            "free side"},
    {.name = "plane",
     .kind = MBS_KIND_LINE,
     .spaces = MBS_SPATIAL,
     .doc = "plane in contact: through a point of another body, with the normal towards the free side"},
    {.name = "law",
     .kind = MBS_KIND_CHOICE,
     .choices = "rigid|hertz|kelvin-voigt|hunt-crossley|lankarani-nikravesh|flores",
     .fallback_text = "lankarani-nikravesh",
     .doc = "law of the normal force"},
    {.name = "stiffness",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "N/m^n",
     .doc = "K; required except for rigid"},
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
     .doc = "e of rigid (default 0), hunt-crossley, lankarani-nikravesh, flores"},
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
            "restitution applies only after it has ended. Slower impacts of rigid have no restitution: the contact "
            "closes"},
    {.name = "surface_velocity",
     .kind = MBS_KIND_LAW,
     .min_count = MBS_TURNS,
     .max_count = MBS_TURNS,
     .or_single = true,
     .fallback = 0,
     .unit = "m/s",
     .doc =
         "velocity of the surface of the first body, as of a belt: in the plane along the line's vector, in space its "
         "components in the body's axes, of which those across the normal count; a function of time"},
    {.name = "rolling_friction",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "m",
     .doc = "of the law rigid: a moment against relative rolling, up to this length times N; it holds at rest, as dry "
            "friction does"},
    {.name = "spinning_friction",
     .kind = MBS_KIND_NUMBER,
     .spaces = MBS_SPATIAL,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "m",
     .doc = "likewise, against relative spin about the normal"},
    {.name = "friction",
     .kind = MBS_KIND_OBJECT,
     .of = &friction_class,
     .doc = "friction of the surfaces; default: none. With the contact law rigid it needs the law coulomb, with the "
            "others a smooth law"},
    MBS_FORCE_END};

typedef enum contact_kind { RIGID, HERTZ, KELVIN_VOIGT, HUNT_CROSSLEY, LANKARANI_NIKRAVESH, FLORES, LAWS } contact_kind;

typedef struct contact_data {
  double radius;
  mbs_one_sided law;
  double least_approach, restitution;
  double turning[2]; /* lengths of rolling and of spinning friction */
  bool rubs;
  mbs_friction_law friction;
  mbs_dry_friction dry;
  mbs_contact_shape shapes[]; /* [shape_count] */
} contact_data;

/* Indices of switches and memory. If the contact does not press, because the law would pull, N is 0. */
enum { TOUCHING, PRESSING, SWITCHES };
enum { APPROACH, MEMORY };

static const mbs_touch_class rigid_contact, turning_friction[2];

/* Moments against relative turning: about axes across the normal, and about the normal. */
enum { ROLLING, SPINNING, TURNINGS };
static const char *const turning_fields[TURNINGS] = {"rolling_friction", "spinning_friction"};

/* ---- building ------------------------------------------------------------------------------------------------ */

static contact_kind read_kind(const mbs_node *node) {
  static const char *const names[LAWS] = {"rigid", "hertz", "kelvin-voigt", "hunt-crossley", "lankarani-nikravesh",
                                          "flores"};
  const char *word = mbs_read_text(node, "law");
  for (contact_kind kind = RIGID; word && kind < LAWS; kind++)
    if (strcmp(word, names[kind]) == 0) return kind;
  return LANKARANI_NIKRAVESH;
}

/* Reads chi, c_n and c of the law. theory (7.9) */
static void read_damping(mbs_binder *binder, const mbs_node *node, contact_kind kind, contact_data *data) {
  const mbs_value *restitution = mbs_read_value(node, "restitution"), *damping = mbs_read_value(node, "damping");
  const char *law = mbs_read_text(node, "law");
  double e = mbs_read_number(binder, node, "restitution"), c = mbs_read_number(binder, node, "damping");
  bool by_restitution = kind >= HUNT_CROSSLEY || kind == RIGID,
       by_damping = kind == KELVIN_VOIGT || kind == HUNT_CROSSLEY;
  if (restitution->given && !by_restitution)
    mbs_diagnose(binder->list, MBS_INVALID, restitution->pointer, "the law '%s' has no restitution; remove it", law);
  else if (damping->given && !by_damping)
    mbs_diagnose(binder->list, MBS_INVALID, damping->pointer, "the law '%s' has no damping; remove it", law);
  else if (restitution->given && damping->given)
    mbs_diagnose(binder->list, MBS_INVALID, damping->pointer, "give restitution or damping, not both");
  else if (by_restitution && kind != RIGID && !restitution->given && !(by_damping && damping->given))
    mbs_diagnose(binder->list, MBS_MISSING, node->pointer, "the law '%s' needs its restitution%s", law,
                 by_damping ? " or its damping" : "");
  if (kind == FLORES && e == 0)
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, restitution->pointer, "restitution must be above 0 for flores");
  if (kind == KELVIN_VOIGT) data->law.viscous = c;
  if (kind == HUNT_CROSSLEY && damping->given) data->law.factor = c;
  if (!restitution->given) return;
  /* chi of the laws by restitution */
  data->law.share = kind == RIGID                 ? 0
                    : kind == HUNT_CROSSLEY       ? 1.5 * (1 - e)
                    : kind == LANKARANI_NIKRAVESH ? 0.75 * (1 - e * e)
                    : e > 0                       ? 1.6 * (1 - e) / e
                                                  : 0;
}

static const mbs_node *friction_of(const mbs_node *node) {
  const mbs_value *friction = mbs_read_value(node, "friction");
  return friction->given && friction->count ? &friction->nodes[0] : NULL;
}

/* Sets the frames by which a contact of a point with a line or plane is drawn. */
static void set_frames(mbs_force *force, const mbs_contact_points *points) {
  const mbs_contact_source *one = &points->shapes[0], *two = &points->shapes[1];
  force->frames = (mbs_frames){.body1 = force->bodies[0],
                               .body2 = force->bodies[1],
                               .point1 = one->node ? -1 : one->point,
                               .point2 = two->node ? -1 : two->point,
                               .vector1 = one->node ? -1 : one->vector,
                               .vector2 = -1};
}

/* Adds the rolling and spinning friction of the point whose touch was just added. */
static void add_turning(mbs_builder *builder, const mbs_node *node, mbs_force *force, const mbs_touch *point) {
  const int carrier = (int)builder->model->touch_count;
  for (int kind = 0; kind < TURNINGS; kind++) {
    mbs_touch touch = *point;
    if (!mbs_read_if_known(node, turning_fields[kind])->given) continue;
    touch.cls = &turning_friction[kind];
    touch.sides = 0;
    touch.tangents = kind == ROLLING ? builder->model->dim - 1 : 1;
    touch.carrier = carrier;
    mbs_builder_add_touch(builder, force, &touch);
  }
}

/* Adds the touches of a rigid contact. */
static void add_touches(mbs_builder *builder, const mbs_node *node, mbs_force *force, mbs_contact_points *self) {
  const mbs_model *model = builder->model;
  self->touches = 1;
  for (int kind = 0; kind < TURNINGS; kind++) self->touches += mbs_read_if_known(node, turning_fields[kind])->given;
  for (size_t k = 0; k < self->count; k++) {
    const mbs_contact_point *point = &self->points[k];
    const int target = force->bodies[point->target], round = force->bodies[point->round];
    const int low = target < round ? target : round, high = target < round ? round : target;
    mbs_touch touch = {
        .joint =
            {.frames = {.body1 = target, .body2 = round, .point1 = -1, .point2 = -1, .vector1 = -1, .vector2 = -1}},
        .cls = &rigid_contact,
        .of_joint = -1,
        .number = (int)k,
        .pair = low * (int)(model->nB + 1) + high,
        .sides = 1,
        .tangents = friction_of(node) ? model->dim - 1 : 0,
        .coordinate = {-1, -1}};
    if (self->shape_count > 2)
      touch.name =
          mbs_keep_text(builder, mbs_arena_format(builder->arena, "%s[%s,%s]", force->name,
                                                  self->shapes[point->sign > 0 ? point->target : point->round].name,
                                                  self->shapes[point->sign > 0 ? point->round : point->target].name));
    mbs_builder_add_touch(builder, force, &touch);
    add_turning(builder, node, force, &touch);
  }
}

/* Reports what does not go with the law. */
static void check_law(mbs_builder *builder, const mbs_node *node) {
  const bool rigid = read_kind(node) == RIGID;
  const mbs_node *friction = friction_of(node);
  static const char *const soft[] = {"stiffness", "exponent"};
  if (!rigid && !mbs_read_given(node, "stiffness"))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field 'stiffness' of contact");
  for (size_t i = 0; i < 2 && rigid; i++)
    if (mbs_read_given(node, soft[i]))
      mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, soft[i])->pointer,
                   "the law 'rigid' has no %s; remove it", soft[i]);
  for (int kind = 0; kind < TURNINGS && !rigid; kind++)
    if (mbs_read_if_known(node, turning_fields[kind])->given)
      mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, turning_fields[kind])->pointer,
                   "'%s' is dry friction, which needs the law 'rigid' of the contact", turning_fields[kind]);
  if (friction && mbs_friction_is_dry(friction) != rigid)
    mbs_diagnose(
        builder->list, MBS_INVALID, friction->pointer,
        rigid ? "the friction of a rigid contact is dry; give it the law 'coulomb'"
              : "dry friction ('coulomb') needs the law 'rigid' of the contact; a compliant contact has a smooth "
                "friction law, as tanh");
}

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  force->frames = MBS_ON_GROUND;
  force->points = 0;
  check_law(builder, node);
  mbs_contact_points *self = mbs_read_contact_points(builder, node, force);
  force->structure = self;
  const mbs_value *belt = mbs_read_value(node, "surface_velocity");
  if (belt->given && builder->model->dim == 3 && belt->count == 1)
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, belt->pointer, "expected 3 components in a spatial model");
  else
    mbs_force_components(builder, node, "surface_velocity", force);
  for (size_t k = 0; k < force->law_count; k++) mbs_friction_check_belt(builder, force, k, "surface_velocity");
  if (!self) return;
  set_frames(force, self);
  force->data_extra = self->shape_count * sizeof(mbs_contact_shape);
  if (read_kind(node) == RIGID)
    add_touches(builder, node, force, self);
  else
    force->points = self->count;
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  const mbs_node *node = force->node, *friction = friction_of(node);
  const mbs_contact_points *self = force->structure;
  contact_data *data = numbers;
  contact_kind kind = read_kind(node);
  *data = (contact_data){.radius = mbs_read_number(binder, node, "radius")};
  data->law.stiffness = kind == RIGID ? 0 : mbs_read_number(binder, node, "stiffness");
  data->law.exponent =
      kind == KELVIN_VOIGT && !mbs_read_given(node, "exponent") ? 1 : mbs_read_number(binder, node, "exponent");
  data->least_approach = mbs_read_number(binder, node, "least_approach");
  data->restitution = mbs_read_given(node, "restitution") ? mbs_read_number(binder, node, "restitution") : 0;
  data->rubs = friction != NULL;
  for (int k = 0; k < TURNINGS; k++)
    if (mbs_read_if_known(node, turning_fields[k])->given)
      data->turning[k] = mbs_read_number(binder, node, turning_fields[k]);
  if (friction && mbs_friction_is_dry(friction))
    mbs_dry_friction_read(binder, friction, &data->dry);
  else if (friction)
    mbs_friction_read(binder, friction, &data->friction);
  read_damping(binder, node, kind, data);
  for (size_t i = 0; self && i < self->shape_count; i++)
    mbs_contact_shape_numbers(binder, &self->shapes[i], data->radius, &data->shapes[i]);
}

/* ---- geometry and law ---------------------------------------------------------------------------------------- */

typedef struct contact_state {
  mbs_contact_place place;
  int target, round;  /* bodies */
  double depth, rate; /* d, d' */
  double slip[3];     /* velocity of the round part's surface along the target's */
  double belt[3];     /* velocity of the target's surface as a belt, along the surface */
} contact_state;

static mbs_contact_place place_of(const mbs_system *system, const mbs_force *force, size_t k, int side) {
  const contact_data *data = mbs_force_data(system, force);
  const mbs_contact_points *self = force->structure;
  const mbs_contact_point *point = &self->points[k];
  return mbs_contact_at(system, force->bodies[point->target], &data->shapes[point->target], force->bodies[point->round],
                        &data->shapes[point->round], point->number, side);
}

/* Computes the velocity of a body's material point at p. */
static void velocity_at(const mbs_system *system, int body, const double p[3], double out[3]) {
  mbs_rigid_motion motion;
  double arm[3];
  system->model->kernels->motion(system, body, &motion);
  for (int k = 0; k < 3; k++) {
    arm[k] = p[k] - motion.r[k];
    out[k] = motion.v[k];
  }
  mbs_add_cross(motion.w, arm, out);
}

/* Returns the direction of law k of the surface's velocity, for the target's surface: in the plane across the normal,
 * in space axis k of the first body. */
static mbs_moving belt_axis(const mbs_system *system, const mbs_force *force, size_t point, size_t k,
                            const mbs_contact_place *place) {
  const mbs_contact_points *self = force->structure;
  const mbs_contact_point *at = &self->points[point];
  if (system->model->dim == 2) return mbs_contact_across(system, force->bodies[at->target], place, 0);
  const int first = force->bodies[at->sign > 0 ? at->target : at->round];
  mbs_moving axis = mbs_moving_vector(system, first, (const double[3]){k == 0, k == 1, k == 2});
  for (int i = 0; i < 3; i++) {
    axis.at[i] *= at->sign;
    axis.rate[i] *= at->sign;
  }
  return axis;
}

/* Computes the velocity of the target's surface as a belt, without its part along the normal. */
static void find_belt(const mbs_system *system, const mbs_force *force, size_t point, const mbs_contact_place *place,
                      double out[3]) {
  for (size_t k = 0; k < force->law_count; k++) {
    const mbs_moving axis = belt_axis(system, force, point, k, place);
    const double speed = mbs_law_value(system, &force->laws[k]), along = mbs_dot(axis.at, place->n.at);
    for (int i = 0; i < 3; i++) out[i] += speed * (axis.at[i] - along * place->n.at[i]);
  }
}

/* Computes the depth, its rate and the slip of a point at its place. theory (7.6), (7.7) */
static contact_state state_at(const mbs_system *system, const mbs_force *force, size_t k,
                              const mbs_contact_place *place) {
  const mbs_contact_points *self = force->structure;
  contact_state c = {
      .place = *place, .target = force->bodies[self->points[k].target], .round = force->bodies[self->points[k].round]};
  double v1[3], v2[3];
  c.depth = -c.place.room;
  velocity_at(system, c.target, c.place.p.at, v1);
  velocity_at(system, c.round, c.place.p.at, v2);
  for (int i = 0; i < 3; i++) c.slip[i] = v2[i] - v1[i];
  /* d' = -n.(v_2 - v_1), slip = v_2 - v_1 + d' n */
  c.rate = -mbs_dot(c.place.n.at, c.slip);
  for (int i = 0; i < 3; i++) c.slip[i] += c.rate * c.place.n.at[i];
  find_belt(system, force, k, &c.place, c.belt);
  for (int i = 0; i < 3; i++) c.slip[i] -= c.belt[i];
  return c;
}

static contact_state state_of(const mbs_system *system, const mbs_force *force, size_t k) {
  const mbs_contact_place place = place_of(system, force, k, 0);
  return state_at(system, force, k, &place);
}

static double approach_of(const contact_data *data, const contact_state *c) {
  return fmax(c->rate, data->least_approach);
}

/* Returns the largest creep of its points. */
static double creep(const mbs_system *system, const mbs_force *force, double *transition) {
  const contact_data *data = mbs_force_data(system, force);
  double largest = 0;
  for (size_t k = 0; k < force->points && data->rubs; k++) {
    const mbs_contact_place place = place_of(system, force, k, 0);
    if (!(place.room < 0)) continue;
    const contact_state c = state_at(system, force, k, &place);
    largest = fmax(largest, mbs_friction_creep(&data->friction, sqrt(mbs_dot(c.slip, c.slip)), transition));
  }
  return largest;
}

/* Indices of the outputs. */
enum { OUT_FORCE, OUT_FRICTION, OUT_PENETRATION, OUT_SLIP, OUT_STICKING, OUT_GAP, OUT_FX };

/* Prepares the outputs for the sums over the points. */
static void clear_outputs(mbs_system *system, const mbs_force *force) {
  double *out = system->outputs + force->first_output;
  for (int k = 0; k < force->outputs; k++) out[k] = 0;
  out[OUT_GAP] = INFINITY;
}

/* Adds a force on a body at the global point p, sign times f. */
static void push_at(mbs_system *system, int body, const double p[3], const double f[3], double sign) {
  static const double centre[3];
  mbs_rigid_motion motion;
  double arm[3], push[3], turn[3];
  system->model->kernels->motion(system, body, &motion);
  for (int k = 0; k < 3; k++) {
    arm[k] = p[k] - motion.r[k];
    push[k] = sign * f[k];
  }
  mbs_apply_force(system, body, centre, push);
  mbs_cross(arm, push, turn);
  mbs_twist(system, body, turn);
}

static void apply_point(mbs_system *system, const mbs_force *force, size_t k) {
  const contact_data *data = mbs_force_data(system, force);
  const mbs_contact_points *self = force->structure;
  const mbs_contact_place place = place_of(system, force, k, 0);
  const size_t mode0 = (size_t)force->mode0 + k * SWITCHES;
  double *out = system->outputs + force->first_output;
  bool touching = system->settled ? system->mode_held[mode0 + TOUCHING] != 0 : place.room < 0;
  out[OUT_PENETRATION] = fmax(out[OUT_PENETRATION], fmax(-place.room, 0));
  out[OUT_GAP] = fmin(out[OUT_GAP], place.room);
  if (!touching) return;
  const contact_state c = state_at(system, force, k, &place);
  double approach =
      system->settled ? system->memory[(size_t)force->memory0 + k * MEMORY + APPROACH] : mbs_unseen_approach;
  bool pressing = !system->settled || system->mode_held[mode0 + PRESSING] != 0;
  double N = pressing ? mbs_one_sided_force(&data->law, c.depth, c.rate, approach) : 0, F = 0, f[3],
         slip = sqrt(mbs_dot(c.slip, c.slip));
  if (!system->settled) N = fmax(N, 0);
  /* F = N mu(slip), f = N n - F slip / norm(slip) */
  if (data->rubs && slip > 0) F = N * mbs_friction_coefficient(&data->friction, slip);
  for (int i = 0; i < 3; i++) f[i] = N * c.place.n.at[i] - (slip > 0 ? F / slip * c.slip[i] : 0);
  out[OUT_FORCE] += N;
  out[OUT_FRICTION] += F;
  out[OUT_SLIP] = fmax(out[OUT_SLIP], slip);
  for (int i = 0; i < system->model->dim; i++) out[OUT_FX + i] += self->points[k].sign * f[i];
  push_at(system, c.round, c.place.p.at, f, 1);
  push_at(system, c.target, c.place.p.at, f, -1);
  mbs_one_sided_power(system, &data->law, c.depth, c.rate, N);
  /* P_diss = F slip; the belt works */
  system->power_dissipated += F * slip;
  if (F != 0) system->power_work -= F / slip * mbs_dot(c.slip, c.belt);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  if (force->touch0 >= 0) return; /* rigid: its touches act */
  clear_outputs(system, force);
  for (size_t k = 0; k < force->points; k++) apply_point(system, force, k);
}

/* ---- beginning and end --------------------------------------------------------------------------------------- */

/* Returns a number with the sign of the normal force of the law. */
static double pressure(const mbs_system *system, const mbs_force *force, size_t k, const contact_state *c) {
  const contact_data *data = mbs_force_data(system, force);
  return mbs_one_sided_pressure(&data->law, c->depth, c->rate,
                                system->memory[(size_t)force->memory0 + k * MEMORY + APPROACH]);
}

/* Sets the mode PRESSING for a contact that begins or exists; without contact it has no meaning. */
static void set_pressing(mbs_system *system, const mbs_force *force, size_t k, const contact_state *c) {
  system->mode_held[(size_t)force->mode0 + k * SWITCHES + PRESSING] = pressure(system, force, k, c) >= 0;
}

static const char *settle(mbs_system *system, const mbs_force *force, size_t k) {
  const contact_state c = state_of(system, force, k);
  const contact_data *data = mbs_force_data(system, force);
  system->memory[(size_t)force->memory0 + k * MEMORY + APPROACH] = mbs_unseen_approach;
  system->mode_held[(size_t)force->mode0 + k * SWITCHES + TOUCHING] = c.depth > 0;
  set_pressing(system, force, k, &c);
  if (!(c.depth > 0)) return NULL;
  return data->law.share > 0 ? "in contact at the start: no restitution until it ends" : "in contact at the start";
}

static void margins(const mbs_system *system, const mbs_force *force, size_t k, double *out) {
  const mbs_contact_place place = place_of(system, force, k, 0);
  const double *mode = system->mode_held + force->mode0 + k * SWITCHES;
  const double sign = mode[PRESSING] != 0 ? 1 : -1;
  out[TOUCHING] = mode[TOUCHING] != 0 ? -place.room : place.room;
  out[PRESSING] = 1;
  if (mode[TOUCHING] == 0) return;
  const contact_state c = state_at(system, force, k, &place);
  out[PRESSING] = sign * pressure(system, force, k, &c);
}

static const char *event(mbs_system *system, const mbs_force *force, size_t which) {
  const size_t k = which / SWITCHES;
  const contact_state c = state_of(system, force, k);
  double *mode = system->mode_held + force->mode0 + which;
  *mode = 1 - *mode;
  if (which % SWITCHES == PRESSING) return NULL; /* the force is continuous */
  if (*mode == 0) return "contact ends";
  system->memory[(size_t)force->memory0 + k * MEMORY + APPROACH] = approach_of(mbs_force_data(system, force), &c);
  set_pressing(system, force, k, &c);
  return "contact begins";
}

/* ---- rigid --------------------------------------------------------------------------------------------------- */

/* Returns the distance by which a corner is beside the face that it touches; negative: it is within. */
static double beside(const mbs_system *system, const mbs_touch *touch) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const contact_data *data = mbs_force_data(system, force);
  const mbs_contact_points *self = force->structure;
  const mbs_contact_point *point = &self->points[touch->number];
  return mbs_contact_beside(system, touch->joint.frames.body1, &data->shapes[point->target], touch->joint.frames.body2,
                            &data->shapes[point->round], point->number,
                            system->touches->at[touch - system->model->touches].face, point->sign > 0);
}

/* Returns the room of a touch: while it is open, also the distance by which its corner is beside the face. */
static double room_of(const mbs_system *system, const mbs_touch *touch, const mbs_contact_place *place) {
  if (system->touches->at[touch - system->model->touches].closed) return place->room;
  const double away = beside(system, touch);
  return away > 0 ? fmax(away, place->room) : place->room;
}

/* The normal row, then the directions across it. theory (7.23) */
static void row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const mbs_touch_state *state = &system->touches->at[touch - system->model->touches];
  const mbs_contact_place place = place_of(system, force, (size_t)touch->number, state->face);
  (void)side;
  if (number == 0) out->value = room_of(system, touch, &place);
  if (!out->D) return;
  const mbs_slip_direction slip = {
      .p = place.p,
      .u = number == 0 ? place.n : mbs_contact_across(system, touch->joint.frames.body1, &place, number - 1)};
  mbs_slip_row(system, &touch->joint, &slip, out);
  for (size_t k = 0; k < force->law_count && number > 0; k++) {
    const mbs_moving axis = belt_axis(system, force, (size_t)touch->number, k, &place);
    /* of s axis.u; its derivative is s' axis.u + s (axis.u)' */
    mbs_friction_subtract_belt(system, &force->laws[k], mbs_dot(axis.at, slip.u.at), out);
    out->bias -=
        mbs_law_value(system, &force->laws[k]) * (mbs_dot(axis.rate, slip.u.at) + mbs_dot(axis.at, slip.u.rate));
  }
}

static int face(const mbs_system *system, const mbs_touch *touch) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const contact_data *data = mbs_force_data(system, force);
  const mbs_contact_points *self = force->structure;
  const mbs_contact_point *point = &self->points[touch->number];
  return mbs_contact_side(system, touch->joint.frames.body1, &data->shapes[point->target], touch->joint.frames.body2,
                          &data->shapes[point->round], point->number);
}

static const mbs_dry_friction *friction(const mbs_system *system, const mbs_touch *touch) {
  return &((const contact_data *)mbs_force_data(system, mbs_touch_force(system, touch)))->dry;
}

static double restitution(const mbs_system *system, const mbs_touch *touch, double *least) {
  const contact_data *data = mbs_force_data(system, mbs_touch_force(system, touch));
  *least = data->least_approach;
  return data->restitution;
}

/* Returns true if the element has closed points and all of them stick. */
static bool all_stick(const mbs_system *system, const mbs_force *force) {
  bool any = false;
  for (size_t i = (size_t)force->touch0; i < system->model->touch_count; i++) {
    const mbs_touch_state *state = &system->touches->at[i];
    if (mbs_touch_force(system, &system->model->touches[i]) != force) break;
    if (system->model->touches[i].carrier || !state->closed) continue;
    if (state->friction != MBS_STICKS) return false;
    any = true;
  }
  return any;
}

/* Adds a point to the outputs; its friction has a sign in the plane. */
static void show(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const mbs_contact_points *self = force->structure;
  const double sign = self->points[touch->number].sign;
  double *out = system->outputs + force->first_output;
  if (touch->number == 0) {
    clear_outputs(system, force);
    out[OUT_STICKING] = all_stick(system, force);
  }
  const mbs_contact_place place = place_of(system, force, (size_t)touch->number, state->face);
  const double room = room_of(system, touch, &place);
  out[OUT_GAP] = fmin(out[OUT_GAP], room);
  out[OUT_PENETRATION] = fmax(out[OUT_PENETRATION], fmax(-room, 0));
  if (!state->closed) return;
  const double slip = mbs_slip_shown(state->slip, touch->tangents);
  double f[3];
  out[OUT_FORCE] += state->N;
  out[OUT_FRICTION] += mbs_slip_shown(state->T, touch->tangents);
  if (fabs(slip) > fabs(out[OUT_SLIP])) out[OUT_SLIP] = slip;
  for (int k = 0; k < 3; k++) f[k] = state->N * place.n.at[k];
  for (int c = 0; c < touch->tangents; c++) {
    const mbs_moving u = mbs_contact_across(system, touch->joint.frames.body1, &place, c);
    for (int k = 0; k < 3; k++) f[k] += state->T[c] * u.at[k];
  }
  for (int k = 0; k < system->model->dim; k++) out[OUT_FX + k] += sign * f[k];
}

static double reach(const mbs_system *system, const mbs_touch *first, size_t k) {
  const contact_data *data = mbs_force_data(system, mbs_touch_force(system, first));
  return mbs_contact_reach(&data->shapes[k]);
}

/* The bounds of a shape. */
typedef struct bounds {
  double low[3], high[3];
  int shape;
} bounds;
_Static_assert(sizeof(bounds) <= MBS_BOUNDS, "workspace of mbs_touches");

static int compare_lows(const void *a, const void *b) {
  const bounds *x = a, *y = b;
  return (x->low[0] > y->low[0]) - (x->low[0] < y->low[0]);
}

static int compare_ints(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Sort and sweep along x: the bounds of two shapes during the step must be nearer than `skin` along each axis. */
static size_t near(const mbs_system *system, const mbs_touch *first, double skin, int *out) {
  const mbs_force *force = mbs_touch_force(system, first);
  const contact_data *data = mbs_force_data(system, force);
  const mbs_contact_points *self = force->structure;
  bounds *all = system->touches->bounds;
  size_t count = 0;
  for (size_t k = 0; k < self->shape_count; k++) {
    all[k].shape = (int)k;
    mbs_contact_bounds(system, force->bodies[k], &data->shapes[k], all[k].low, all[k].high);
    const double *travel = system->touches->travel + 4 * force->bodies[k];
    for (int c = 0; c < 3; c++) {
      all[k].low[c] -= fmax(travel[c], 0) + travel[3];
      all[k].high[c] += fmax(-travel[c], 0) + travel[3];
    }
  }
  qsort(all, self->shape_count, sizeof *all, compare_lows);
  for (size_t i = 0; i < self->shape_count; i++)
    for (size_t k = i + 1; k < self->shape_count && all[k].low[0] <= all[i].high[0] + skin; k++) {
      bool apart = false;
      for (int c = 1; c < 3; c++)
        apart |= all[k].low[c] > all[i].high[c] + skin || all[i].low[c] > all[k].high[c] + skin;
      if (apart) continue;
      const int a = all[i].shape < all[k].shape ? all[i].shape : all[k].shape, b = all[i].shape + all[k].shape - a;
      const int *pair = self->pair0 + b * (b - 1) / 2 + a;
      const int from = (int)(first - system->model->touches), step = (int)self->touches;
      for (int at = pair[0] * step; at < pair[1] * step; at++) out[count++] = from + at;
    }
  qsort(out, count, sizeof *out, compare_ints);
  return count;
}

/* Returns true if the touch is one of a segment with two sides. */
static bool sided(const mbs_system *system, const mbs_touch *touch) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const contact_data *data = mbs_force_data(system, force);
  const mbs_contact_shape *target =
      &data->shapes[((const mbs_contact_points *)force->structure)->points[touch->number].target];
  return target->kind == MBS_CONTACT_POLYGON && target->count == 2;
}

static const mbs_touch_class rigid_contact = {.row = row,
                                              .near = near,
                                              .reach = reach,
                                              .sided = sided,
                                              .friction = friction,
                                              .restitution = restitution,
                                              .face = face,
                                              .beside = beside,
                                              .show = show,
                                              .begins = "contact begins",
                                              .ends = "contact ends",
                                              .impact = "impact"};

/* The relative angular velocity about an axis of the point, times the length r of the friction. So the friction is N
 * times 1, and its moment N r. */
static void turning_row(mbs_system *system, const mbs_touch *touch, bool spins, int number, mbs_custom_row *out) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const contact_data *data = mbs_force_data(system, force);
  const mbs_touch_state *carrier = &system->touches->at[touch->carrier - 1];
  const mbs_contact_place place = place_of(system, force, (size_t)touch->number, carrier->face);
  mbs_moving e = {.at = {0, 0, 1}};
  if (spins)
    e = place.n;
  else if (system->model->dim == 3)
    e = mbs_contact_across(system, touch->joint.frames.body1, &place, number);
  mbs_turn_row(system, &touch->joint, &e, data->turning[spins], out);
}

static void rolling_row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  (void)side;
  turning_row(system, touch, false, number, out);
}

static void spinning_row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  (void)side;
  turning_row(system, touch, true, number, out);
}

static const mbs_dry_friction *turning_law(const mbs_system *system, const mbs_touch *touch) {
  static const mbs_dry_friction law = {.mu_static = 1, .mu_dynamic = 1, .exponent = 1};
  (void)system, (void)touch;
  return &law;
}

static const mbs_touch_class turning_friction[TURNINGS] = {{.row = rolling_row, .friction = turning_law},
                                                           {.row = spinning_row, .friction = turning_law}};

static const char *note(const mbs_force *force) {
  const mbs_contact_points *self = force->structure;
  if (self && self->crossing) return "crossing edges of boxes are not watched, only corners and faces";
  return mbs_friction_note(friction_of(force->node));
}

const mbs_force_class mbs_force_contact = {
    .base = {.name = "contact",
             .doc = "Contact of a point, disc or ball with a line or plane, or of shapes of bodies.",
             .equation = "d, the depth; for a point d = R - n.(rP - rQ)\n"
                         "rigid:               0 <= gap, 0 <= N, gap N = 0; impacts vn+ = -e vn-\n"
                         "hertz:               N = K d^n\n"
                         "kelvin-voigt:        N = K d^n + c d'  (n is 1 unless given)\n"
                         "hunt-crossley:       N = K d^n (1 + 3(1 - e)/2 d'/d0'),  or  K d^n + c d^n d'\n"
                         "lankarani-nikravesh: N = K d^n (1 + 3(1 - e^2)/4 d'/d0')\n"
                         "flores:              N = K d^n (1 + 8(1 - e)/(5 e) d'/d0')\n"
                         "d0' is the approach speed when the contact began",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 8,
    .spatial_output_count = 9,
    .outputs = "force|friction|penetration|slip|sticking|gap|fx|fy",
    .spatial_outputs = "force|friction|penetration|slip|sticking|gap|fx|fy|fz",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(contact_data),
    .apply = apply,
    .creep = creep,
    .note = note,
    .own = {.switches = SWITCHES, .memory = MEMORY, .settle = settle, .margins = margins, .event = event},
};
