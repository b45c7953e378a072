#include "elements/forces/coordinate_pair.h"

#include "equations/input.h"

/* Adds the only coordinate of a joint as a primitive. Returns -1 after a report. */
static int add_coordinate(mbs_builder *builder, const mbs_value *value, size_t i, mbs_frames *frames) {
  char pointer[MBS_POINTER_SIZE];
  mbs_item_pointer(value, i, pointer);
  if (!value->scalars[i].text) return -1; /* reported when it was read */
  const int j = mbs_read_joint(builder, value->scalars[i].text, pointer);
  if (j < 0) return -1;
  const mbs_joint *joint = &builder->model->joints[j];
  *frames = joint->frames;
  if (joint->shape->coordinate_count == 1 && joint->shape->coordinates[0].primitive != MBS_PRIMITIVE_EULER)
    return mbs_builder_add_primitive(builder, &joint->shape->coordinates[0], frames, j);
  mbs_diagnose(builder->list, MBS_INVALID, pointer, "joint '%s' (%s) does not have exactly one coordinate", joint->name,
               joint->cls->base.name);
  return -1;
}

bool mbs_read_coordinate_pair(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_value *joint = mbs_read_value(node, "joint"), *joints = mbs_read_value(node, "joints");
  mbs_frames first = MBS_NO_FRAMES, second = MBS_NO_FRAMES;
  force->frames = MBS_ON_GROUND;
  if (mbs_read_refused(node, "joint") || mbs_read_refused(node, "joints")) return false;
  if (joint->given == joints->given) {
    mbs_diagnose(builder->list, joint->given ? MBS_INVALID : MBS_MISSING, node->pointer,
                 joint->given ? "give 'joint' or 'joints', not both" : "missing field 'joint' or 'joints'");
    return false;
  }
  if (joint->given && mbs_read_given(node, "ratio"))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "ratio")->pointer,
                 "'ratio' needs two 'joints'; remove it");
  if (joints->given && joints->count != 2) return false;
  const int qa = add_coordinate(builder, joint->given ? joint : joints, 0, &first);
  const int qb = joints->given ? add_coordinate(builder, joints, 1, &second) : -1;
  if (qa < 0 || (joints->given && qb < 0)) return false;
  force->coordinate = qa;
  force->frames = first;
  if (!joints->given) return true;
  if (!(force->bodies = mbs_builder_alloc(builder, 2, sizeof *force->bodies))) return false;
  force->bodies[force->body_count++] = second.body1;
  force->bodies[force->body_count++] = second.body2;
  return true;
}

static double read(const mbs_system *system, int coordinate, int level) {
  return mbs_input_value(system,
                         &(mbs_input){.kind = MBS_INPUT_PRIMITIVE, .index = coordinate, .level = level, .point = -1});
}

double mbs_pair_value(const mbs_system *system, const mbs_force *force, int k, double ratio, int level) {
  const int second = mbs_second_coordinate(force);
  const double x = read(system, force->coordinate + k, level);
  return second >= 0 ? x - ratio * read(system, second, level) : x;
}

void mbs_apply_pair_force(mbs_system *system, const mbs_force *force, int k, double ratio, double F) {
  const int second = mbs_second_coordinate(force);
  mbs_apply_generalized_force(system, force->coordinate + k, F);
  if (second >= 0) mbs_apply_generalized_force(system, second, -ratio * F);
}

void mbs_add_pair_row(mbs_system *system, const mbs_touch *touch, double ratio, mbs_custom_row *out) {
  mbs_add_coordinate_row(system, touch, touch->coordinate[0], 1, out);
  if (touch->coordinate[1] >= 0) mbs_add_coordinate_row(system, touch, touch->coordinate[1], -ratio, out);
}
