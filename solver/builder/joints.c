/* Joints, before anything is known of the tree. */
#include "base/rotation.h"
#include "builder/builder.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Numbers that the joint's shape names: offset, radius of a rolling disc. */
static void read_geometry(mbs_builder *builder, mbs_joint *joint) {
  if (joint->shape->offset) joint->offset = mbs_read_number(builder, joint->node, joint->shape->offset);
  if (joint->shape->rolls) joint->roll = mbs_read_number(builder, joint->node, joint->shape->rolls);
  if (joint->shape->pitch) joint->pitch = mbs_read_number(builder, joint->node, joint->shape->pitch) / (2 * pi);
}

/* `reference`: w1 and w2 along these vectors, across the axes. False where it is not given or wrong. */
static bool read_reference(mbs_builder *builder, mbs_joint *joint) {
  const mbs_value *value = mbs_read_if_known(joint->node, "reference");
  mbs_frames *frames = &joint->frames;
  bool good = value->count == 2;
  for (size_t i = 0; i < value->count && i < 2; i++) {
    char pointer[MBS_POINTER_SIZE];
    int body = -1, side = i ? frames->body2 : frames->body1;
    const double *u = i ? frames->u2 : frames->u1;
    double *w = i ? frames->w2 : frames->w1, s[3];
    mbs_item_pointer(value, i, pointer);
    if (!mbs_read_place(builder, value->scalars[i].text, true, pointer, &body, s)) return false;
    double along = mbs_dot(s, u), length = sqrt(fmax(0, 1 - along * along));
    if (body != side || fabs(along) > 1e-6) {
      mbs_diagnose(builder->list, MBS_INVALID, pointer,
                   body != side ? "this vector must be on '%s', like the axis"
                                : "this vector must be at right angles to "
                                  "the axis on '%s'",
                   builder->model->bodies[side].name);
      good = false;
    }
    for (int k = 0; k < 3; k++) w[k] = (s[k] - along * u[k]) / (length > 0 ? length : 1);
  }
  return good;
}

/* The rotation that takes the triad u2, w2 to u1, w1. */
static void zero_of_triads(mbs_frames *frames) {
  double first[4], second[3], n[3], A[9];
  mbs_euler_between(frames->u2, frames->u1, first);
  mbs_euler_matrix(first, A);
  mbs_rotate(A, frames->w2, second);
  mbs_cross(frames->u1, second, n);
  double turn[4];
  mbs_euler_of_turn(frames->u1, atan2(mbs_dot(n, frames->w1), mbs_dot(second, frames->w1)), turn);
  mbs_euler_product(turn, first, frames->zero);
}

/* Turns of the two bodies against the ground, from where their `initial` has them. */
static void set_own_zeros(const mbs_builder *builder, mbs_frames *frames) {
  double A[9];
  memcpy(frames->zero1, builder->model->bodies[frames->body1].initial.p, sizeof frames->zero1);
  memcpy(frames->zero, builder->model->bodies[frames->body2].initial.p, sizeof frames->zero);
  mbs_euler_matrix(frames->zero1, A);
  mbs_rotate(A, frames->u1, frames->w1);
  mbs_euler_matrix(frames->zero, A);
  mbs_rotate(A, frames->u2, frames->w2);
}

/* Where the turns of a spatial joint are zero, and the vectors w across its axes that agree there. */
static void set_frames(mbs_builder *builder, mbs_joint *joint) {
  static const double z[3] = {0, 0, 1}, none[3] = {0, 0, 0};
  mbs_frames *frames = &joint->frames;
  double relative[4] = {1, 0, 0, 0}, A[9], axis[3], back[4], turn[4];
  if (joint->shape->zero == MBS_ZERO_EACH) {
    set_own_zeros(builder, frames);
    return;
  }
  if (memcmp(frames->u1, none, sizeof none) == 0) memcpy(frames->u1, z, sizeof z);
  if (joint->shape->zero == MBS_ZERO_INITIAL) {
    mbs_euler_inverse(builder->model->bodies[frames->body1].initial.p, back);
    mbs_euler_product(back, builder->model->bodies[frames->body2].initial.p, relative);
  }
  mbs_euler_matrix(relative, A);
  if (memcmp(frames->u2, none, sizeof none) == 0) mbs_rotate_back(A, frames->u1, frames->u2);
  mbs_rotate(A, frames->u2, axis); /* the second axis in the first body's axes */
  if (joint->shape->zero == MBS_ZERO_CROSS) {
    double along = mbs_dot(axis, frames->u1), length = sqrt(fmax(0, 1 - along * along));
    if (length > 1e-6)
      for (int k = 0; k < 3; k++) frames->w1[k] = (axis[k] - along * frames->u1[k]) / length;
    else
      mbs_perpendicular(frames->u1, frames->w1);
    mbs_euler_between(axis, frames->w1, frames->zero);
    mbs_euler_matrix(frames->zero, A);
    mbs_rotate_back(A, frames->u1, frames->w2);
    return;
  }
  if (read_reference(builder, joint)) {
    zero_of_triads(frames);
    return;
  }
  mbs_euler_between(axis, frames->u1, turn);
  mbs_euler_product(turn, relative, frames->zero);
  mbs_euler_matrix(frames->zero, A);
  mbs_perpendicular(frames->u1, frames->w1);
  mbs_rotate_back(A, frames->w1, frames->w2);
}

static void read_initial(mbs_builder *builder, mbs_joint *joint) {
  const mbs_value *initial = mbs_read_if_known(joint->node, "initial");
  if (!initial->given || initial->count == 0) return;
  const mbs_node *node = &initial->nodes[0];
  joint->initial_position_count =
      mbs_read_numbers(builder, node, "position", joint->initial_position, MBS_COORDINATES_MAX);
  joint->initial_velocity_count =
      mbs_read_numbers(builder, node, "velocity", joint->initial_velocity, MBS_COORDINATES_MAX);
  for (int k = 0; k < 2; k++) {
    const mbs_value *value = mbs_read_value(node, k ? "velocity" : "position");
    size_t expected = k ? mbs_velocity_count(joint->shape) : joint->shape->coordinate_count;
    if (value->given && value->count != expected)
      mbs_diagnose(builder->list, MBS_WRONG_TYPE, value->pointer, "a %s joint has %zu %s%s, not %zu",
                   joint->cls->base.name, expected, k ? "velocit" : "coordinate",
                   k ? (expected == 1 ? "y" : "ies") : (expected == 1 ? "" : "s"), value->count);
  }
}

static void read_cut(mbs_builder *builder, mbs_joint *joint) {
  if (!mbs_read_if_known(joint->node, "cut")->given) return;
  joint->cut = mbs_read_bool(joint->node, "cut") ? MBS_CUT_YES : MBS_CUT_NO;
  if (joint->cut == MBS_CUT_NO && !joint->shape->in_tree)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(joint->node, "cut")->pointer,
                 "a %s joint cannot be in the tree; leave 'cut' out", joint->cls->base.name);
  if (joint->cut == MBS_CUT_YES && joint->shape->row_count == 0)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(joint->node, "cut")->pointer,
                 "a %s joint constrains nothing, so it cannot be cut", joint->cls->base.name);
}

void mbs_read_joints(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *nodes = mbs_read_value(builder->document, "joints");
  model->joints = mbs_builder_alloc(builder, nodes->count, sizeof *model->joints);
  if (!model->joints) return;
  model->joint_count = nodes->count;
  for (size_t j = 0; j < nodes->count; j++) {
    mbs_joint *joint = &model->joints[j];
    const mbs_node *node = &nodes->nodes[j];
    /* A class of the joint family begins with its mbs_class. */
    *joint = (mbs_joint){.cls = (const mbs_joint_class *)node->cls, .node = node, .frames = {.body1 = -1, .body2 = -1}};
    joint->shape = model->dim == 2 ? &joint->cls->planar : &joint->cls->spatial;
    const char *name = mbs_read_text(node, "name");
    joint->name = mbs_arena_text(builder->arena, name ? name : "");
    joint->pointer = mbs_arena_text(builder->arena, node->pointer);
    if (!joint->name || !joint->pointer) {
      builder->failed = true;
      return;
    }
    mbs_names_add(builder, &builder->joint_names, joint->name, "joint", mbs_name_pointer(joint->node));
    if (mbs_names_find(&builder->body_names, joint->name) >= 0)
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, mbs_name_pointer(joint->node),
                   "'%s' is already the name of a body", joint->name);
    mbs_read_frames_with(builder, node, joint->shape->second_vector, &joint->frames);
    if (joint->cls->check) joint->cls->check(builder, j);
    read_geometry(builder, joint);
    if (model->dim == 3 && joint->frames.body1 >= 0 && joint->frames.body2 >= 0) set_frames(builder, joint);
    read_initial(builder, joint);
    read_cut(builder, joint);
  }
}

/* What a custom row depends on: the bodies of the joint's frames, unless its law says more. */
static void list_sides(mbs_builder *builder, mbs_joint *joint) {
  joint->bodies = mbs_builder_alloc(builder, 2, sizeof *joint->bodies);
  if (!joint->bodies) return;
  if (joint->frames.body1 > 0) joint->bodies[joint->body_count++] = joint->frames.body1;
  if (joint->frames.body2 > 0) joint->bodies[joint->body_count++] = joint->frames.body2;
}

void mbs_read_joint_laws(mbs_builder *builder) {
  mbs_model *model = builder->model;
  for (size_t j = 0; j < model->joint_count && !builder->failed; j++) {
    mbs_joint *joint = &model->joints[j];
    if (joint->cls->read_laws) joint->cls->read_laws(builder, j);
    if (joint->cls->row && !joint->bodies) list_sides(builder, joint);
  }
}
