/* The start of a model: poses of the bodies from the initial values of bodies and joints, along the tree. If both are
 * given for a degree of freedom, the joint's value is used. All results are numbers, and are computed again for other
 * parameters. */
#include "base/rotation.h"
#include "builder/builder.h"
#include "builder/extent.h"
#include "equations/system.h"
#include "kernels/kernels.h"
#include "model/rows.h"

#include <math.h>
#include <string.h>

/* Sets the zero of a joint's coordinates, from vectors and from declared initial angles. theory (2.3) */
static void set_zero(const mbs_binder *binder, const mbs_joint *joint, mbs_joint_constants *out) {
  const mbs_body *bodies = binder->model->bodies;
  const mbs_body_constants *numbers = binder->constants->bodies;
  int first = joint->frames.body1, second = joint->frames.body2;
  double declared1 = bodies[first].given.angle ? numbers[first].initial.angle : 0;
  double declared2 = bodies[second].given.angle ? numbers[second].initial.angle : 0;
  const mbs_geometry *at = &out->geometry;
  const double *u1 = at->u1, *u2 = at->u2;
  for (size_t r = 0; r < joint->shape->row_count; r++) {
    if (joint->shape->rows[r].primitive == MBS_PRIMITIVE_PARALLEL) /* the second vector is parallel to the first */
      out->angle0 = atan2(u1[1] * u2[0] - u1[0] * u2[1], u1[0] * u2[0] + u1[1] * u2[1]);
    if (joint->shape->rows[r].primitive == MBS_PRIMITIVE_ANGLE) out->angle0 = declared2 - declared1;
  }
  if (out->roll == 0) return;
  out->angle0 = declared2 - declared1;
  out->slide0 = out->roll * out->angle0;
  if (bodies[second].given.position && (first == 0 || bodies[first].given.position)) {
    /* the slide is that of the centre P2 along u1 from P1, in the axes of the first body; 0 without positions */
    const double *r1 = numbers[first].initial.r, *r2 = numbers[second].initial.r;
    double c = cos(declared2), s = sin(declared2), c1 = cos(declared1), s1 = sin(declared1);
    double x = r2[0] - r1[0] + c * at->s2[0] - s * at->s2[1];
    double y = r2[1] - r1[1] + s * at->s2[0] + c * at->s2[1];
    out->slide0 += u1[0] * (c1 * x + s1 * y - at->s1[0]) + u1[1] * (c1 * y - s1 * x - at->s1[1]);
  }
}

/* Replaces parts of `pose` by those that a body's `initial` gives. */
static void apply_declared(const mbs_body *body, const mbs_pose *initial, mbs_pose *pose) {
  if (body->given.position) memcpy(pose->r, initial->r, sizeof pose->r);
  if (body->given.angle) {
    pose->angle = initial->angle;
    memcpy(pose->p, initial->p, sizeof pose->p);
  }
  if (body->given.turns) memcpy(pose->turns, initial->turns, sizeof pose->turns);
  if (body->given.velocity) memcpy(pose->v, initial->v, sizeof pose->v);
  if (body->given.angular_velocity) memcpy(pose->omega, initial->omega, sizeof pose->omega);
}

/* Computes v of a ball joint from the rates of its Euler parameters: the relative angular velocity, 2 E p'. theory
 * (1.11) */
static void ball_velocity(const double p[4], const double rate[4], double v[3]) {
  double back[4], product[4];
  mbs_euler_inverse(p, back);
  mbs_euler_product(rate, back, product);
  for (int k = 0; k < 3; k++) v[k] = 2 * product[k + 1];
}

/* Returns the angle nearest to its driver: in space orientations do not determine full revolutions of a driven angle.
 * Counters of its revolutions start there, too. */
static double nearest_to_driver(const mbs_binder *binder, const mbs_joint *joint, size_t coordinate, double turn) {
  const mbs_model *model = binder->model;
  for (size_t d = 0; d < model->driver_count - model->added_drivers && model->kernels->set_driven_revolutions; d++) {
    const mbs_block *driven = &model->blocks[model->drivers[d].block];
    if (driven->of_joint != joint - model->joints || driven->number != (int)coordinate || driven->function < 0)
      continue;
    const mbs_function *function = &model->functions[driven->function];
    const mbs_system probe = mbs_probe_of_time(binder->constants);
    double value[3] = {NAN};
    function->cls->value(&probe, function, model->t_start, value);
    return isfinite(value[0]) ? mbs_unwrap_angle(turn, value[0]) : turn;
  }
  return turn;
}

/* Returns the constants that follow from a row alone. */
static mbs_block_constants row_constants(const mbs_row *row) {
  return (mbs_block_constants){.scale = row->scale, .weight1 = row->weight1, .weight2 = row->weight2};
}

/* Returns coordinate k of a joint between two poses, full revolutions included, and its rate. */
static double coordinate_between(const mbs_binder *binder, const mbs_joint *joint, const mbs_joint_constants *numbers,
                                 size_t k, const mbs_pose *first, const mbs_pose *second, double *rate) {
  const mbs_kernels *kernels = binder->model->kernels;
  const mbs_row *row = &joint->shape->coordinates[k];
  const mbs_block block = mbs_bare_block(binder->model, row, &joint->frames);
  mbs_block_constants at = row_constants(row);
  at.geometry = numbers->geometry;
  if (mbs_is_turn(row->primitive)) at.constant = numbers->angle0;
  double values[3], rates[3];
  mbs_row_vectors(row, &at.geometry);
  kernels->primitive(&block, &at, first, second, values, rates);
  if (kernels->start_angles) kernels->start_angles(&block, &at, first, second, values);
  *rate = rates[0];
  return values[0];
}

/* Computes the coordinates of the joint that carries `body`: the joint's own initial values, else those of the body's
 * declared pose, else 0. */
static void start_of_joint(const mbs_binder *binder, int body, int parent, const mbs_joint *joint,
                           const mbs_joint_constants *numbers, double *q, double *v) {
  const mbs_model *model = binder->model;
  const mbs_pose *poses = binder->constants->poses;
  const mbs_body *declared = &model->bodies[body];
  bool reversed = joint->frames.body1 == body;
  mbs_pose child;
  size_t n = joint->shape->coordinate_count, velocities = mbs_velocity_count(joint->shape);
  double rates[MBS_COORDINATES_MAX] = {0};
  memset(q, 0, n * sizeof *q);
  memset(v, 0, velocities * sizeof *v);
  if (velocities < n) q[n - 4] = 1; /* Euler parameters of no rotation */
  model->kernels->carry(joint, numbers, reversed, &poses[parent], q, v, &child);
  memcpy(child.turns, poses[parent].turns, sizeof child.turns);
  apply_declared(declared, &binder->constants->bodies[body].initial, &child);
  const mbs_pose *first = reversed ? &child : &poses[parent], *second = reversed ? &poses[parent] : &child;
  for (size_t k = 0; k < n; k++) {
    bool turn = mbs_is_turn(joint->shape->coordinates[k].primitive);
    double rate, value = coordinate_between(binder, joint, numbers, k, first, second, &rate);
    if (turn ? declared->given.angle : declared->given.position) q[k] = value;
    if (turn ? declared->given.angular_velocity : declared->given.velocity) rates[k] = rate;
    if (k < joint->initial_position_count) q[k] = numbers->initial_position[k];
    if (turn && joint->shape->coordinates[k].primitive != MBS_PRIMITIVE_EULER)
      q[k] = nearest_to_driver(binder, joint, k, q[k]);
  }
  memcpy(v, rates, velocities * sizeof *v);
  if (velocities < n) {
    mbs_euler_normalize(q + n - 4, q + n - 4);
    ball_velocity(q + n - 4, rates + n - 4, v + n - 4);
  }
  for (size_t k = 0; k < joint->initial_velocity_count; k++) v[k] = numbers->initial_velocity[k];
}

/* Returns true if the bodies have their declared relative orientation for any orientation of the first. */
static bool keeps_declared_turn(const mbs_joint *joint) {
  for (size_t k = 0; k < joint->shape->coordinate_count; k++)
    if (mbs_is_turn(joint->shape->coordinates[k].primitive)) return false;
  return !mbs_keeps_parallel(joint->shape);
}

/* Chooses the zero nearest to the declared pose. Vectors determine an angle up to full revolutions, and joints Euler
 * parameters up to their sign; with this choice both formulations have equal values. */
static void choose_turn(const mbs_pose *declared, bool reversed, const mbs_pose *pose, const mbs_joint *joint,
                        mbs_joint_constants *numbers) {
  if (mbs_keeps_parallel(joint->shape)) {
    double turns = nearbyint((declared->angle - pose->angle) / mbs_full_turn);
    numbers->angle0 += mbs_full_turn * (reversed ? -turns : turns);
  } else {
    double product = 0;
    for (int k = 0; k < 4; k++) product += declared->p[k] * pose->p[k];
    for (int k = 0; k < 4 && product < 0; k++) numbers->geometry.zero[k] *= -1;
  }
}

/* Computes the full revolutions of a carried body: those of the parent, and those of the joint's angles. */
static void carry_turns(const mbs_joint *joint, const mbs_geometry *at, bool reversed, const mbs_pose *parent,
                        const double *q, mbs_pose *child) {
  const mbs_pose *first = reversed ? child : parent, *second = reversed ? parent : child;
  memcpy(child->turns, parent->turns, sizeof child->turns);
  for (size_t k = 0; k < joint->shape->coordinate_count; k++) {
    mbs_primitive primitive = joint->shape->coordinates[k].primitive;
    if (!mbs_is_turn(primitive) || primitive == MBS_PRIMITIVE_EULER) continue;
    bool on_second = primitive == MBS_PRIMITIVE_CROSS2;
    double A[9], axis[3], turns = (reversed ? -1 : 1) * (q[k] - mbs_wrap_angle(q[k]));
    mbs_euler_matrix(on_second ? second->p : first->p, A);
    mbs_rotate(A, on_second ? at->u2 : at->u1, axis);
    for (int i = 0; i < 3; i++) child->turns[i] += turns * axis[i];
  }
}

/* Computes the pose of a body at the start of a run. In body coordinates it is the declared pose, even if it does not
 * satisfy the joint. */
static void start_of_body(const mbs_binder *binder, int body) {
  const mbs_model *model = binder->model;
  const mbs_body *declared = &model->bodies[body];
  const mbs_pose *initial = &binder->constants->bodies[body].initial;
  double own_q[MBS_COORDINATES_MAX], own_v[MBS_COORDINATES_MAX];
  bool floats = model->tree_joint[body] < 0;
  double *q = binder->constants->q0 + model->first_q[body], *v = binder->constants->v0 + model->first_v[body];
  mbs_pose *pose = &binder->constants->poses[body];
  if (model->start_joint[body] < 0) {
    apply_declared(declared, initial, pose);
  } else {
    const mbs_joint *joint = &model->joints[model->start_joint[body]];
    mbs_joint_constants *numbers = &binder->constants->joints[model->start_joint[body]];
    bool reversed = joint->frames.body1 == body;
    const mbs_pose *parent = &binder->constants->poses[model->start_parent[body]];
    double *start_q = floats ? own_q : q, *start_v = floats ? own_v : v;
    start_of_joint(binder, body, model->start_parent[body], joint, numbers, start_q, start_v);
    model->kernels->carry(joint, numbers, reversed, parent, start_q, start_v, pose);
    if (declared->given.angle) choose_turn(initial, reversed, pose, joint, numbers);
    model->kernels->carry(joint, numbers, reversed, parent, start_q, start_v, pose);
    if (model->kernels->start_angles) carry_turns(joint, &numbers->geometry, reversed, parent, start_q, pose);
    if (model->body_formulation) {
      mbs_body raw = *declared;
      if (joint->initial_position_count) raw.given.position = raw.given.angle = raw.given.turns = false;
      if (joint->initial_velocity_count) raw.given.velocity = raw.given.angular_velocity = false;
      if (keeps_declared_turn(joint)) raw.given.angle = raw.given.turns = false;
      apply_declared(&raw, initial, pose);
    }
  }
  if (floats) model->kernels->floating(pose, q, v);
}

/* Returns the value of a primitive of angles at the declared angles. */
static double declared_value(const mbs_binder *binder, const mbs_block *block, const mbs_block_constants *numbers) {
  const mbs_model *model = binder->model;
  const int frames[] = {block->frames.body1, block->frames.body2};
  mbs_pose poses[2] = {{.angle = 0}, {.angle = 0}};
  double value[3], rate[3];
  for (int side = 0; side < 2; side++) {
    if (model->bodies[frames[side]].given.angle)
      poses[side].angle = binder->constants->bodies[frames[side]].initial.angle;
  }
  model->kernels->primitive(block, numbers, &poses[0], &poses[1], value, rate);
  return value[0];
}

/* Sets the start of the angles of a coordinate, or of a row of a joint (NULL: of no joint). */
static void start_angles(const mbs_binder *binder, const mbs_joint *joint, const mbs_block *block,
                         mbs_block_constants *numbers) {
  const mbs_model *model = binder->model;
  mbs_pose first = binder->constants->poses[block->frames.body1],
           second = binder->constants->poses[block->frames.body2];
  if (!model->kernels->start_angles) return;
  if (block->primitive == MBS_PRIMITIVE_ANGLE) { /* counted from the declared orientation */
    if (model->bodies[block->frames.body1].given.angle) memset(first.turns, 0, sizeof first.turns);
    if (model->bodies[block->frames.body2].given.angle) memset(second.turns, 0, sizeof second.turns);
  }
  model->kernels->start_angles(block, numbers, &first, &second, numbers->start);
  if (joint && (size_t)block->number < joint->initial_position_count)
    numbers->start[0] = mbs_joint_numbers(binder->constants, joint)->initial_position[block->number];
}

/* Returns the constant of a row of a cut joint. */
static double row_constant(mbs_binder *binder, const mbs_joint *joint, const mbs_block *block,
                           const mbs_block_constants *numbers) {
  const mbs_row *row = block->row;
  const mbs_pose *poses = binder->constants->poses;
  double value[3], rate[3];
  switch (row->constant) {
  case MBS_CONSTANT_ZERO: return 0;
  case MBS_CONSTANT_ROLL: return mbs_joint_numbers(binder->constants, joint)->slide0;
  case MBS_CONSTANT_FIELD: return mbs_read_number(binder, joint->node, row->field);
  case MBS_CONSTANT_COSINE: return cos(mbs_read_number(binder, joint->node, row->field));
  case MBS_CONSTANT_FIELD_OR_INITIAL:
    if (mbs_read_given(joint->node, row->field)) return mbs_read_number(binder, joint->node, row->field);
    break;
  case MBS_CONSTANT_DECLARED: return declared_value(binder, block, numbers);
  case MBS_CONSTANT_INITIAL: break;
  }
  binder->model->kernels->primitive(block, numbers, &poses[block->frames.body1], &poses[block->frames.body2], value,
                                    rate);
  if (row->primitive == MBS_PRIMITIVE_DISTANCE && !(value[0] > 0))
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, joint->pointer,
                 "the points of '%s' coincide at the start, so they do not determine its length; give 'length'",
                 joint->name);
  return value[0];
}

/* Sets the numbers of a block from its row, without its constant. `node`: the node with the fields that the row
 * names. */
static mbs_block_constants *open_block(mbs_binder *binder, const mbs_block *block, const mbs_node *node) {
  mbs_block_constants *out = &binder->constants->blocks[block->numbers];
  const mbs_row *row = block->row;
  *out = row_constants(row);
  if (block->joint >= 0)
    out->geometry = binder->constants->joints[block->joint].geometry;
  else
    mbs_frames_geometry(binder->constants, &block->frames, &out->geometry);
  if (block->axis) mbs_axis_numbers(binder, block->axis, &out->geometry);
  if (row->weight1_field && node) out->weight1 *= mbs_read_number(binder, node, row->weight1_field);
  if (row->weight2_field && node) out->weight2 *= mbs_read_number(binder, node, row->weight2_field);
  mbs_row_vectors(row, &out->geometry);
  return out;
}

static void coordinate_numbers(mbs_binder *binder, const mbs_block *block) {
  mbs_block_constants *out = open_block(binder, block, NULL);
  const mbs_joint *joint = block->of_joint >= 0 ? &binder->model->joints[block->of_joint] : NULL;
  if (joint && block->primitive == MBS_PRIMITIVE_ANGLE)
    out->constant = mbs_joint_numbers(binder->constants, joint)->angle0;
  start_angles(binder, joint, block, out);
}

static void row_numbers(mbs_binder *binder, const mbs_joint *joint, const mbs_block *block) {
  mbs_block_constants *out = open_block(binder, block, joint->node);
  out->constant = row_constant(binder, joint, block, out);
  if (joint->cls->start)
    joint->cls->start(binder, joint, binder->constants->joint_data[joint - binder->model->joints], out->start);
  else
    start_angles(binder, joint, block, out);
}

/* Sets value and rate of an added driver to those of its coordinate at the start. */
static void added_driver_numbers(const mbs_binder *binder, const mbs_driver *driver) {
  const mbs_model *model = binder->model;
  const mbs_block *block = &model->blocks[driver->block];
  const mbs_joint *joint = &model->joints[block->of_joint];
  const mbs_joint_constants *numbers = mbs_joint_numbers(binder->constants, joint);
  const size_t k = (size_t)block->number;
  const mbs_pose *poses = binder->constants->poses;
  double *data = binder->constants->functions[model->functions[block->function].number].data;
  data[0] =
      coordinate_between(binder, joint, numbers, k, &poses[joint->frames.body1], &poses[joint->frames.body2], &data[1]);
  if (k < joint->initial_position_count) data[0] = numbers->initial_position[k];
  if (k < joint->initial_velocity_count) data[1] = numbers->initial_velocity[k];
}

void mbs_start_numbers(mbs_binder *binder) {
  const mbs_model *model = binder->model;
  mbs_constants *constants = binder->constants;
  for (size_t b = 0; b <= model->nB; b++) constants->poses[b] = (mbs_pose){.p = {1}};
  for (size_t j = 0; j < model->joint_count; j++) set_zero(binder, &model->joints[j], &constants->joints[j]);
  for (size_t i = 0; i < model->nB; i++) start_of_body(binder, model->start_order[i]);
  for (size_t p = 0; p < model->path_count; p++) mbs_strand_path_start(binder, (int)p);
  for (size_t c = 0; c < model->coordinate_count; c++) coordinate_numbers(binder, &model->coordinates[c]);
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++)
      row_numbers(binder, joint, &model->blocks[b]);
  }
  for (size_t d = model->driver_count - model->added_drivers; d < model->driver_count; d++)
    added_driver_numbers(binder, &model->drivers[d]);
  mbs_measure_extent(constants);
  model->kernels->bind(constants);
}
