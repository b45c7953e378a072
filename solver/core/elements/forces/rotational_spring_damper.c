/* Rotational spring-damper-actuator in a joint or between two bodies. */
#include "elements/forces/force.h"
#include "equations/input.h"

/* Between bodies in space without an axis (rotation_vector_spring.c); the class of all others. */
extern const mbs_force_class mbs_force_rotation_vector_spring, MBS_OVER(mbs_force_rotational_spring_damper);

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "joint",
     .kind = MBS_KIND_JOINT,
     .doc = "joint in whose rotation the torque acts; alternatively give bodies"},
    {.name = "bodies",
     .kind = MBS_KIND_BODY,
     .min_count = 2,
     .max_count = 2,
     .doc = "first and second body; alternatively give joint"},
    {.name = "vectors",
     .kind = MBS_KIND_VECTOR,
     .min_count = 2,
     .max_count = 2,
     .spaces = MBS_SPATIAL,
     .doc = "the axis on the first and on the second of the bodies; q is the rotation about it, full turns included. "
            "Default: there is no axis, and q is the rotation vector from the start"},
    {.name = "stiffness",
     .kind = MBS_KIND_LAW,
     .fallback = 0,
     .unit = "N m/rad",
     .doc = "stiffness k; may use q and qd. If k or the free angle depends on time or state, the spring has no "
            "potential and its energy counts as work"},
    {.name = "free_angle", .kind = MBS_KIND_LAW, .fallback = 0, .unit = "rad", .doc = "q0"},
    {.name = "damping", .kind = MBS_KIND_LAW, .fallback = 0, .unit = "N m s/rad", .doc = "c"},
    {.name = "actuator", .kind = MBS_KIND_LAW, .fallback = 0, .unit = "N m", .doc = "a"},
    MBS_FORCE_END};

/* Returns the first rotation of a joint. */
static const mbs_row *read_joint(mbs_builder *builder, const mbs_node *node, mbs_force *force, int *of_joint) {
  const mbs_value *value = mbs_read_value(node, "joint");
  int j = mbs_read_joint(builder, value->scalars[0].text, value->pointer);
  if (j < 0) return NULL;
  const mbs_joint *joint = &builder->model->joints[j];
  for (size_t k = 0; k < joint->shape->coordinate_count; k++)
    if (mbs_is_turn(joint->shape->coordinates[k].primitive) &&
        joint->shape->coordinates[k].primitive != MBS_PRIMITIVE_EULER) {
      force->frames = joint->frames;
      *of_joint = j;
      return force->frames.body1 >= 0 && force->frames.body2 >= 0 ? &joint->shape->coordinates[k] : NULL;
    }
  mbs_diagnose(builder->list, MBS_INVALID, value->pointer, "joint '%s' (%s) has no rotation", joint->name,
               joint->cls->base.name);
  return NULL;
}

static bool read_bodies(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const bool good = mbs_force_bodies(builder, node, force);
  return good && mbs_read_frames(builder, node, &force->frames); /* vectors of the element are on these bodies */
}

/* Returns the rotation between two bodies: in space about their axes. */
static int turn_of_bodies(mbs_builder *builder, const mbs_node *node, const mbs_force *force) {
  static const mbs_row angle = {.primitive = MBS_PRIMITIVE_ANGLE, .scale = 1, .weight1 = -1, .weight2 = 1};
  static const mbs_row turn = {.primitive = MBS_PRIMITIVE_TURN, .scale = 1};
  const bool spatial = builder->model->dim == 3;
  const int coordinate = mbs_builder_add_primitive(builder, spatial ? &turn : &angle, &force->frames, -1);
  if (spatial && coordinate >= 0) builder->model->coordinates[coordinate].axis = node;
  return coordinate;
}

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const char *const names[] = {"stiffness", "free_angle", "damping", "actuator"};
  bool joint = mbs_read_given(node, "joint"), bodies = mbs_read_given(node, "bodies");
  int of_joint = -1;
  const mbs_row *row = joint && !bodies ? read_joint(builder, node, force, &of_joint) : NULL;
  if (joint == bodies)
    mbs_diagnose(builder->list, joint ? MBS_INVALID : MBS_MISSING, node->pointer, "give either 'joint' or 'bodies'");
  else if (joint && mbs_read_given(node, "vectors"))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "vectors")->pointer,
                 "'vectors' belong to 'bodies'; a joint has its own axis");
  if (row)
    force->coordinate = mbs_builder_add_primitive(builder, row, &force->frames, of_joint);
  else if (bodies && !joint && read_bodies(builder, node, force))
    force->coordinate = turn_of_bodies(builder, node, force);
  if (force->coordinate < 0) force->frames = MBS_ON_GROUND;
  mbs_input_kind kind = force->coordinate >= 0 ? MBS_INPUT_PRIMITIVE : MBS_INPUT_TIME;
  mbs_local_name locals[3] = {
      {.name = "q", .input = {.kind = kind, .index = force->coordinate, .point = -1}},
      {.name = "qd", .input = {.kind = kind, .index = force->coordinate, .level = 1, .point = -1}}};
  mbs_force_laws(builder, node, force, names, 4, locals);
  force->conservative = mbs_elastic_conservative(force);
}

/* Returns the class for the rotation vector if the element is between bodies in space without an axis. */
static const mbs_force_class *variant(const mbs_node *node, int dim) {
  const bool vector =
      dim == 3 && mbs_read_given(node, "bodies") && !mbs_read_given(node, "joint") && !mbs_read_given(node, "vectors");
  return vector ? &mbs_force_rotation_vector_spring : &MBS_OVER(mbs_force_rotational_spring_damper);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  const mbs_input angle = {.kind = MBS_INPUT_PRIMITIVE, .index = force->coordinate};
  const mbs_input rate = {.kind = MBS_INPUT_PRIMITIVE, .index = force->coordinate, .level = 1};
  mbs_real n = mbs_elastic_law(system, force, mbs_input_value(system, &angle), mbs_input_value(system, &rate));
  system->outputs[force->first_output] = n;
  mbs_apply_generalized_force(system, force->coordinate, -n);
}

const mbs_force_class MBS_OVER(mbs_force_rotational_spring_damper) = {
    .base = {.name = "rotational-spring-damper",
             .doc = "A torsion spring, damper and actuator. Between bodies in space without an axis it has no "
                    "free_angle and no actuator, and its outputs are tx, ty, tz on the second body and the rotation "
                    "vector rx, ry, rz in the axes of the first.",
             .equation = "n = k (q - q0) + c q' + a, as -n on the second body and +n on the first\n"
                         "bodies in space without an axis: n = k r + c w, r the rotation vector of the second body "
                         "from its start, w = omega2 - omega1",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 1,
    .outputs = "torque",
    .variant = variant,
    .build = build_force,
    .apply = apply,
};
