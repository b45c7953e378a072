/* Friction in a joint. The smooth laws act under a given normal load N along the coordinate q.
 *
 * r is 1 for a translation; for a rotation it is the radius at which the load acts. N is the absolute value of
 * `preload`: with the joint's own reaction the load would depend on the friction that it causes. The power lost in slip
 * is dissipated; the power of a moving belt is work. Dry friction is a touch (joint_friction). */
#include "elements/forces/joint_friction.h"
#include "equations/input.h"

#include <string.h>

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "joint", .kind = MBS_KIND_JOINT, .doc = "joint with friction"},
    {.name = "point",
     .kind = MBS_KIND_POINT,
     .spaces = MBS_PLANAR,
     .doc = "instead of a joint: a point that rubs on the plane of the drawing, seen from above; law coulomb only"},
    {.name = "coordinate",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .doc =
         "coordinate of the joint, counted from 1. Without it, dry friction of a spherical or planar joint, and of a "
         "cylindrical one with a radius, acts against the slip in all its directions"},
    MBS_FRICTION_FIELDS,
    {.name = "preload",
     .kind = MBS_KIND_LAW,
     .fallback = NAN,
     .unit = "N",
     .doc = "normal load N; its absolute value is used. Default, for coulomb only: the joint's own reaction"},
    {.name = "radius",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "m",
     .doc = "radius of the friction surface of a rotating joint"},
    {.name = "length",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "m",
     .doc = "length of a slide or bearing: two pads at P2, half of it to each side, carry the reaction and its moment"},
    {.name = "axial_radius",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .spaces = MBS_SPATIAL,
     .unit = "m",
     .doc = "radius at which the axial reaction of a revolute joint rubs; default: it does not"},
    {.name = "belt_speed",
     .kind = MBS_KIND_LAW,
     .fallback = 0,
     .doc = "rate of the coordinate without slip, e.g. of a belt or a driven ring; m/s, or rad/s for a rotation"},
    MBS_FORCE_END};

/* Returns the joint with friction, or NULL. */
static const mbs_joint *joint_of(mbs_builder *builder, const mbs_node *node) {
  const mbs_value *value = mbs_read_value(node, "joint");
  int j = value->given ? mbs_read_joint(builder, value->scalars[0].text, value->pointer) : -1;
  return j < 0 ? NULL : &builder->model->joints[j];
}

/* Returns the coordinate with friction; NULL after a report. */
static const mbs_row *row_of(mbs_builder *builder, const mbs_node *node, const mbs_joint *joint) {
  size_t stand_ins = builder->binder.stand_ins, count = joint->shape->coordinate_count;
  double coordinate = mbs_read_number(mbs_structure_of(builder), node, "coordinate");
  if (builder->binder.stand_ins != stand_ins) return NULL;
  bool there = coordinate >= 1 && coordinate <= (double)count && coordinate == floor(coordinate);
  if (there && joint->shape->coordinates[(size_t)coordinate - 1].primitive != MBS_PRIMITIVE_EULER)
    return &joint->shape->coordinates[(size_t)coordinate - 1];
  mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "joint")->pointer,
               "joint '%s' (%s) has no coordinate %g for friction", joint->name, joint->cls->base.name, coordinate);
  return NULL;
}

/* Returns true if the reaction of joints of this type can load their friction. */
static bool bears_load(const char *type) {
  static const char *const types[] = {"revolute", "translational", "prismatic", "cylindrical", "spherical", "planar"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(type, types[i]) == 0) return true;
  return false;
}

/* Reports `radius` if it is missing or has no use. */
static void check_radius(mbs_builder *builder, const mbs_node *node, bool needed) {
  const mbs_value *radius = mbs_read_value(node, "radius");
  if (mbs_read_refused(node, "radius")) return;
  if (needed != radius->given)
    mbs_diagnose(builder->list, needed ? MBS_MISSING : MBS_INVALID, needed ? node->pointer : radius->pointer,
                 needed ? "a rotation needs 'radius', the radius of the friction surface"
                        : "a sliding coordinate has no 'radius'; remove it");
}

/* Reports a field that has no use here. */
static void refuse(mbs_builder *builder, const mbs_node *node, const char *field, const char *why) {
  if (mbs_read_if_known(node, field)->given)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, field)->pointer, "'%s' has no use %s; remove it",
                 field, why);
}

/* Returns true if a mistake, which was reported, leaves open what loads the friction. */
static bool is_load_refused(const mbs_node *node) {
  return mbs_read_refused(node, "law") || mbs_read_refused(node, "preload");
}

/* Reports fields of a load by the reaction that the joint, or a given load, does not have. */
static void check_lengths(mbs_builder *builder, const mbs_node *node, const char *type, bool loaded) {
  if (is_load_refused(node)) return;
  const bool revolute = strcmp(type, "revolute") == 0, cylindrical = strcmp(type, "cylindrical") == 0;
  const bool slides = strcmp(type, "translational") == 0 || strcmp(type, "prismatic") == 0;
  const char *why = loaded ? "in a joint of this type" : "with a given load";
  if (!loaded || !(slides || cylindrical || (revolute && builder->model->dim == 3)))
    refuse(builder, node, "length", why);
  if (!loaded || !revolute) refuse(builder, node, "axial_radius", why);
}

/* Reads the coordinate with friction as a primitive; only a rotation has a radius. */
static void read_coordinate(mbs_builder *builder, const mbs_node *node, const mbs_joint *joint, mbs_force *force) {
  const mbs_row *row = row_of(builder, node, joint);
  if (!row) return;
  check_radius(builder, node, mbs_is_turn(row->primitive));
  if (force->frames.body1 >= 0 && force->frames.body2 >= 0)
    force->coordinate = mbs_builder_add_primitive(builder, row, &force->frames, (int)(joint - builder->model->joints));
}

/* Returns true if dry friction acts in all directions of a joint's slip, not along one coordinate. A given load rubs a
 * cylindrical joint in both if there is a radius. */
static bool slips_freely(const mbs_node *node, const mbs_joint *joint) {
  const char *type = joint->cls->base.name;
  const bool loaded = !mbs_read_given(node, "preload"), sleeve = strcmp(type, "cylindrical") == 0;
  if (!mbs_friction_is_dry(node) || (!loaded && mbs_read_given(node, "coordinate"))) return false;
  if (sleeve && !loaded) return mbs_read_given(node, "radius");
  return sleeve || strcmp(type, "spherical") == 0 || strcmp(type, "planar") == 0;
}

/* Checks the fields of friction in all directions of a joint's slip. Only the slide of a cylindrical joint has a
 * coordinate of its own, along which a belt may run. */
static void read_free_slip(mbs_builder *builder, const mbs_node *node, const mbs_joint *joint, mbs_force *force) {
  const char *type = joint->cls->base.name;
  const bool sleeve = strcmp(type, "cylindrical") == 0;
  refuse(builder, node, "coordinate", "where friction acts in all directions");
  if (!sleeve) refuse(builder, node, "belt_speed", "where friction acts in all directions");
  if (!sleeve || !mbs_read_given(node, "radius")) check_radius(builder, node, strcmp(type, "planar") != 0);
  if (sleeve)
    force->coordinate = mbs_builder_add_primitive(builder, &joint->shape->coordinates[0], &force->frames,
                                                  (int)(joint - builder->model->joints));
}

/* Dry friction under the joint's own reaction along the only coordinate of the joint. */
static void read_loaded(mbs_builder *builder, const mbs_node *node, const mbs_joint *joint, mbs_force *force) {
  const char *type = joint->cls->base.name;
  if (bears_load(type))
    read_coordinate(builder, node, joint, force);
  else
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer,
                 "a %s joint does not tell the normal load of its friction; give 'preload'", type);
}

/* Reads the point that rubs on the plane of the ground. */
static bool read_point(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_value *point = mbs_read_value(node, "point");
  if (is_load_refused(node)) return false;
  if (!mbs_friction_is_dry(node) || !mbs_read_given(node, "preload")) {
    mbs_diagnose(
        builder->list, MBS_INVALID, point->pointer,
        "friction of a point on the plane needs the law 'coulomb', without transition_velocity, and a 'preload'");
    return false;
  }
  static const char *const others[] = {"coordinate", "radius", "length", "belt_speed"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) refuse(builder, node, others[i], "at a point");
  force->frames.body1 = 0;
  if (!mbs_read_place(builder, point->scalars[0].text, false, point->pointer, &force->frames.body2,
                      &force->frames.point2))
    return false;
  if (force->frames.body2 > 0) return true;
  mbs_diagnose(builder->list, MBS_INVALID, point->pointer, "this point is on the ground; choose a point of a body");
  return false;
}

static void check_load(mbs_builder *builder, const mbs_node *node) {
  if (!mbs_read_given(node, "preload") && !mbs_friction_is_dry(node) && !is_load_refused(node))
    mbs_diagnose(
        builder->list, MBS_MISSING, node->pointer,
        "'preload' is missing: a smooth law needs a given normal load; the law 'coulomb' can take the joint's own "
        "reaction");
}

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const char *const names[] = {"preload", "belt_speed"};
  const bool dry = mbs_friction_is_dry(node), preloaded = mbs_read_given(node, "preload");
  const mbs_joint *joint = joint_of(builder, node);
  bool good = joint != NULL, free_slip = false;
  check_load(builder, node);
  if (mbs_read_refused(node, "joint") || mbs_read_refused(node, "point")) {
    good = false;
  } else if (mbs_read_value(node, "joint")->given == mbs_read_if_known(node, "point")->given) {
    const bool both = mbs_read_value(node, "joint")->given;
    mbs_diagnose(builder->list, both ? MBS_INVALID : MBS_MISSING, node->pointer,
                 both                       ? "give 'joint' or 'point', not both"
                 : builder->model->dim == 2 ? "missing field 'joint' of friction; or give a 'point'"
                                            : "missing field 'joint' of friction");
  } else if (joint) {
    force->frames = joint->frames;
    good = force->frames.body1 >= 0 && force->frames.body2 >= 0;
    check_lengths(builder, node, joint->cls->base.name, dry && !preloaded);
    free_slip = slips_freely(node, joint);
    if (good && free_slip)
      read_free_slip(builder, node, joint, force);
    else if (good && dry && !preloaded)
      read_loaded(builder, node, joint, force);
    else
      read_coordinate(builder, node, joint, force);
  } else if (mbs_read_if_known(node, "point")->given) {
    good = read_point(builder, node, force);
  }
  if (!good) force->frames = MBS_ON_GROUND;
  mbs_force_laws(builder, node, force, names, 2, NULL);
  if (dry) mbs_friction_check_belt(builder, force, MBS_FRICTION_BELT, "belt_speed");
  if (!good || !dry) return;
  mbs_add_joint_friction(builder, force, joint ? (int)(joint - builder->model->joints) : -1, preloaded, free_slip);
  force->coordinate = -1; /* the rows of its touch act, not the element */
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  mbs_joint_friction *data = numbers;
  const mbs_node *node = force->node;
  if (mbs_friction_is_dry(node))
    mbs_dry_friction_read(binder, node, &data->dry);
  else
    mbs_friction_read(binder, node, &data->law);
  data->radius = mbs_read_given(node, "radius") ? mbs_read_number(binder, node, "radius") : 1;
  data->length = mbs_read_given(node, "length") ? mbs_read_number(binder, node, "length") : 0;
  data->axial_radius =
      mbs_read_if_known(node, "axial_radius")->given ? mbs_read_number(binder, node, "axial_radius") : 0;
}

static double rate_of(const mbs_system *system, const mbs_force *force) {
  return mbs_input_value(
      system, &(mbs_input){.kind = MBS_INPUT_PRIMITIVE, .index = force->coordinate, .level = 1, .point = -1});
}

static double creep(const mbs_system *system, const mbs_force *force, double *transition) {
  const mbs_joint_friction *data = mbs_force_data(system, force);
  if (force->coordinate < 0) return 0;
  double slip = rate_of(system, force) - mbs_law_value(system, &force->laws[MBS_FRICTION_BELT]);
  return mbs_friction_creep(&data->law, data->radius * slip, transition);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const mbs_joint_friction *data = mbs_force_data(system, force);
  if (force->coordinate < 0) return; /* dry friction */
  double load = fabs(mbs_law_value(system, &force->laws[MBS_FRICTION_PRELOAD])),
         belt = mbs_law_value(system, &force->laws[MBS_FRICTION_BELT]);
  double slip = rate_of(system, force) - belt;
  /* Q = -N mu(r s) r */
  double Q = -load * mbs_friction_coefficient(&data->law, data->radius * slip) * data->radius;
  (void)index;
  double *out = system->outputs + force->first_output;
  out[0] = out[1] = Q;
  out[2] = data->radius * slip;
  out[3] = 0;
  mbs_apply_generalized_force(system, force->coordinate, Q);
  /* -Q s is dissipated, Q times the belt speed is work */
  system->power_dissipated -= Q * slip;
  system->power_work += Q * belt;
}

static const char *note(const mbs_force *force) { return mbs_friction_note(force->node); }

const mbs_force_class mbs_force_friction = {
    .base = {.name = "friction",
             .doc = "Friction in a joint, under its own reaction or a given normal load.",
             .equation = "s = r (q' - belt)\n"
                         "coulomb: sticks while |T| <= mu_static N, else T = -mu(|s|) N s/|s|, Q = r T\n"
                         "smooth laws: Q = -N mu(s) r",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 4,
    .outputs = "force|friction|slip|sticking",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(mbs_joint_friction),
    .apply = apply,
    .creep = creep,
    .note = note,
    .warn = mbs_warn_friction_at_rest,
};
