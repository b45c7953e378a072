/* Friction in a joint under a given normal load N:   Q = -N mu(r s) r,   s = q' - belt, along the coordinate q.
 *
 * r is 1 for a slide; for a turn the radius at which the load acts. N is the absolute value of `preload`: the joint's
 * own reaction would make the load depend on the friction that it causes. What the slip takes is dissipated, what a
 * moving belt brings is work. */
#include "elements/forces/friction_law.h"
#include "equations/forces.h"
#include "equations/input.h"
#include "equations/law.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "joint", .kind = MBS_KIND_JOINT, .required = true, .doc = "the joint that rubs"},
    {.name = "coordinate",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .doc = "which coordinate of the joint, counted from 1"},
    MBS_FRICTION_FIELDS,
    {.name = "preload",
     .kind = MBS_KIND_LAW,
     .required = true,
     .fallback = NAN,
     .unit = "N",
     .doc = "N, the normal load; its absolute value counts"},
    {.name = "radius",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "m",
     .doc = "of the surface that rubs in a turning joint"},
    {.name = "belt_speed",
     .kind = MBS_KIND_LAW,
     .fallback = 0,
     .doc = "rate of the coordinate at which nothing slips: a belt or a driven ring; m/s, or rad/s in a turn"},
    MBS_FORCE_END};

enum { PRELOAD, BELT };

typedef struct joint_friction {
  mbs_friction_law law;
  double radius;
} joint_friction;

/* The coordinate that rubs as a primitive; its radius is 1 where it is a slide. */
static void read_joint(mbs_builder *builder, const mbs_node *node, mbs_force *force, joint_friction *data) {
  const mbs_value *value = mbs_read_value(node, "joint"), *radius = mbs_read_value(node, "radius");
  int j = value->given ? mbs_read_joint(builder, value->scalars[0].text, value->pointer) : -1;
  if (j < 0) return;
  const mbs_joint *joint = &builder->model->joints[j];
  size_t stand_ins = builder->stand_ins;
  double coordinate = mbs_read_number(builder, node, "coordinate");
  if (builder->stand_ins != stand_ins) return;
  size_t count = joint->shape->coordinate_count;
  bool there = coordinate >= 1 && coordinate <= (double)count && coordinate == floor(coordinate);
  if (!there || joint->shape->coordinates[(size_t)coordinate - 1].primitive == MBS_PRIMITIVE_EULER) {
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, value->pointer, "joint '%s' (%s) has no coordinate %g to rub",
                 joint->name, joint->cls->base.name, coordinate);
    return;
  }
  const mbs_row *row = &joint->shape->coordinates[(size_t)coordinate - 1];
  bool turns = mbs_is_turn(row->primitive);
  if (turns != radius->given)
    mbs_diagnose(builder->list, turns ? MBS_MISSING : MBS_INVALID, turns ? node->pointer : radius->pointer,
                 turns ? "a turn needs the 'radius' of the surface that rubs" : "a slide has no 'radius'");
  data->radius = turns ? mbs_read_number(builder, node, "radius") : 1;
  force->frames = joint->frames;
  if (force->frames.body1 >= 0 && force->frames.body2 >= 0)
    force->coordinate = mbs_builder_add_primitive(builder, row, &force->frames, j);
}

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const char *const names[] = {"preload", "belt_speed"};
  joint_friction *data = mbs_builder_alloc(builder, 1, sizeof *data);
  if (!data) return;
  force->data = data;
  mbs_friction_read(builder, node, &data->law);
  read_joint(builder, node, force, data);
  if (force->coordinate < 0) force->frames = (mbs_frames){0};
  mbs_force_laws(builder, node, force, names, 2, NULL);
}

static double rate_of(const mbs_system *system, const mbs_force *force) {
  return mbs_input_value(system, &(mbs_input){.kind = MBS_INPUT_PRIMITIVE, .index = force->coordinate, .level = 1});
}

static double creep(const mbs_system *system, const mbs_force *force, double *transition) {
  const joint_friction *data = force->data;
  double slip = rate_of(system, force) - mbs_law_value(system, &force->laws[BELT]);
  return mbs_friction_creep(&data->law, data->radius * slip, transition);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const joint_friction *data = force->data;
  double load = fabs(mbs_law_value(system, &force->laws[PRELOAD])), belt = mbs_law_value(system, &force->laws[BELT]);
  double slip = rate_of(system, force) - belt;
  double Q = -load * mbs_friction_coefficient(&data->law, data->radius * slip) * data->radius;
  (void)index;
  system->outputs[force->first_output] = Q;
  mbs_push_along(system, force->coordinate, Q);
  system->power_dissipated -= Q * slip;
  system->power_work += Q * belt;
}

const mbs_force_class mbs_force_friction = {
    .base = {.name = "friction",
             .doc = "Friction in a joint under a given normal load.",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 1,
    .outputs = "force",
    .build = build_force,
    .apply = apply,
    .creep = creep,
};
