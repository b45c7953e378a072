/* Where a model starts: poses of the bodies from the initial values of bodies and joints, along the tree. Where both
 * are given for a freedom, the joint's counts (model-format.md). */
#include "base/rotation.h"
#include "builder/builder.h"
#include "equations/system.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Where the coordinates of a joint are zero: what follows from vectors and from declared initial angles. */
static void set_zero(const mbs_builder *builder, mbs_joint *joint) {
  const mbs_body *first = &builder->model->bodies[joint->frames.body1],
                 *second = &builder->model->bodies[joint->frames.body2];
  double declared1 = first->given.angle ? first->initial.angle : 0;
  double declared2 = second->given.angle ? second->initial.angle : 0;
  const double *u1 = joint->frames.u1, *u2 = joint->frames.u2;
  for (size_t r = 0; r < joint->shape->row_count; r++) {
    if (joint->shape->rows[r].primitive == MBS_PRIMITIVE_PARALLEL) /* the second vector is kept along the first */
      joint->angle0 = atan2(u1[1] * u2[0] - u1[0] * u2[1], u1[0] * u2[0] + u1[1] * u2[1]);
    if (joint->shape->rows[r].primitive == MBS_PRIMITIVE_ANGLE) joint->angle0 = declared2 - declared1;
  }
  if (joint->roll == 0) return;
  joint->angle0 = declared2;
  joint->slide0 = joint->roll * declared2;
  if (second->given.position) { /* of the centre P2 along u1 from P1; left out: above P1 */
    double c = cos(declared2), s = sin(declared2);
    double x = second->initial.r[0] + c * joint->frames.s2[0] - s * joint->frames.s2[1] - joint->frames.s1[0];
    double y = second->initial.r[1] + s * joint->frames.s2[0] + c * joint->frames.s2[1] - joint->frames.s1[1];
    joint->slide0 += u1[0] * x + u1[1] * y;
  }
}

/* What a body's `initial` says of it overrides `pose`. */
static void apply_declared(const mbs_body *body, mbs_pose *pose) {
  if (body->given.position) memcpy(pose->r, body->initial.r, sizeof pose->r);
  if (body->given.angle) {
    pose->angle = body->initial.angle;
    memcpy(pose->p, body->initial.p, sizeof pose->p);
  }
  if (body->given.turns) memcpy(pose->turns, body->initial.turns, sizeof pose->turns);
  if (body->given.velocity) memcpy(pose->v, body->initial.v, sizeof pose->v);
  if (body->given.angular_velocity) memcpy(pose->omega, body->initial.omega, sizeof pose->omega);
}

/* v of a ball from the rates of its Euler parameters: the relative angular velocity, 2 E p'. */
static void ball_velocity(const double p[4], const double rate[4], double v[3]) {
  double back[4], product[4];
  mbs_euler_inverse(p, back);
  mbs_euler_product(rate, back, product);
  for (int k = 0; k < 3; k++) v[k] = 2 * product[k + 1];
}

/* In space orientations leave whole turns of a driven angle open: it begins at the one nearest to its driver, and what
 * counts its turns, too. */
static double nearest_to_driver(mbs_builder *builder, const mbs_joint *joint, size_t coordinate, double turn) {
  const mbs_model *model = builder->model;
  for (size_t d = 0; d < model->driver_count && model->kernels->take_turns; d++) {
    const mbs_block *driven = model->drivers[d].block < 0 ? NULL : &model->coordinates[model->drivers[d].block];
    if (!driven || driven->of_joint != joint - model->joints || driven->number != (int)coordinate ||
        driven->function < 0)
      continue;
    const mbs_function *function = &model->functions[driven->function];
    mbs_system probe = {.model = model, .t_left = INFINITY}; /* all that a function of time asks for */
    double value[3] = {NAN};
    probe.slots = mbs_builder_alloc(builder, model->slot_max, sizeof *probe.slots);
    if (probe.slots) function->cls->value(&probe, function, model->t_start, value);
    return isfinite(value[0]) ? mbs_nearest_turn(turn, value[0]) : turn;
  }
  return turn;
}

/* Coordinates of the joint that carries `body`: the joint's own initial values, else those that the body's declared
 * pose gives, else 0. */
static void start_of_joint(mbs_builder *builder, int body, int parent, const mbs_joint *joint, double *q, double *v) {
  const mbs_model *model = builder->model;
  const mbs_body *declared = &model->bodies[body];
  bool reversed = joint->frames.body1 == body;
  mbs_pose child;
  size_t n = joint->shape->coordinate_count, velocities = mbs_velocity_count(joint->shape);
  double rates[MBS_COORDINATES_MAX] = {0};
  memset(q, 0, 7 * sizeof *q);
  memset(v, 0, 6 * sizeof *v);
  if (velocities < n) q[n - 4] = 1; /* Euler parameters of no rotation */
  model->kernels->carry(joint, reversed, &builder->poses[parent], q, v, &child);
  memcpy(child.turns, builder->poses[parent].turns, sizeof child.turns);
  apply_declared(declared, &child);
  const mbs_pose *first = reversed ? &child : &builder->poses[parent],
                 *second = reversed ? &builder->poses[parent] : &child;
  for (size_t k = 0; k < n; k++) {
    const mbs_row *row = &joint->shape->coordinates[k];
    bool turn = mbs_is_turn(row->primitive);
    mbs_block block = mbs_block_of(builder, row, &joint->frames, NULL);
    block.constant = turn ? joint->angle0 : 0;
    double value[3], rate[3];
    model->kernels->primitive(&block, first, second, value, rate);
    if (model->kernels->start_turns) model->kernels->start_turns(&block, first, second, value);
    if (turn ? declared->given.angle : declared->given.position) q[k] = value[0];
    if (turn ? declared->given.angular_velocity : declared->given.velocity) rates[k] = rate[0];
    if (k < joint->initial_position_count) q[k] = joint->initial_position[k];
    if (turn && row->primitive != MBS_PRIMITIVE_EULER) q[k] = nearest_to_driver(builder, joint, k, q[k]);
  }
  memcpy(v, rates, velocities * sizeof *v);
  if (velocities < n) {
    mbs_euler_normalize(q + n - 4, q + n - 4);
    ball_velocity(q + n - 4, rates + n - 4, v + n - 4);
  }
  for (size_t k = 0; k < joint->initial_velocity_count; k++) v[k] = joint->initial_velocity[k];
}

static bool keeps_parallel(const mbs_joint *joint) {
  for (size_t r = 0; r < joint->shape->row_count; r++)
    if (joint->shape->rows[r].primitive == MBS_PRIMITIVE_PARALLEL) return true;
  return false;
}

/* Vectors tell an angle up to full turns, and joints Euler parameters up to their sign: of these, those nearest to the
 * declared pose, so that both formulations count and show alike. */
static void choose_turn(const mbs_body *declared, bool reversed, const mbs_pose *pose, mbs_joint *joint) {
  if (!declared->given.angle) return;
  if (keeps_parallel(joint)) {
    double turns = nearbyint((declared->initial.angle - pose->angle) / (2 * pi));
    joint->angle0 += 2 * pi * (reversed ? -turns : turns);
  } else {
    double product = 0;
    for (int k = 0; k < 4; k++) product += declared->initial.p[k] * pose->p[k];
    for (int k = 0; k < 4 && product < 0; k++) joint->frames.zero[k] *= -1;
  }
}

/* Whole turns of the body that a joint carries from its parent: the parent's, and those of the joint's angles. */
static void carry_turns(const mbs_joint *joint, bool reversed, const mbs_pose *parent, const double *q,
                        mbs_pose *child) {
  const mbs_pose *first = reversed ? child : parent, *second = reversed ? parent : child;
  memcpy(child->turns, parent->turns, sizeof child->turns);
  for (size_t k = 0; k < joint->shape->coordinate_count; k++) {
    mbs_primitive primitive = joint->shape->coordinates[k].primitive;
    if (!mbs_is_turn(primitive) || primitive == MBS_PRIMITIVE_EULER) continue;
    bool on_second = primitive == MBS_PRIMITIVE_CROSS2;
    double A[9], axis[3], turns = (reversed ? -1 : 1) * (q[k] - mbs_less_turns(q[k]));
    mbs_euler_matrix(on_second ? second->p : first->p, A);
    mbs_rotate(A, on_second ? joint->frames.u2 : joint->frames.u1, axis);
    for (int i = 0; i < 3; i++) child->turns[i] += turns * axis[i];
  }
}

static void start_of_body(mbs_builder *builder, const mbs_tree_choice *tree, int body) {
  mbs_model *model = builder->model;
  const mbs_body *declared = &model->bodies[body];
  double *q = builder->start[body].q, *v = builder->start[body].v;
  mbs_pose *pose = &builder->poses[body];
  if (tree->carrier[body] < 0) {
    apply_declared(declared, pose);
    model->kernels->floating(pose, q, v);
    return;
  }
  mbs_joint *joint = &model->joints[tree->carrier[body]];
  bool reversed = joint->frames.body1 == body;
  const mbs_pose *parent = &builder->poses[tree->parent[body]];
  start_of_joint(builder, body, tree->parent[body], joint, q, v);
  model->kernels->carry(joint, reversed, parent, q, v, pose);
  choose_turn(declared, reversed, pose, joint);
  model->kernels->carry(joint, reversed, parent, q, v, pose);
  if (model->kernels->start_turns) carry_turns(joint, reversed, parent, q, pose);
  if (!model->body_formulation) return;
  /* Body coordinates start from the declared pose as it is, whether it fits the joint or not. */
  mbs_body raw = *declared;
  if (joint->initial_position_count) raw.given.position = raw.given.angle = raw.given.turns = false;
  if (joint->initial_velocity_count) raw.given.velocity = raw.given.angular_velocity = false;
  apply_declared(&raw, pose);
}

void mbs_initial_poses(mbs_builder *builder, const mbs_tree_choice *tree) {
  mbs_model *model = builder->model;
  builder->poses = mbs_builder_alloc(builder, model->nB + 1, sizeof *builder->poses);
  builder->start = mbs_builder_alloc(builder, model->nB + 1, sizeof *builder->start);
  if (builder->failed) return;
  for (size_t b = 0; b <= model->nB; b++) builder->poses[b].p[0] = 1;
  for (size_t j = 0; j < model->joint_count; j++) set_zero(builder, &model->joints[j]);
  for (size_t i = 0; i < model->nB; i++) start_of_body(builder, tree, tree->order[i]);
  for (size_t c = 0; c < model->coordinate_count; c++) {
    mbs_block *block = &model->coordinates[c];
    if (block->of_joint >= 0 && block->primitive == MBS_PRIMITIVE_ANGLE)
      block->constant = model->joints[block->of_joint].angle0;
    mbs_start_turns(builder, block->of_joint >= 0 ? &model->joints[block->of_joint] : NULL, block);
  }
}

/* The body of the document with this number, when bodies are numbered anew. */
static const mbs_body *declared_body(const mbs_model *model, int number) {
  return &model->bodies[number ? model->user_body[number - 1] : 0];
}

/* A primitive of angles alone, at the declared ones. */
static double declared_value(const mbs_builder *builder, const mbs_block *block) {
  const mbs_model *model = builder->model;
  const int frames[] = {block->frames.body1, block->frames.body2};
  mbs_pose poses[2] = {{.angle = 0}, {.angle = 0}};
  double value[3], rate[3];
  for (int side = 0; side < 2; side++) {
    const mbs_body *body = declared_body(model, frames[side]);
    if (body->given.angle) poses[side].angle = body->initial.angle;
  }
  model->kernels->primitive(block, &poses[0], &poses[1], value, rate);
  return value[0];
}

void mbs_start_turns(const mbs_builder *builder, const mbs_joint *joint, mbs_block *block) {
  const mbs_model *model = builder->model;
  mbs_pose first = builder->poses[block->frames.body1], second = builder->poses[block->frames.body2];
  if (!model->kernels->start_turns) return;
  if (block->primitive == MBS_PRIMITIVE_ANGLE) { /* counted from the declared orientation */
    if (declared_body(model, block->frames.body1)->given.angle) memset(first.turns, 0, sizeof first.turns);
    if (declared_body(model, block->frames.body2)->given.angle) memset(second.turns, 0, sizeof second.turns);
  }
  model->kernels->start_turns(block, &first, &second, block->start);
  if (joint && (size_t)block->number < joint->initial_position_count)
    block->start[0] = joint->initial_position[block->number];
}

double mbs_row_constant(mbs_builder *builder, const mbs_joint *joint, const mbs_row *row, const mbs_block *block) {
  double value[3], rate[3];
  switch (row->constant) {
  case MBS_CONSTANT_ZERO: return 0;
  case MBS_CONSTANT_ROLL: return joint->slide0;
  case MBS_CONSTANT_FIELD: return mbs_read_number(builder, joint->node, row->field);
  case MBS_CONSTANT_COSINE: return cos(mbs_read_number(builder, joint->node, row->field));
  case MBS_CONSTANT_FIELD_OR_INITIAL:
    if (mbs_read_given(joint->node, row->field)) return mbs_read_number(builder, joint->node, row->field);
    break;
  case MBS_CONSTANT_DECLARED: return declared_value(builder, block);
  case MBS_CONSTANT_INITIAL: break;
  }
  builder->model->kernels->primitive(block, &builder->poses[block->frames.body1], &builder->poses[block->frames.body2],
                                     value, rate);
  if (row->primitive == MBS_PRIMITIVE_DISTANCE && !(value[0] > 0))
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, joint->pointer,
                 "the points of '%s' coincide at the start, so its length cannot be taken from there; give 'length'",
                 joint->name);
  return value[0];
}
