/* Inertias along coordinates of joints: `armature` of joints, and rotors of motors. */
#include "builder/builder.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <string.h>

int mbs_add_rotor(mbs_builder *builder, const mbs_node *node, const char *field, size_t item, const char *ratio,
                  int coordinate) {
  mbs_model *model = builder->model;
  if (coordinate < 0) return -1; /* reported when the joint was read */
  mbs_rotor *rotor =
      mbs_builder_grow(builder, (void **)&model->rotors, &model->rotor_count, &builder->rotor_capacity, sizeof *rotor);
  if (!rotor) return -1;
  const bool euler = model->coordinates[coordinate].primitive == MBS_PRIMITIVE_EULER;
  /* omega^2 = 4 times the sum of e'^2 */
  *rotor = (mbs_rotor){.node = node,
                       .field = field,
                       .item = item,
                       .ratio = ratio,
                       .scale = euler ? 4 : 1,
                       .coordinate = coordinate,
                       .velocity = -1};
  return (int)model->rotor_count - 1;
}

/* Returns the number of the inertia that belongs to coordinate k: the four Euler parameters share one. */
static size_t item_of(const mbs_joint_shape *shape, size_t k) {
  const mbs_row *row = &shape->coordinates[k];
  return row->primitive == MBS_PRIMITIVE_EULER ? k - (size_t)row->component : k;
}

/* Returns an inertia of the document. */
static double read_inertia(mbs_binder *binder, const mbs_rotor *rotor) {
  const mbs_primitive primitive = binder->model->coordinates[rotor->coordinate].primitive;
  mbs_field field = *mbs_field_of(rotor->node, rotor->field);
  field.unit = mbs_is_turn(primitive) ? "kg m^2" : "kg";
  binder->masses = true;
  const double inertia = mbs_read_item(binder, &field, mbs_read_value(rotor->node, rotor->field), rotor->item);
  const double ratio = rotor->ratio ? mbs_read_number(binder, rotor->node, rotor->ratio) : 1;
  binder->masses = false;
  return inertia * ratio * ratio;
}

static void read_armature(mbs_builder *builder, int index) {
  const mbs_joint *joint = &builder->model->joints[index];
  const mbs_joint_shape *shape = joint->shape;
  const mbs_value *value = mbs_read_if_known(joint->node, "armature");
  if (!value->given || joint->frames.body1 < 0 || joint->frames.body2 < 0) return;
  const size_t expected = shape->coordinate_count ? item_of(shape, shape->coordinate_count - 1) + 1 : 0;
  if (expected == 0)
    mbs_diagnose(builder->list, MBS_INVALID, value->pointer, "a %s joint has no coordinate; remove 'armature'",
                 joint->cls->base.name);
  else if (value->count > 1 && value->count != expected)
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, value->pointer,
                 "a %s joint has one inertia for all coordinates, or %zu, not %zu", joint->cls->base.name, expected,
                 value->count);
  else
    for (size_t k = 0; k < shape->coordinate_count && !builder->failed; k++) {
      const size_t item = value->count > 1 ? item_of(shape, k) : 0;
      const bool known = k > 0 && (value->count == 1 || item == item_of(shape, k - 1));
      const int added =
          mbs_add_rotor(builder, joint->node, "armature", item, NULL,
                        mbs_builder_add_primitive(builder, &shape->coordinates[k], &joint->frames, index));
      if (added >= 0 && !known) read_inertia(mbs_numbers_of(builder), &builder->model->rotors[added]); /* its errors */
    }
}

void mbs_read_armatures(mbs_builder *builder) {
  builder->binder.loads = true; /* no position depends on an inertia */
  for (size_t j = 0; j < builder->model->joint_count && !builder->failed; j++) read_armature(builder, (int)j);
  builder->binder.loads = false;
}

/* Sets the velocity along which a rotor turns, for a joint that carries body `at`. Three of four Euler parameters have
 * one: the rates are components of the angular velocity. */
static void place_in_tree(const mbs_model *model, int at, mbs_rotor *rotor) {
  const mbs_block *coordinate = &model->coordinates[rotor->coordinate];
  const bool euler = coordinate->primitive == MBS_PRIMITIVE_EULER;
  if (!euler || coordinate->component > 0) rotor->velocity = model->first_v[at] + coordinate->number - (euler ? 1 : 0);
}

/* Gives a rotor a block with the bodies of its coordinate. */
static void couple(mbs_builder *builder, mbs_rotor *rotor) {
  mbs_model *model = builder->model;
  const mbs_block *coordinate = &model->coordinates[rotor->coordinate];
  rotor->coupled = true;
  model->coupled_rotors++;
  rotor->bodies = (mbs_joint){.frames = coordinate->frames};
  if (!(rotor->bodies.bodies = mbs_builder_alloc(builder, 2, sizeof *rotor->bodies.bodies))) return;
  mbs_joint_add_body(&rotor->bodies, coordinate->frames.body1);
  mbs_joint_add_body(&rotor->bodies, coordinate->frames.body2);
  rotor->block = *coordinate;
  rotor->block.rows = 1;
  rotor->block.custom = &rotor->bodies;
}

void mbs_place_rotors(mbs_builder *builder) {
  mbs_model *model = builder->model;
  for (size_t i = 0; i < model->rotor_count && !builder->failed; i++) {
    mbs_rotor *rotor = &model->rotors[i];
    size_t at = model->nB;
    while (at >= 1 && model->tree_joint[at] != model->coordinates[rotor->coordinate].of_joint) at--;
    if (at >= 1)
      place_in_tree(model, (int)at, rotor);
    else
      couple(builder, rotor);
  }
}

void mbs_rotor_numbers(mbs_binder *binder) {
  const mbs_model *model = binder->model;
  mbs_constants *constants = binder->constants;
  const bool loads = binder->loads;
  binder->loads = true; /* no position depends on an inertia */
  for (size_t k = 0; k < model->nv && model->rotor_count > 0; k++) constants->rotor_masses[k] = 0;
  for (size_t i = 0; i < model->rotor_count; i++) {
    const mbs_rotor *rotor = &model->rotors[i];
    const double inertia = read_inertia(binder, rotor);
    constants->rotors[i] = rotor->scale * inertia;
    if (rotor->velocity >= 0) constants->rotor_masses[rotor->velocity] += inertia;
  }
  binder->loads = loads;
}
