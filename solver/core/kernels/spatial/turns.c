/* Angles that include full revolutions. An orientation determines an angle up to full revolutions. Known properties of
 * the motion select the value. The previous value alone is not sufficient, because a step may include many revolutions.
 *
 *     driver                 its function of time
 *     joint in the tree      the joint's coordinate
 *     within an integration  the integral of its rate, which the integrator computes
 *                            (mbs_kernels.expect_integrated_angles)
 *     otherwise              the stored position, and the rotations of the bodies since then: from the coordinates
 *                            of the joints that carry them; for Euler parameters the rotation nearest to
 *                            their velocity times the time */
#include "kernels/spatial/spatial.h"

#include <assert.h>
#include <string.h>

/* Angle number k of a primitive as a separate primitive. */
typedef struct one_angle {
  mbs_block block;
  mbs_block_constants numbers;
} one_angle;

static one_angle angle_of(const mbs_block *block, const mbs_block_constants *numbers, int k) {
  one_angle angle = {*block, *numbers};
  if (angle.block.primitive == MBS_PRIMITIVE_ALONG) angle.block.primitive = MBS_PRIMITIVE_TURN;
  angle.block.scaled = false;
  angle.numbers.scale = 1;
  angle.numbers.constant = 0;
  angle.numbers.weight1 = k == 0;
  angle.numbers.weight2 = k == 1;
  return angle;
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

/* Assigns indices to the angles of blocks with a function of time, or of those without. */
static size_t number(const mbs_model *model, mbs_block *blocks, size_t count, bool driven, size_t next) {
  for (size_t b = 0; b < count; b++) {
    int own = spatial_in_tree(model, &blocks[b]) ? 0 : spatial_turn_count(&blocks[b]);
    if ((blocks[b].function >= 0) != driven || own == 0) continue;
    blocks[b].turns = (int)next;
    next += (size_t)own;
  }
  return next;
}

void spatial_number_turns(mbs_model *model, spatial_data *data) {
  size_t count = number(model, model->blocks, model->block_count, false, 0);
  data->integrated_angles = number(model, model->coordinates, model->coordinate_count, false, count);
  data->turn_count = number(model, model->blocks, model->block_count, true, data->integrated_angles);
}

static void start_blocks(const mbs_constants *constants, const mbs_block *blocks, size_t count, double *turns) {
  for (size_t b = 0; b < count; b++)
    if (blocks[b].turns >= 0)
      memcpy(turns + blocks[b].turns, constants->blocks[blocks[b].numbers].start,
             (size_t)spatial_turn_count(&blocks[b]) * sizeof *turns);
}

bool spatial_open_turns(const mbs_constants *constants, mbs_arena *arena, spatial_workspace *workspace) {
  const mbs_model *model = constants->model;
  const spatial_data *data = model->kernel_data;
  workspace->turns = mbs_arena_alloc(arena, data->turn_count + 1, sizeof *workspace->turns);
  workspace->turn_rates = mbs_arena_alloc(arena, data->turn_count + 1, sizeof *workspace->turn_rates);
  workspace->turn_drifts = mbs_arena_alloc(arena, data->turn_count + 1, sizeof *workspace->turn_drifts);
  workspace->kept_q = mbs_arena_alloc(arena, model->nq + 1, sizeof *workspace->kept_q);
  workspace->kept_v = mbs_arena_alloc(arena, model->nv + 1, sizeof *workspace->kept_v);
  if (!workspace->turns || !workspace->turn_rates || !workspace->turn_drifts || !workspace->kept_q ||
      !workspace->kept_v)
    return false;
  memcpy(workspace->kept_q, constants->q0, model->nq * sizeof *workspace->kept_q);
  workspace->kept_t = model->t_start;
  start_blocks(constants, model->blocks, model->block_count, workspace->turns);
  start_blocks(constants, model->coordinates, model->coordinate_count, workspace->turns);
  return true;
}

/* ---- the start ------------------------------------------------------------------------------------------------ */

/* Returns the full revolutions about the unit vector u of revolutions about another axis: none if the axes differ by
 * more than an assembly may correct. theory (13.7) */
static double turns_about(const double turns[3], const double u[3]) {
  static const double same_axis = 0.9;
  double length = sqrt(mbs_dot(turns, turns)), along = mbs_dot(turns, u);
  return fabs(along) > same_axis * length ? mbs_unwrap_angle(0, copysign(length, along)) : 0;
}

/* Returns the full revolutions of poses about the axis of an angle that their Euler parameters do not include. */
static double turns_beyond(const one_angle *angle, const mbs_pose *first, const mbs_pose *second) {
  const mbs_geometry *at = &angle->numbers.geometry;
  double A[9], axis[3], turns[3];
  if (angle->block.primitive == MBS_PRIMITIVE_ANGLE) { /* relative to the ground */
    const mbs_pose *pose = angle->numbers.weight1 != 0 ? first : second;
    return turns_about(pose->turns, angle->numbers.weight1 != 0 ? at->w1 : at->w2);
  }
  bool on_second = angle->block.primitive == MBS_PRIMITIVE_CROSS2;
  mbs_euler_matrix(on_second ? second->p : first->p, A);
  mbs_rotate(A, on_second ? at->u2 : at->u1, axis);
  for (int k = 0; k < 3; k++) turns[k] = second->turns[k] - first->turns[k];
  return turns_about(turns, axis);
}

/* theory (13.7) */
void spatial_start_angles(const mbs_block *block, const mbs_block_constants *numbers, const mbs_pose *first,
                          const mbs_pose *second, double start[2]) {
  for (int k = 0; k < spatial_turn_count(block); k++) {
    if (block->primitive == MBS_PRIMITIVE_CUSTOM) return; /* the class of the joint sets the start */
    const one_angle angle = angle_of(block, numbers, k);
    double value[3], rate[3];
    mbs_spatial_kernels.primitive(&angle.block, &angle.numbers, first, second, value, rate);
    /* less(theta) + 2 pi n */
    start[k] = mbs_wrap_angle(value[0]) + turns_beyond(&angle, first, second);
  }
}

/* Sets the start of the count for a cut driven screw to that of its driver, unless the document gives it. */
void spatial_begin(mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t d = 0; d < model->driver_count; d++) {
    const mbs_block *driven = &model->blocks[model->drivers[d].block];
    const mbs_joint *joint = driven->of_joint >= 0 ? &model->joints[driven->of_joint] : NULL;
    if (!joint || joint->in_tree || !joint->shape->pitch || joint->initial_position_count > 0) continue;
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++)
      if (model->blocks[b].turns >= 0)
        spatial_of(system)->turns[model->blocks[b].turns] = system->functions[3 * driven->function];
  }
}

/* Sets the full revolutions of a driven joint to those of its driver; orientations determine its angle up to full
 * revolutions. Revolutions of a joint with a pitch are different positions and do not change. */
void spatial_set_driven_revolutions(const mbs_system *system, double *q) {
  const mbs_model *model = system->model;
  for (size_t d = 0; d < model->driver_count; d++) {
    const mbs_block *angle = &model->blocks[model->drivers[d].block];
    const mbs_joint *joint = angle->of_joint >= 0 ? &model->joints[angle->of_joint] : NULL;
    if (spatial_turn_count(angle) == 0 || !joint || !joint->in_tree || joint->shape->pitch) continue;
    double *turn = &q[joint->first_q + angle->number];
    *turn = mbs_unwrap_angle(*turn, system->functions[3 * angle->function]);
  }
}

/* ---- the present value ----------------------------------------------------------------------------------------- */

/* Computes the rotation vector from the Euler parameters `kept` to p: of those that differ by full revolutions about
 * its axis the one nearest to `foretold`. theory (13.4) */
static void rotation_since(const double p[4], const double kept[4], const double foretold[3], double out[3]) {
  static const double no_axis = 1e-12;
  double back[4], turn[4], axis[3];
  /* p p_kept^-1 = (cos(psi/2), sin(psi/2) axis) */
  mbs_euler_inverse(kept, back);
  mbs_euler_product(p, back, turn);
  double sine = sqrt(mbs_dot(turn + 1, turn + 1)), length = sqrt(mbs_dot(foretold, foretold)), angle = 0;
  for (int k = 0; k < 3; k++) axis[k] = sine > no_axis ? turn[k + 1] / sine : length > 0 ? foretold[k] / length : 0;
  if (sine > no_axis) angle = mbs_wrap_angle(2 * atan2(sine, turn[0]));
  angle = mbs_unwrap_angle(angle, mbs_dot(foretold, axis));
  for (int k = 0; k < 3; k++) out[k] = angle * axis[k];
}

/* Computes the rotation of a body by its joint since the stored position: at most three angles, along the columns of
 * its rotations. Returns their number. */
static int turned_by_joint(const mbs_system *system, const spatial_joint *joint, double out[3]) {
  const spatial_workspace *workspace = spatial_of(system);
  int q = joint->q + joint->slide_count, v = joint->v + joint->slide_count;
  if (joint->motion == SPATIAL_TURN || joint->motion == SPATIAL_CROSS) {
    int turns = joint->motion == SPATIAL_TURN ? 1 : 2;
    for (int k = 0; k < turns; k++) out[k] = system->q[q + k] - workspace->kept_q[q + k];
    return turns;
  }
  if (joint->motion != SPATIAL_BALL && joint->motion != SPATIAL_FLOAT) return 0;
  /* foretold: h omega_kept */
  double h = system->t - workspace->kept_t, foretold[3];
  for (int k = 0; k < 3; k++) foretold[k] = h * workspace->kept_v[v + k];
  rotation_since(system->q + q, workspace->kept_q + q, foretold, out);
  return 3;
}

/* Computes the rotation of a body since the stored position, to first order: exact if axes keep their directions.
 * theory (13.3) */
static void body_rotation_since(const mbs_system *system, int body, double out[3]) {
  const mbs_model *model = system->model;
  const spatial_workspace *workspace = spatial_of(system);
  for (; body; body = model->parent[body]) {
    const spatial_joint *joint = &spatial_joints(model)[body];
    const spatial_column *columns = workspace->columns + joint->v + joint->slide_count;
    double turned[3];
    int turns = turned_by_joint(system, joint, turned);
    /* psi += Delta theta_k w_k */
    for (int k = 0; k < turns; k++)
      for (int i = 0; i < 3; i++) out[i] += turned[k] * columns[k].w[i];
  }
}

/* theta* = theta_kept + D1 psi1 + D2 psi2 */
void spatial_kept_turns(const mbs_system *system, const mbs_block *block, spatial_near *near) {
  const spatial_workspace *workspace = spatial_of(system);
  memcpy(near->angle, workspace->turns + block->turns, (size_t)spatial_turn_count(block) * sizeof(double));
  if (workspace->expected) return;
  body_rotation_since(system, block->frames.body1, near->moved1);
  body_rotation_since(system, block->frames.body2, near->moved2);
}

/* theta* = theta_kept + sum of D_i^omega psi_i + h sum of D_i^v v_i,kept; an integration knows theta*. theory (13.8) */
double spatial_unwrap_row_angle(const mbs_system *system, const mbs_joint *joint, const mbs_custom_row *row) {
  const spatial_workspace *workspace = spatial_of(system);
  const int at = system->model->blocks[joint->first_block].turns + row->number;
  double expected = workspace->turns[at];
  if (!workspace->expected) {
    expected += (system->t - workspace->kept_t) * workspace->turn_drifts[at];
    for (int b = 0; b < joint->body_count; b++) {
      double moved[3] = {0};
      body_rotation_since(system, joint->bodies[b], moved);
      expected += mbs_dot(row->D + 6 * b + 3, moved);
    }
  }
  return mbs_unwrap_angle(row->value, expected);
}

/* Returns the value (level 0) or rate (1) of angle number k of a row of a joint's class. `drift`, unless NULL, becomes
 * the part of the rate that is due to translations. */
static double read_own_turn(const mbs_system *system, const mbs_joint *joint, int k, int level, double *drift) {
  enum { BODIES = 2 };
  const spatial_body *bodies = spatial_of(system)->bodies;
  double D[6 * BODIES] = {0}, spin = 0, shift = 0;
  mbs_custom_row row = {.number = k, .D = D};
  assert(joint->body_count <= BODIES);
  joint->cls->angle(system, joint, &row);
  if (level == 0) return spatial_unwrap_row_angle(system, joint, &row);
  for (int b = 0; b < joint->body_count; b++) {
    shift += mbs_dot(D + 6 * b, bodies[joint->bodies[b]].v);
    spin += mbs_dot(D + 6 * b + 3, bodies[joint->bodies[b]].w);
  }
  if (drift) *drift = shift;
  return shift + spin;
}

/* ---- between states -------------------------------------------------------------------------------------------- */

/* Returns the value (level 0) or rate (1) of angle number k of a block. */
static double read_turn(const mbs_system *system, const mbs_block *block, int k, int level) {
  if (block->primitive == MBS_PRIMITIVE_CUSTOM) return read_own_turn(system, block->custom, k, level, NULL);
  const spatial_body *bodies = spatial_of(system)->bodies;
  const one_angle angle = angle_of(block, mbs_block_numbers(system, block), k);
  spatial_primitive at[3];
  spatial_primitive_now(system, &angle.block, &angle.numbers, at);
  if (level == 0) return at[0].g;
  return mbs_dot(at[0].w1, bodies[block->frames.body1].w) + mbs_dot(at[0].w2, bodies[block->frames.body2].w);
}

/* Computes the angles of blocks (level 0), or their rates (1), for indices before `end`. */
static void read_blocks(const mbs_system *system, const mbs_block *blocks, size_t count, int level, size_t end,
                        double *out) {
  for (size_t b = 0; b < count; b++) {
    int own = blocks[b].turns >= 0 && (size_t)blocks[b].turns < end ? spatial_turn_count(&blocks[b]) : 0;
    for (int k = 0; k < own; k++) out[blocks[b].turns + k] = read_turn(system, &blocks[b], k, level);
  }
}

static void read_angles(const mbs_system *system, int level, size_t end, double *out) {
  const mbs_model *model = system->model;
  read_blocks(system, model->blocks, model->block_count, level, end, out);
  read_blocks(system, model->coordinates, model->coordinate_count, level, end, out);
}

/* Computes the drifts of the angles of rows of joints' classes; those of primitives are 0. */
static void read_drifts(const mbs_system *system, double *out) {
  for (size_t b = 0; b < system->model->block_count; b++) {
    const mbs_block *block = &system->model->blocks[b];
    for (int k = 0; block->primitive == MBS_PRIMITIVE_CUSTOM && k < spatial_turn_count(block); k++)
      (void)read_own_turn(system, block->custom, k, 1, out + block->turns + k);
  }
}

void spatial_remember(mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_data *data = model->kernel_data;
  spatial_workspace *workspace = spatial_of(system);
  read_angles(system, 0, data->turn_count, workspace->turns);
  read_angles(system, 1, data->turn_count, workspace->turn_rates);
  read_drifts(system, workspace->turn_drifts);
  memcpy(workspace->kept_q, system->q, model->nq * sizeof *system->q);
  memcpy(workspace->kept_v, system->v, model->nv * sizeof *system->v);
  workspace->kept_t = system->t;
  workspace->expected = false;
}

void spatial_visit_remembered(mbs_system *system, void (*visit)(void *context, void *data, size_t size),
                              void *context) {
  const mbs_model *model = system->model;
  const size_t angles = ((const spatial_data *)model->kernel_data)->turn_count;
  spatial_workspace *workspace = spatial_of(system);
  visit(context, workspace->turns, angles * sizeof *workspace->turns);
  visit(context, workspace->turn_rates, angles * sizeof *workspace->turn_rates);
  visit(context, workspace->turn_drifts, angles * sizeof *workspace->turn_drifts);
  visit(context, workspace->kept_q, model->nq * sizeof *workspace->kept_q);
  visit(context, workspace->kept_v, model->nv * sizeof *workspace->kept_v);
  visit(context, &workspace->kept_t, sizeof workspace->kept_t);
  visit(context, &workspace->expected, sizeof workspace->expected);
}

static bool blocks_certain(const mbs_system *system, const mbs_block *blocks, size_t count) {
  const spatial_workspace *workspace = spatial_of(system);
  double h = system->t - workspace->kept_t;
  for (size_t b = 0; b < count; b++)
    for (int k = 0; k < spatial_turn_count(&blocks[b]) && blocks[b].turns >= 0; k++) {
      int at = blocks[b].turns + k;
      /* Delta theta, h theta' then and now */
      double change = read_turn(system, &blocks[b], k, 0) - workspace->turns[at];
      if (!mbs_turn_certain(change, h * workspace->turn_rates[at], h * read_turn(system, &blocks[b], k, 1)))
        return false;
    }
  return true;
}

/* Tests the angles that are coordinates: Newton's iteration may have found a value that differs by revolutions. */
static bool coordinates_certain(const mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_workspace *workspace = spatial_of(system);
  double h = system->t - workspace->kept_t;
  for (size_t b = 1; b <= model->nB; b++) {
    const spatial_joint *joint = &spatial_joints(model)[b];
    int turns = joint->motion == SPATIAL_TURN ? 1 : joint->motion == SPATIAL_CROSS ? 2 : 0;
    for (int k = joint->slide_count; k < joint->slide_count + turns; k++) {
      /* Delta theta, h theta' then and now */
      double change = system->q[joint->q + k] - workspace->kept_q[joint->q + k];
      if (!mbs_turn_certain(change, h * workspace->kept_v[joint->v + k], h * system->v[joint->v + k])) return false;
    }
  }
  return true;
}

bool spatial_revolutions_certain(const mbs_system *system) {
  const mbs_model *model = system->model;
  return coordinates_certain(system) && blocks_certain(system, model->blocks, model->block_count) &&
         blocks_certain(system, model->coordinates, model->coordinate_count);
}

size_t spatial_integrated_angles(const mbs_model *model) {
  return ((const spatial_data *)model->kernel_data)->integrated_angles;
}

void spatial_read_integrated_angles(const mbs_system *system, int level, double *out) {
  read_angles(system, level, spatial_integrated_angles(system->model), out);
}

void spatial_expect_integrated_angles(mbs_system *system, const double *turns) {
  spatial_workspace *workspace = spatial_of(system);
  memcpy(workspace->turns, turns, spatial_integrated_angles(system->model) * sizeof *turns);
  workspace->expected = true;
}
