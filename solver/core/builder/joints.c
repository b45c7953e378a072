/* Joints, read before the tree is known. */
#include "base/rotation.h"
#include "builder/builder.h"

#include <math.h>
#include <string.h>

/* Reads numbers that the joint's shape names: offset, radius of a rolling disc, pitch. */
static void read_geometry(mbs_binder *binder, const mbs_joint *joint, mbs_joint_constants *out) {
  const mbs_joint_shape *shape = joint->shape;
  if (shape->offset) out->offset = mbs_read_number(binder, joint->node, shape->offset);
  if (shape->rolls) out->roll = mbs_read_number(binder, joint->node, shape->rolls);
  if (shape->pitch) out->pitch = mbs_read_number(binder, joint->node, shape->pitch) / mbs_full_turn;
}

/* Finds the vectors of `reference`, unless they are invalid. */
static void find_reference(mbs_builder *builder, mbs_joint *joint) {
  const mbs_value *value = mbs_read_if_known(joint->node, "reference");
  int found[2] = {-1, -1};
  for (size_t i = 0; i < value->count && i < 2; i++) {
    char pointer[MBS_POINTER_SIZE];
    int body = -1, side = i ? joint->frames.body2 : joint->frames.body1;
    mbs_item_pointer(value, i, pointer);
    if (!mbs_read_place(builder, value->scalars[i].text, true, pointer, &body, &found[i])) return;
    if (body != side)
      mbs_diagnose(builder->list, MBS_INVALID, pointer, "this vector must be on '%s', like the axis",
                   builder->model->bodies[side].name);
    if (body != side) return;
  }
  if (value->count == 2) memcpy(joint->reference, found, sizeof found);
}

/* Sets w1 and w2 along the vectors of `reference`, perpendicular to the axes. Returns false if there are none. */
static bool take_reference(mbs_binder *binder, const mbs_joint *joint, mbs_geometry *geometry) {
  for (int i = 0; i < 2; i++) {
    if (joint->reference[i] < 0) return false;
    const double *u = i ? geometry->u2 : geometry->u1, *s = binder->constants->vectors[joint->reference[i]];
    if (!mbs_part_across(s, u, i ? geometry->w2 : geometry->w1)) {
      char pointer[MBS_POINTER_SIZE];
      mbs_item_pointer(mbs_read_value(joint->node, "reference"), (size_t)i, pointer);
      mbs_diagnose(binder->list, MBS_INVALID, pointer, "this vector must be perpendicular to the axis on '%s'",
                   binder->model->bodies[i ? joint->frames.body2 : joint->frames.body1].name);
    }
  }
  return true;
}

/* Sets the rotation that turns the triad u2, w2 onto u1, w1. */
static void zero_of_triads(mbs_geometry *geometry) {
  double first[4], second[3], n[3], A[9];
  mbs_euler_between(geometry->u2, geometry->u1, first);
  mbs_euler_matrix(first, A);
  mbs_rotate(A, geometry->w2, second);
  mbs_cross(geometry->u1, second, n);
  double turn[4];
  mbs_euler_of_turn(geometry->u1, atan2(mbs_dot(n, geometry->w1), mbs_dot(second, geometry->w1)), turn);
  mbs_euler_product(turn, first, geometry->zero);
}

/* Sets the rotation that turns u2 onto w1 and w2 onto u1. */
static void zero_of_cross(mbs_geometry *geometry) {
  mbs_geometry crossed = *geometry;
  memcpy(crossed.u1, geometry->w1, sizeof crossed.u1);
  memcpy(crossed.w1, geometry->u1, sizeof crossed.w1);
  zero_of_triads(&crossed);
  memcpy(geometry->zero, crossed.zero, sizeof geometry->zero);
}

/* Sets the orientation at which each body's own rotation is zero to its `initial`. */
static void set_own_zeros(const double p1[4], const double p2[4], mbs_geometry *geometry) {
  double A[9];
  memcpy(geometry->zero1, p1, sizeof geometry->zero1);
  memcpy(geometry->zero, p2, sizeof geometry->zero);
  mbs_euler_matrix(geometry->zero1, A);
  mbs_rotate(A, geometry->u1, geometry->w1);
  mbs_euler_matrix(geometry->zero, A);
  mbs_rotate(A, geometry->u2, geometry->w2);
}

/* Sets the zero of a rotation where the second axis, after `relative`, is brought to the first by the smallest
 * rotation. */
static void zero_of_axes(const double relative[4], mbs_geometry *geometry) {
  double A[9], axis[3], turn[4];
  mbs_euler_matrix(relative, A);
  mbs_rotate(A, geometry->u2, axis); /* the second axis in the first body's axes */
  mbs_euler_between(axis, geometry->u1, turn);
  mbs_euler_product(turn, relative, geometry->zero);
  mbs_euler_matrix(geometry->zero, A);
  mbs_perpendicular(geometry->u1, geometry->w1);
  mbs_rotate_back(A, geometry->w1, geometry->w2);
}

void mbs_axes_zero(mbs_geometry *geometry) { zero_of_axes((const double[]){1, 0, 0, 0}, geometry); }

/* Sets the zero of a spatial joint's rotations, and the vectors w perpendicular to its axes, which coincide there. */
static void set_frames(mbs_binder *binder, const mbs_joint *joint, mbs_geometry *geometry) {
  static const double z[3] = {0, 0, 1}, none[3] = {0, 0, 0};
  const double *p1 = binder->constants->bodies[joint->frames.body1].initial.p;
  const double *p2 = binder->constants->bodies[joint->frames.body2].initial.p;
  double relative[4] = {1, 0, 0, 0}, A[9], axis[3], back[4];
  if (joint->shape->zero == MBS_ZERO_EACH) {
    set_own_zeros(p1, p2, geometry);
    return;
  }
  if (memcmp(geometry->u1, none, sizeof none) == 0) memcpy(geometry->u1, z, sizeof z);
  if (joint->shape->zero == MBS_ZERO_INITIAL) {
    mbs_euler_inverse(p1, back);
    mbs_euler_product(back, p2, relative);
  }
  mbs_euler_matrix(relative, A);
  if (memcmp(geometry->u2, none, sizeof none) == 0) mbs_rotate_back(A, geometry->u1, geometry->u2);
  mbs_rotate(A, geometry->u2, axis); /* the second axis in the first body's axes */
  if (joint->shape->zero == MBS_ZERO_CROSS) {
    if (take_reference(binder, joint, geometry)) {
      zero_of_cross(geometry);
      return;
    }
    double along = mbs_dot(axis, geometry->u1), length = sqrt(fmax(0, 1 - along * along));
    if (length > 1e-6)
      for (int k = 0; k < 3; k++) geometry->w1[k] = (axis[k] - along * geometry->u1[k]) / length;
    else
      mbs_perpendicular(geometry->u1, geometry->w1);
    mbs_euler_between(axis, geometry->w1, geometry->zero);
    mbs_euler_matrix(geometry->zero, A);
    mbs_rotate_back(A, geometry->u1, geometry->w2);
    return;
  }
  if (take_reference(binder, joint, geometry)) {
    zero_of_triads(geometry);
    return;
  }
  zero_of_axes(relative, geometry);
}

static void count_initial(mbs_builder *builder, mbs_joint *joint) {
  const mbs_value *initial = mbs_read_if_known(joint->node, "initial");
  if (!initial->given || initial->count == 0) return;
  const mbs_node *node = &initial->nodes[0];
  for (int k = 0; k < 2; k++) {
    const mbs_value *value = mbs_read_value(node, k ? "velocity" : "position");
    size_t expected = k ? mbs_velocity_count(joint->shape) : joint->shape->coordinate_count;
    size_t count = !value->given ? 0 : value->count < MBS_COORDINATES_MAX ? value->count : MBS_COORDINATES_MAX;
    *(k ? &joint->initial_velocity_count : &joint->initial_position_count) = count;
    if (value->given && value->count != expected)
      mbs_diagnose(builder->list, MBS_WRONG_TYPE, value->pointer, "a %s joint has %zu %s%s, not %zu",
                   joint->cls->base.name, expected, k ? "velocit" : "coordinate",
                   k ? (expected == 1 ? "y" : "ies") : (expected == 1 ? "" : "s"), value->count);
    for (size_t i = 0; !k && i < count && i < expected && joint->doubtful_angle == 0; i++)
      if (mbs_is_turn(joint->shape->coordinates[i].primitive))
        joint->doubtful_angle = mbs_doubtful_angle(&value->scalars[i]);
  }
}

/* Reads initial value k of a joint's coordinates or velocities: of a translation, a rotation, or an Euler parameter. */
static double read_initial(mbs_binder *binder, const mbs_joint *joint, const mbs_node *node, const char *name,
                           size_t k) {
  const bool rate = strcmp(name, "velocity") == 0;
  size_t count = joint->shape->coordinate_count;
  if (k >= (rate ? mbs_velocity_count(joint->shape) : count)) return 0; /* too many, which is reported */
  mbs_primitive primitive = k < count ? joint->shape->coordinates[k].primitive : MBS_PRIMITIVE_EULER;
  return mbs_read_along(binder, node, name, k, primitive, rate);
}

void mbs_joint_numbers_of(mbs_binder *binder, const mbs_joint *joint, mbs_joint_constants *out) {
  const mbs_value *initial = mbs_read_if_known(joint->node, "initial");
  const mbs_node *node = initial->given && initial->count ? &initial->nodes[0] : NULL;
  *out = (mbs_joint_constants){.angle0 = 0};
  mbs_frames_geometry(binder->constants, &joint->frames, &out->geometry);
  read_geometry(binder, joint, out);
  mbs_strand_path_numbers(binder, joint->path);
  if (binder->model->dim == 3 && joint->frames.body1 >= 0 && joint->frames.body2 >= 0)
    set_frames(binder, joint, &out->geometry);
  if (joint->cls->bind) joint->cls->bind(binder, joint, binder->constants->joint_data[joint - binder->model->joints]);
  if (!node) return;
  for (size_t k = 0; k < joint->initial_position_count; k++)
    out->initial_position[k] = read_initial(binder, joint, node, "position", k);
  for (size_t k = 0; k < joint->initial_velocity_count; k++)
    out->initial_velocity[k] = read_initial(binder, joint, node, "velocity", k);
}

void mbs_check_row_numbers(mbs_binder *binder, const mbs_joint *joint) {
  for (size_t r = 0; r < joint->shape->row_count; r++) {
    const mbs_row *row = &joint->shape->rows[r];
    const char *const fields[] = {row->field, row->weight1_field, row->weight2_field};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
      if (fields[k] && mbs_read_given(joint->node, fields[k])) mbs_read_number(binder, joint->node, fields[k]);
  }
}

static void read_cut(mbs_builder *builder, mbs_joint *joint) {
  if (!mbs_read_if_known(joint->node, "cut")->given) return;
  joint->cut = mbs_read_bool(joint->node, "cut") ? MBS_CUT_YES : MBS_CUT_NO;
  if (joint->cut == MBS_CUT_NO && !joint->shape->in_tree)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(joint->node, "cut")->pointer,
                 "a %s joint is always cut; remove 'cut'", joint->cls->base.name);
  if (joint->cut == MBS_CUT_YES && joint->shape->row_count == 0)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(joint->node, "cut")->pointer,
                 "a %s joint constrains nothing, so it cannot be cut", joint->cls->base.name);
}

void mbs_read_joints(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *nodes = mbs_read_value(builder->document, "joints");
  mbs_constants *constants = model->constants;
  model->joints = mbs_builder_alloc(builder, nodes->count, sizeof *model->joints);
  constants->joints = mbs_builder_alloc(builder, nodes->count, sizeof *constants->joints);
  constants->joint_data = mbs_builder_alloc(builder, nodes->count, sizeof *constants->joint_data);
  if (builder->failed) return;
  model->joint_count = nodes->count;
  for (size_t j = 0; j < nodes->count; j++) {
    mbs_joint *joint = &model->joints[j];
    const mbs_node *node = &nodes->nodes[j];
    /* A class of the joint family starts with its mbs_class. */
    const char *name = mbs_read_text(node, "name");
    *joint = (mbs_joint){.cls = (const mbs_joint_class *)node->cls,
                         .node = node,
                         .name = name ? name : "",
                         .pointer = node->pointer,
                         .frames = MBS_NO_FRAMES,
                         .reference = {-1, -1},
                         .path = -1,
                         .copies = 1};
    model->locates |= joint->cls->locate != NULL;
    joint->shape = model->dim == 2 ? &joint->cls->planar : &joint->cls->spatial;
    mbs_names_add(builder, &builder->joint_names, joint->name, "joint", mbs_name_pointer(joint->node));
    if (mbs_names_find(&builder->body_names, joint->name) >= 0)
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, mbs_name_pointer(joint->node),
                   "'%s' is already the name of a body", joint->name);
    mbs_read_frames_with(builder, node, joint->shape->second_vector, &joint->frames);
    if (joint->cls->check) joint->cls->check(builder, j);
    if (model->dim == 3 && joint->frames.body1 >= 0 && joint->frames.body2 >= 0) find_reference(builder, joint);
    count_initial(builder, joint);
    constants->joint_data[j] = mbs_builder_alloc(builder, 1, joint->cls->data_size);
    if (builder->failed) return;
    mbs_joint_numbers_of(mbs_numbers_of(builder), joint, &constants->joints[j]);
    mbs_check_row_numbers(mbs_numbers_of(builder), joint);
    read_cut(builder, joint);
  }
}

void mbs_joint_add_body(mbs_joint *joint, int body) {
  for (int b = 0; b < joint->body_count; b++)
    if (joint->bodies[b] == body) return;
  if (body > 0) joint->bodies[joint->body_count++] = body;
}

/* Lists the bodies on which custom rows depend: those of the joint's frames, unless its law lists others. */
static void list_sides(mbs_builder *builder, mbs_joint *joint) {
  joint->bodies = mbs_builder_alloc(builder, 2, sizeof *joint->bodies);
  if (!joint->bodies) return;
  joint->sided = true;
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
