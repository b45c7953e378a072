/* Friction in a joint under a given normal load N, along the coordinate q.
 *
 * r is 1 for a translation; for a rotation it is the radius at which the load acts. N is the absolute value of
 * `preload`: with the joint's own reaction the load would depend on the friction that it causes. The power lost in slip
 * is dissipated; the power of a moving belt is work. */
#include "elements/forces/friction_law.h"
#include "equations/input.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "joint", .kind = MBS_KIND_JOINT, .required = true, .doc = "joint with friction"},
    {.name = "coordinate", .kind = MBS_KIND_NUMBER, .fallback = 1, .doc = "coordinate of the joint, counted from 1"},
    MBS_FRICTION_FIELDS,
    {.name = "preload",
     .kind = MBS_KIND_LAW,
     .required = true,
     .fallback = NAN,
     .unit = "N",
     .doc = "normal load N; its absolute value is used"},
    {.name = "radius",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "m",
     .doc = "radius of the friction surface of a rotating joint"},
    {.name = "belt_speed",
     .kind = MBS_KIND_LAW,
     .fallback = 0,
     .doc = "rate of the coordinate without slip, e.g. of a belt or a driven ring; m/s, or rad/s for a rotation"},
    MBS_FORCE_END};

enum { PRELOAD, BELT };

typedef struct joint_friction {
  mbs_friction_law law;
  double radius;
} joint_friction;

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

/* Reads the coordinate with friction as a primitive; only a rotation has a radius. */
static void read_joint(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_value *radius = mbs_read_value(node, "radius");
  const mbs_joint *joint = joint_of(builder, node);
  const mbs_row *row = joint ? row_of(builder, node, joint) : NULL;
  if (!row) return;
  bool turns = mbs_is_turn(row->primitive);
  if (turns != radius->given)
    mbs_diagnose(builder->list, turns ? MBS_MISSING : MBS_INVALID, turns ? node->pointer : radius->pointer,
                 turns ? "a rotation needs 'radius', the radius of the friction surface"
                       : "a sliding coordinate has no 'radius'; remove it");
  force->frames = joint->frames;
  if (force->frames.body1 >= 0 && force->frames.body2 >= 0)
    force->coordinate = mbs_builder_add_primitive(builder, row, &force->frames, (int)(joint - builder->model->joints));
}

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const char *const names[] = {"preload", "belt_speed"};
  read_joint(builder, node, force);
  if (force->coordinate < 0) force->frames = MBS_ON_GROUND;
  mbs_force_laws(builder, node, force, names, 2, NULL);
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  joint_friction *data = numbers;
  mbs_friction_read(binder, force->node, &data->law);
  data->radius = mbs_read_given(force->node, "radius") ? mbs_read_number(binder, force->node, "radius") : 1;
}

static double rate_of(const mbs_system *system, const mbs_force *force) {
  return mbs_input_value(
      system, &(mbs_input){.kind = MBS_INPUT_PRIMITIVE, .index = force->coordinate, .level = 1, .point = -1});
}

static double creep(const mbs_system *system, const mbs_force *force, double *transition) {
  const joint_friction *data = mbs_force_data(system, force);
  double slip = rate_of(system, force) - mbs_law_value(system, &force->laws[BELT]);
  return mbs_friction_creep(&data->law, data->radius * slip, transition);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const joint_friction *data = mbs_force_data(system, force);
  double load = fabs(mbs_law_value(system, &force->laws[PRELOAD])), belt = mbs_law_value(system, &force->laws[BELT]);
  double slip = rate_of(system, force) - belt;
  /* Q = -N mu(r s) r */
  double Q = -load * mbs_friction_coefficient(&data->law, data->radius * slip) * data->radius;
  (void)index;
  system->outputs[force->first_output] = Q;
  mbs_apply_generalized_force(system, force->coordinate, Q);
  /* -Q s is dissipated, Q times the belt speed is work */
  system->power_dissipated -= Q * slip;
  system->power_work += Q * belt;
}

const mbs_force_class mbs_force_friction = {
    .base = {.name = "friction",
             .doc = "Friction in a joint under a given normal load.",
             .equation = "Q = -N mu(r s) r, s = q' - belt",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 1,
    .outputs = "force",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(joint_friction),
    .apply = apply,
    .creep = creep,
};
