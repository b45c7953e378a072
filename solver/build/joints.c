/* Joints, before anything is known of the tree. */
#include "build.h"

#include <math.h>
#include <string.h>

/* Numbers that the joint's shape names: offset, radius of a rolling disc. */
static void read_geometry(mbs_build *build, mbs_joint *joint) {
  if (joint->shape->offset) joint->offset = mbs_read_number(build, joint->node, joint->shape->offset);
  if (joint->shape->rolls) joint->roll = mbs_read_number(build, joint->node, joint->shape->rolls);
}

static void read_initial(mbs_build *build, mbs_joint *joint) {
  const mbs_value *initial = mbs_read_value(joint->node, "initial");
  if (!initial->given || initial->count == 0) return;
  const mbs_node *node = &initial->nodes[0];
  size_t expected = joint->shape->coordinate_count;
  joint->initial_position_count =
      mbs_read_numbers(build, node, "position", joint->initial_position, MBS_COORDINATES_MAX);
  joint->initial_velocity_count =
      mbs_read_numbers(build, node, "velocity", joint->initial_velocity, MBS_COORDINATES_MAX);
  for (int k = 0; k < 2; k++) {
    const mbs_value *value = mbs_read_value(node, k ? "velocity" : "position");
    if (value->given && value->count != expected)
      mbs_diagnose(build->list, MBS_WRONG_TYPE, value->pointer, "a %s joint has %zu coordinate%s, not %zu",
                   joint->cls->base.name, expected, expected == 1 ? "" : "s", value->count);
  }
}

static void read_cut(mbs_build *build, mbs_joint *joint) {
  if (!mbs_read_given(joint->node, "cut")) return;
  joint->cut = mbs_read_bool(joint->node, "cut") ? MBS_CUT_YES : MBS_CUT_NO;
  if (joint->cut == MBS_CUT_NO && !joint->shape->in_tree)
    mbs_diagnose(build->list, MBS_INVALID, mbs_read_value(joint->node, "cut")->pointer,
                 "a %s joint cannot be in the tree; leave 'cut' out", joint->cls->base.name);
  if (joint->cut == MBS_CUT_YES && joint->shape->row_count == 0)
    mbs_diagnose(build->list, MBS_INVALID, mbs_read_value(joint->node, "cut")->pointer,
                 "a %s joint constrains nothing, so it cannot be cut", joint->cls->base.name);
}

void mbs_read_joints(mbs_build *build) {
  mbs_model *model = build->model;
  const mbs_value *nodes = mbs_read_value(build->document, "joints");
  model->joints = mbs_build_alloc(build, nodes->count, sizeof *model->joints);
  if (!model->joints) return;
  model->joint_count = nodes->count;
  for (size_t j = 0; j < nodes->count; j++) {
    mbs_joint *joint = &model->joints[j];
    const mbs_node *node = &nodes->nodes[j];
    /* A class of the joint family begins with its mbs_class. */
    *joint = (mbs_joint){.cls = (const mbs_joint_class *)node->cls, .node = node, .sides = {.body1 = -1, .body2 = -1}};
    joint->shape = &joint->cls->planar;
    const char *name = mbs_read_text(node, "name");
    joint->name = mbs_arena_text(build->arena, name ? name : "");
    joint->pointer = mbs_arena_text(build->arena, node->pointer);
    if (!joint->name || !joint->pointer) {
      build->failed = true;
      return;
    }
    mbs_names_add(build, &build->joint_names, joint->name, "joint", joint->pointer);
    if (mbs_names_find(&build->body_names, joint->name) >= 0)
      mbs_diagnose(build->list, MBS_DUPLICATE_NAME, joint->pointer, "'%s' is already the name of a body", joint->name);
    mbs_read_sides(build, node, &joint->sides);
    if (joint->cls->check) joint->cls->check(build, j);
    read_geometry(build, joint);
    read_initial(build, joint);
    read_cut(build, joint);
  }
}
