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
#include "elements/forces/contact.h"
#include "elements/forces/contact_rims.h"

#include <math.h>
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
         "arc; in space sphere, capsule, cylinder, box, half-space"},
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
     .doc = "a moment against relative rolling, up to this length times N; it holds at rest, as dry friction does"},
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
     .doc = "friction of the surfaces; default: none. With the contact law rigid it needs the law coulomb"},
    MBS_FORCE_END};

const char *const mbs_turning_fields[MBS_TURNINGS] = {"rolling_friction", "spinning_friction"};

typedef enum contact_kind { RIGID, HERTZ, KELVIN_VOIGT, HUNT_CROSSLEY, LANKARANI_NIKRAVESH, FLORES, LAWS } contact_kind;

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
static void read_damping(mbs_binder *binder, const mbs_node *node, contact_kind kind, mbs_contact_data *data) {
  const mbs_value *restitution = mbs_read_value(node, "restitution"), *damping = mbs_read_value(node, "damping");
  const char *law = mbs_read_text(node, "law");
  const char *chosen = mbs_read_given(node, "law") ? "" : ", which applies if no 'law' is given,";
  double e = mbs_read_number(binder, node, "restitution"), c = mbs_read_number(binder, node, "damping");
  if (mbs_read_refused(node, "law") || mbs_read_refused(node, "restitution") || mbs_read_refused(node, "damping"))
    return;
  bool by_restitution = kind >= HUNT_CROSSLEY || kind == RIGID,
       by_damping = kind == KELVIN_VOIGT || kind == HUNT_CROSSLEY;
  if (restitution->given && !by_restitution)
    mbs_diagnose(binder->list, MBS_INVALID, restitution->pointer, "the law '%s'%s has no restitution; remove it", law,
                 chosen);
  else if (damping->given && !by_damping)
    mbs_diagnose(binder->list, MBS_INVALID, damping->pointer, "the law '%s'%s has no damping; remove it", law, chosen);
  else if (restitution->given && damping->given)
    mbs_diagnose(binder->list, MBS_INVALID, damping->pointer, "give restitution or damping, not both");
  if (by_restitution && kind != RIGID && !restitution->given && !(by_damping && damping->given))
    mbs_diagnose(binder->list, MBS_MISSING, node->pointer, "the law '%s'%s needs a 'restitution'%s", law, chosen,
                 by_damping ? " or a 'damping'" : "");
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

const mbs_node *mbs_contact_friction_of(const mbs_node *node) {
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

/* Reports what does not go with the law. */
static void check_law(mbs_builder *builder, const mbs_node *node) {
  if (mbs_read_refused(node, "law")) return;
  const bool rigid = read_kind(node) == RIGID;
  const mbs_node *friction = mbs_contact_friction_of(node);
  static const char *const soft[] = {"stiffness", "exponent"};
  if (!rigid && !mbs_read_given(node, "stiffness") && !mbs_read_refused(node, "stiffness"))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field 'stiffness' of contact");
  for (size_t i = 0; i < 2 && rigid; i++)
    if (mbs_read_given(node, soft[i]))
      mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, soft[i])->pointer,
                   "the law 'rigid' has no %s; remove it", soft[i]);
  if (friction && rigid && mbs_friction_note(friction))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(friction, "transition_velocity")->pointer,
                 "transition_velocity makes the friction smooth, but that of a rigid contact is dry; remove it");
  else if (friction && rigid && !mbs_friction_is_dry(friction) && !mbs_read_refused(friction, "law"))
    mbs_diagnose(builder->list, MBS_INVALID, friction->pointer,
                 "the friction of a rigid contact is dry; give it the law 'coulomb'");
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
  force->contacts = self->count;
  force->data_extra = self->shape_count * sizeof(mbs_contact_shape);
  if (read_kind(node) == RIGID) {
    mbs_contact_add_touches(builder, node, force, self);
  } else {
    mbs_contact_add_dry_friction(builder, node, force, self);
    force->points = self->count;
  }
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  const mbs_node *node = force->node, *friction = mbs_contact_friction_of(node);
  const mbs_contact_points *self = force->structure;
  mbs_contact_data *data = numbers;
  contact_kind kind = read_kind(node);
  const double radius = mbs_read_number(binder, node, "radius");
  *data = (mbs_contact_data){.rubs = friction && !mbs_friction_is_dry(friction)};
  data->law.stiffness = kind == RIGID ? 0 : mbs_read_number(binder, node, "stiffness");
  data->law.exponent =
      kind == KELVIN_VOIGT && !mbs_read_given(node, "exponent") ? 1 : mbs_read_number(binder, node, "exponent");
  data->least_approach = mbs_read_number(binder, node, "least_approach");
  data->restitution = mbs_read_given(node, "restitution") ? mbs_read_number(binder, node, "restitution") : 0;
  for (int k = 0; k < MBS_TURNINGS; k++)
    if (mbs_read_if_known(node, mbs_turning_fields[k])->given)
      data->turning[k] = mbs_read_number(binder, node, mbs_turning_fields[k]);
  if (friction && (kind == RIGID || mbs_friction_is_dry(friction)))
    mbs_dry_friction_read(binder, friction, &data->dry);
  else if (friction)
    mbs_friction_read(binder, friction, &data->friction);
  read_damping(binder, node, kind, data);
  for (size_t i = 0; self && i < self->shape_count; i++)
    mbs_contact_shape_numbers(binder, &self->shapes[i], radius, &data->shapes[i]);
}

/* ---- functions of rigid and compliant contacts --------------------------------------------------------------- */

mbs_contact_place mbs_contact_place_of(const mbs_system *system, const mbs_force *force, size_t k, int side) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_points *self = force->structure;
  const mbs_contact_point *point = &self->points[k];
  return mbs_contact_at(system, force->bodies[point->target], &data->shapes[point->target], force->bodies[point->round],
                        &data->shapes[point->round], point->number, side);
}

double mbs_contact_beside_of(const mbs_system *system, const mbs_force *force, size_t k, int side, bool closed) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_point *point = &((const mbs_contact_points *)force->structure)->points[k];
  return mbs_contact_beside(system, force->bodies[point->target], &data->shapes[point->target],
                            force->bodies[point->round], &data->shapes[point->round], point->number, side, closed,
                            point->sign > 0);
}

bool mbs_contact_sided_of(const mbs_system *system, const mbs_force *force, size_t k) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_point *point = &((const mbs_contact_points *)force->structure)->points[k];
  return mbs_contact_is_sided(&data->shapes[point->target], &data->shapes[point->round], point->number);
}

bool mbs_contact_round_of(const mbs_system *system, const mbs_force *force, size_t k, int side) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_point *point = &((const mbs_contact_points *)force->structure)->points[k];
  return mbs_contact_is_round(system, force->bodies[point->target], &data->shapes[point->target],
                              force->bodies[point->round], &data->shapes[point->round], point->number, side);
}

int mbs_contact_side_of(const mbs_system *system, const mbs_force *force, size_t k, mbs_contact_held *held) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_points *self = force->structure;
  const mbs_contact_point *point = &self->points[k];
  const mbs_contact_pair pair = {system, &data->shapes[point->target], &data->shapes[point->round],
                                 force->bodies[point->target], force->bodies[point->round]};
  int taken[MBS_CONTACT_EDGES_MOST], count = 0, rank = 0;
  if (mbs_contact_is_rim(pair.target->kind, pair.round->kind, point->number))
    return mbs_contact_rim_choose(&pair, point->number, held(system, force, k),
                                  held(system, force, point->number % 2 ? k - 1 : k + 1));
  if (!mbs_contact_point_is_edge(self, point))
    return mbs_contact_side(system, pair.body, pair.target, pair.round_body, pair.round, point->number);
  const size_t first = k - (size_t)(point->number - MBS_CONTACT_EDGES);
  for (size_t i = first; i < self->count && i < first + MBS_CONTACT_EDGES_MOST; i++) {
    if (self->points[i].target != point->target || self->points[i].round != point->round ||
        !mbs_contact_point_is_edge(self, &self->points[i]))
      break;
    const int edges = held(system, force, i);
    if (edges > 0) taken[count++] = edges;
    if (edges == 0 && i < k) rank++;
  }
  return mbs_contact_edges_choose(&pair, rank, taken, count);
}

mbs_moving mbs_contact_belt_axis(const mbs_system *system, const mbs_force *force, size_t point, size_t k,
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

void mbs_contact_clear_outputs(mbs_system *system, const mbs_force *force) {
  double *out = system->outputs + force->first_output;
  for (int k = 0; k < force->outputs; k++) out[k] = 0;
  out[MBS_CONTACT_GAP] = INFINITY;
}

static const char *note(const mbs_force *force) { return mbs_friction_note(mbs_contact_friction_of(force->node)); }

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
    .data_size = sizeof(mbs_contact_data),
    .apply = mbs_contact_apply,
    .creep = mbs_contact_creep,
    .note = note,
    .warn = mbs_contact_warn,
    .own = {.switches = MBS_CONTACT_SWITCHES,
            .memory = MBS_CONTACT_MEMORY,
            .settle = mbs_contact_settle,
            .margins = mbs_contact_margins,
            .event = mbs_contact_event},
    .surfaces = {.near = mbs_contact_near,
                 .reach = mbs_contact_body_reach,
                 .accepted = mbs_contact_accepted,
                 .measure = mbs_contact_measure,
                 .far_outputs = 1u << MBS_CONTACT_GAP | 1u << MBS_CONTACT_PENETRATION},
};
