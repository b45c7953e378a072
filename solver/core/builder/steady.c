/* steady.c - the steady coordinates of a relative equilibrium. They keep the rate of their driver. A steady coordinate
 * without a driver gets one, of constant rate w from its initial value q0:
 *
 *   q = q0 + w (t - t_start).
 *
 * So it is a constraint in all equations, and its effort is what keeps the rate. */
#include "builder/builder.h"
#include "equations/system.h"
#include "kernels/kernels.h"

extern const mbs_driver_class mbs_driver_joint;

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  const double *data = system->constants->functions[function->number].data;
  out[0] = data[0] + data[1] * (t - system->model->t_start);
  out[1] = data[1];
  out[2] = 0;
}

static bool smooth(const mbs_system *system, const mbs_function *function, double low, double high) {
  (void)system, (void)function, (void)low, (void)high;
  return true;
}

static const mbs_function_class constant_rate = {
    .base = {.name = "constant rate",
             .doc = "A constant rate.",
             .equation = "C(t) = q0 + w (t - t_start)",
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .value = value,
    .smooth = smooth,
};

/* Returns true if a driver prescribes coordinate k of a joint, or the same kind of motion between the same bodies. */
static bool prescribes(const mbs_model *model, const mbs_driver *driver, int j, int k) {
  if (driver->block < 0) return false;
  const mbs_block *block = &model->coordinates[driver->block];
  const mbs_joint *joint = &model->joints[j];
  if (block->of_joint >= 0) return block->of_joint == j && block->number == k;
  const mbs_frames *one = &block->frames, *two = &joint->frames;
  const bool same =
      (one->body1 == two->body1 && one->body2 == two->body2) || (one->body1 == two->body2 && one->body2 == two->body1);
  return same && block->primitive != MBS_PRIMITIVE_DISTANCE &&
         mbs_is_turn(block->primitive) == mbs_is_turn(joint->shape->coordinates[k].primitive);
}

/* Returns the driver of the document that prescribes coordinate k of a joint, or -1. */
static int driver_of(const mbs_model *model, int j, int k) {
  for (size_t d = 0; d < model->driver_count - model->added_drivers; d++)
    if (prescribes(model, &model->drivers[d], j, k)) return (int)d;
  return -1;
}

/* Adds a driver that keeps the rate of coordinate k of a joint. */
static void add_driver(mbs_builder *builder, int j, int k) {
  mbs_model *model = builder->model;
  const mbs_joint *joint = &model->joints[j];
  const mbs_row *row = &joint->shape->coordinates[k];
  const char *name = joint->shape->coordinate_count == 1
                         ? joint->name
                         : mbs_arena_format(builder->arena, "%s.q%d", joint->name, k + 1);
  mbs_function *function = mbs_builder_grow(builder, (void **)&model->functions, &model->function_count,
                                            &builder->function_capacity, sizeof *function);
  const int block = function ? mbs_builder_add_primitive(builder, row, &joint->frames, j) : -1;
  if (block < 0 || !name) {
    builder->failed = builder->failed || !name || !function;
    return;
  }
  *function = (mbs_function){
      .element = name, .pointer = joint->pointer, .unit = mbs_is_turn(row->primitive) ? "rad" : "m", .data_count = 2};
  mbs_open_function(builder, &constant_rate, function);
  model->coordinates[block].function = (int)model->function_count - 1;
  model->drivers[model->driver_count++] = (mbs_driver){
      .cls = &mbs_driver_joint, .node = joint->node, .name = name, .pointer = joint->pointer, .block = block};
  model->added_drivers++;
}

/* Returns true if the document gives the initial rate of coordinate k of a joint that has several, and it is not 0. */
static bool moves_at_start(mbs_builder *builder, const mbs_joint *joint, size_t k) {
  if (k >= joint->initial_velocity_count) return false;
  const mbs_node *initial = &mbs_read_value(joint->node, "initial")->nodes[0];
  const mbs_primitive primitive = joint->shape->coordinates[k].primitive;
  return mbs_read_along(mbs_structure_of(builder), initial, "velocity", k, primitive, true) != 0;
}

/* Returns true if the document gives the rate of a joint without a driver. */
static bool has_rate(const mbs_model *model, const mbs_joint *joint) {
  if (joint->initial_velocity_count) return true;
  for (int side = 0; side < 2; side++) {
    const mbs_body *body = &model->bodies[side ? joint->frames.body2 : joint->frames.body1];
    if (body->given.velocity || body->given.angular_velocity) return true;
  }
  return false;
}

/* Reads a steady joint: which of its coordinates are steady. */
static void read_joint(mbs_builder *builder, int j, const char *pointer) {
  mbs_model *model = builder->model;
  const mbs_joint *joint = &model->joints[j];
  const size_t count = joint->shape->coordinate_count;
  bool any = false;
  if (joint->frames.body1 < 0 || joint->frames.body2 < 0) return; /* reported already */
  for (size_t k = 0; k < count; k++) {
    if (joint->shape->coordinates[k].primitive != MBS_PRIMITIVE_EULER) continue;
    mbs_diagnose(builder->list, MBS_INVALID, pointer,
                 "joint '%s' (%s) cannot be steady: its rotation has no coordinate with a rate; connect the body by a "
                 "revolute joint instead",
                 joint->name, joint->cls->base.name);
    return;
  }
  for (size_t k = 0; k < count && !builder->failed; k++) {
    const int driver = driver_of(model, j, (int)k);
    const bool driven = driver >= 0, moves = count > 1 ? moves_at_start(builder, joint, k) : has_rate(model, joint);
    if (!driven && !moves) continue;
    any = true;
    model->steady[model->steady_count++] = (mbs_steady_coordinate){.joint = j, .number = (int)k};
    if (!driven) add_driver(builder, j, (int)k);
    const int function =
        model->coordinates[model->drivers[driven ? driver : (int)model->driver_count - 1].block].function;
    if (function >= 0) model->functions[function].steady = true;
  }
  if (count == 0)
    mbs_diagnose(builder->list, MBS_INVALID, pointer, "joint '%s' (%s) has no coordinate that could move", joint->name,
                 joint->cls->base.name);
  else if (!any)
    mbs_diagnose(builder->list, MBS_MISSING, pointer,
                 "the steady joint '%s' has no rate: give it a driver or an initial velocity", joint->name);
}

/* Adds the coordinates of all joints of a model in body coordinates as primitives, so that constant ones can be
 * measured. */
static void measure_joints(mbs_builder *builder) {
  mbs_model *model = builder->model;
  model->measured = mbs_builder_alloc(builder, model->joint_count, sizeof *model->measured);
  for (size_t j = 0; j < model->joint_count && !builder->failed; j++) {
    const mbs_joint *joint = &model->joints[j];
    model->measured[j] = (int)model->coordinate_count;
    for (size_t k = 0; k < joint->shape->coordinate_count; k++)
      if (mbs_builder_add_primitive(builder, &joint->shape->coordinates[k], &joint->frames, (int)j) < 0) return;
  }
}

void mbs_read_steady(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_node *node = mbs_analysis_node(builder);
  if (!node) return;
  const mbs_value *names = mbs_read_value(node, "steady");
  if (!model->relative && names->given)
    mbs_diagnose(builder->list, MBS_INVALID, names->pointer,
                 "'steady' applies to a relative equilibrium only: an analysis of type relative-equilibrium, or one "
                 "about it; remove it");
  if (model->relative && !names->pointer)
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer,
                 "missing field 'steady' of a relative equilibrium: the joints that keep their rates");
  if (model->about_state && model->body_formulation) measure_joints(builder); /* the state may move */
  if (!model->relative || !names->given) return;
  size_t most = 0;
  for (size_t j = 0; j < model->joint_count; j++) most += model->joints[j].shape->coordinate_count;
  model->steady = mbs_builder_alloc(builder, most, sizeof *model->steady);
  model->steady_joint = mbs_builder_alloc(builder, model->joint_count, sizeof *model->steady_joint);
  mbs_driver *drivers = mbs_builder_alloc(builder, model->driver_count + most, sizeof *drivers);
  if (builder->failed) return;
  for (size_t d = 0; d < model->driver_count; d++) drivers[d] = model->drivers[d];
  model->drivers = drivers;
  for (size_t i = 0; i < names->count && !builder->failed; i++) {
    char pointer[MBS_POINTER_SIZE];
    if (mbs_scalar_is_wrong(&names->scalars[i])) continue;
    mbs_item_pointer(names, i, pointer);
    const int joint = mbs_read_joint(builder, names->scalars[i].text, pointer);
    if (joint < 0) continue;
    if (model->steady_joint[joint])
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "joint '%s' is listed twice", names->scalars[i].text);
    else
      read_joint(builder, joint, pointer);
    model->steady_joint[joint] = true;
  }
  if (model->body_formulation) measure_joints(builder);
}
