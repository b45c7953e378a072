/* Forces between the teeth of gears, and the multipliers that bear them:
 *
 *     C' x = -sum of B' (W - D' borne),   borne = lambda + x,   S x = -C M^-1 sum of B' (W - D' borne)
 *
 * W depends on the multipliers of the gears. If the rows are independent, x does not change these, and one solution is
 * exact; otherwise the solution is repeated. */
#include "equations/teeth.h"

#include "base/message.h"
#include "base/norms.h"
#include "base/rotation.h"
#include "equations/elimination.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPETITION_STEPS = 50 };
/* Change of the multipliers of gears, as a share of the largest multiplier, that ends the repetition; chosen: rounding
 * of the solution. */
static const double borne_goal = 1e-13;

bool mbs_teeth_open(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_arena *arena = system->arena;
  bool any = false;
  for (size_t j = 0; j < model->joint_count; j++) any |= model->joints[j].cls->tooth_force != NULL;
  system->borne = system->lambda;
  system->teeth = NULL;
  if (!any) return true;
  mbs_teeth *teeth = mbs_arena_alloc(arena, 1, sizeof *teeth);
  if (!teeth) return false;
  *teeth = (mbs_teeth){.forces = mbs_arena_alloc(arena, model->joint_count, sizeof *teeth->forces),
                       .sides = mbs_arena_alloc(arena, model->joint_count, sizeof *teeth->sides),
                       .push = mbs_arena_alloc(arena, model->nv + 1, sizeof(double)),
                       .row = mbs_arena_alloc(arena, model->nv + 1, sizeof(double)),
                       .missing = mbs_arena_alloc(arena, model->rows + 1, sizeof(double))};
  system->borne = mbs_arena_alloc(arena, model->rows + 1, sizeof *system->borne);
  system->teeth = teeth;
  return teeth->forces && teeth->sides && teeth->push && teeth->row && teeth->missing && system->borne;
}

/* Adds B' (W - D' lambda) of a joint to teeth->push. */
static void add_push(mbs_system *system, const mbs_joint *joint, const mbs_tooth_force *tooth, double lambda) {
  enum { WIDTH_MAX = 6 };
  const mbs_model *model = system->model;
  const mbs_block *block = &model->blocks[joint->first_block];
  const int width = model->kernels->width, *pattern = model->pattern + block->pattern0;
  const double *D = system->D + block->d0;
  double wrench[2 * WIDTH_MAX];
  for (int b = 0; b < joint->body_count; b++) {
    const double sign = joint->bodies[b] == joint->frames.body2 ? 1 : -1;
    double *own = wrench + b * width, arm[3], moment[3];
    mbs_rigid_motion at;
    model->kernels->motion(system, joint->bodies[b], &at);
    for (int k = 0; k < 3; k++) arm[k] = tooth->at[k] - at.r[k];
    mbs_cross(arm, tooth->force, moment);
    /* (f, (p - r) x f) - D' lambda */
    for (int k = 0; k < model->dim; k++) own[k] = sign * tooth->force[k];
    for (int k = model->dim; k < width; k++) own[k] = sign * moment[width == 3 ? 2 : k - 3];
    for (int k = 0; k < width; k++) own[k] -= D[b * width + k] * lambda;
  }
  model->kernels->along_paths(system, block, wrench, system->teeth->row);
  for (int c = 0; c < block->columns; c++) system->teeth->push[pattern[c]] += system->teeth->row[c];
}

/* Computes the tooth forces for system->borne, and the sum of B' (W - D' borne) in teeth->push. */
static void push_teeth(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_teeth *teeth = system->teeth;
  memset(teeth->push, 0, model->nv * sizeof *teeth->push);
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (!joint->cls->tooth_force) continue;
    assert(joint->row_count == 1);
    const double lambda = system->borne[joint->first_row];
    const double side = teeth->sides[j] != 0 ? teeth->sides[j] : lambda < 0 ? -1 : 1;
    joint->cls->tooth_force(system, joint, lambda, side, &teeth->forces[j]);
    add_push(system, joint, &teeth->forces[j], lambda);
  }
}

void mbs_teeth_bear(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_teeth *teeth = system->teeth;
  if (!teeth) return;
  memcpy(system->borne, system->lambda, model->rows * sizeof *system->borne);
  for (int repetition = 0; repetition < REPETITION_STEPS; repetition++) {
    double change = 0;
    push_teeth(system);
    /* S x = -C M^-1 push */
    mbs_solve_force_multipliers(system, teeth->push, teeth->missing);
    for (size_t r = 0; r < model->rows; r++) teeth->missing[r] = system->lambda[r] - teeth->missing[r];
    for (size_t j = 0; j < model->joint_count; j++) {
      const int row = model->joints[j].first_row;
      if (model->joints[j].cls->tooth_force) change = fmax(change, fabs(teeth->missing[row] - system->borne[row]));
    }
    memcpy(system->borne, teeth->missing, model->rows * sizeof *system->borne);
    if (!(change > borne_goal * mbs_largest(system->borne, model->rows))) return;
  }
}

void mbs_read_reactions(mbs_system *system) {
  mbs_teeth_bear(system);
  system->model->kernels->reactions(system);
}

bool mbs_teeth_hold(mbs_system *system, bool held) {
  const mbs_model *model = system->model;
  bool differs = false;
  for (size_t j = 0; j < model->joint_count && system->teeth; j++) {
    if (!model->joints[j].cls->tooth_force) continue;
    const double side = system->borne[model->joints[j].first_row] < 0 ? -1 : 1;
    differs |= system->teeth->sides[j] * side < 0;
    system->teeth->sides[j] = held ? side : 0;
  }
  return differs;
}

mbs_status mbs_teeth_check(mbs_system *system, double slack) {
  const mbs_model *model = system->model;
  for (size_t j = 0; j < model->joint_count && system->teeth; j++) {
    const mbs_joint *joint = &model->joints[j];
    char why[300];
    if (!joint->cls->fits || joint->cls->fits(system, joint, slack, why, sizeof why)) continue;
    mbs_error *error = system->error;
    if (!error || error->message[0]) return MBS_GEAR_GEOMETRY;
    *error = (mbs_error){.status = MBS_GEAR_GEOMETRY, .time = system->t};
    snprintf(error->element, sizeof error->element, "%s", joint->name);
    mbs_message(error->message, sizeof error->message, "at t = %.9g %s", system->t, why);
    return MBS_GEAR_GEOMETRY;
  }
  return MBS_OK;
}
