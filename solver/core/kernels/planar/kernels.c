/* The table of the planar kernels. */
#include "equations/strands.h"
#include "kernels/planar/planar.h"

#include <assert.h>
#include <math.h>

static planar_body body_at(const mbs_pose *pose) {
  return (planar_body){.c = cos(pose->angle),
                       .s = sin(pose->angle),
                       .phi = pose->angle,
                       .x = pose->r[0],
                       .y = pose->r[1],
                       .vx = pose->v[0],
                       .vy = pose->v[1],
                       .w = pose->omega[2]};
}

/* theory (2.2), (2.4) */
static void carry(const mbs_joint *joint, const mbs_joint_constants *numbers, bool reversed, const mbs_pose *parent,
                  const double *q, const double *v, mbs_pose *child) {
  planar_joint kind = planar_joint_of(joint, reversed);
  planar_constants constants = planar_constants_of(numbers, reversed);
  planar_body from = body_at(parent), to = {0};
  planar_carry(&kind, &constants, &from, q, &to);
  planar_carry_velocity(&kind, &constants, &from, v, &to);
  *child = (mbs_pose){.r = {to.x, to.y, 0}, .angle = to.phi, .v = {to.vx, to.vy, 0}, .omega = {0, 0, to.w}};
}

static void primitive(const mbs_block *block, const mbs_block_constants *numbers, const mbs_pose *first,
                      const mbs_pose *second, double *value, double *rate) {
  planar_body one = body_at(first), two = body_at(second);
  planar_primitive at[2];
  planar_primitive_rows_at(block, numbers, &one, &two, at);
  for (int r = 0; r < planar_primitive_rows(block->primitive); r++) {
    const planar_primitive *m = &at[r];
    /* g, g' = D1 V1 + D2 V2 */
    value[r] = m->g;
    rate[r] = m->d1[0] * one.vx + m->d1[1] * one.vy + m->d1[2] * one.w + m->d2[0] * two.vx + m->d2[1] * two.vy +
              m->d2[2] * two.w;
  }
}

static void floating(const mbs_pose *pose, double *q, double *v) {
  for (int k = 0; k < 2; k++) {
    q[k] = pose->r[k];
    v[k] = pose->v[k];
  }
  q[2] = pose->angle;
  v[2] = pose->omega[2];
}

/* Returns true if a rotor adds to the inertia along a velocity of body i. */
static bool has_rotor(const mbs_model *model, int i) {
  for (size_t k = 0; k < model->rotor_count; k++)
    if (model->rotors[k].velocity >= model->first_v[i] && model->rotors[k].velocity < model->first_v[i + 1])
      return true;
  return false;
}

static bool prepare(mbs_model *model) {
  planar_joint *joints = mbs_arena_alloc(model->arena, model->nB + 1, sizeof *joints);
  if (!joints) return false;
  for (size_t i = 1; i <= model->nB; i++) {
    int j = model->tree_joint[i];
    if (j >= 0)
      joints[i] = planar_joint_of(&model->joints[j], model->joints[j].frames.body1 == (int)i);
    else
      joints[i] = (planar_joint){.motion = PLANAR_FLOAT, .turn_q = 2, .turn_v = 2};
    /* the recursion treats a rotation alone on the condition that D is the inertia of the bodies */
    if (joints[i].motion == PLANAR_TURN && has_rotor(model, (int)i)) joints[i].motion = PLANAR_GENERAL;
    joints[i].parent = model->parent[i];
    assert(joints[i].parent >= 0 && joints[i].parent < (int)i);
    if (joints[i].slide_q >= 0) {
      joints[i].slide_q += model->first_q[i];
      joints[i].slide_v += model->first_v[i];
    }
    if (joints[i].turn_q >= 0) {
      joints[i].turn_q += model->first_q[i];
      joints[i].turn_v += model->first_v[i];
    }
  }
  model->kernel_data = joints;
  return true;
}

static void bind(mbs_constants *constants) {
  const mbs_model *model = constants->model;
  const planar_joint *joints = planar_joints(model);
  planar_constants *out = constants->kernels;
  for (size_t i = 1; i <= model->nB; i++) {
    int j = model->tree_joint[i];
    out[i] = j >= 0 ? planar_constants_of(&constants->joints[j], joints[i].reversed) : (planar_constants){.spx = 0};
    out[i].m = constants->bodies[i].mass;
    out[i].J = constants->bodies[i].inertia[0];
  }
}

static void *workspace(const mbs_constants *constants, mbs_arena *arena) {
  const mbs_model *model = constants->model;
  planar_workspace *workspace = mbs_arena_alloc(arena, 1, sizeof *workspace);
  if (!workspace) return NULL;
  workspace->bodies = mbs_arena_alloc(arena, model->nB + 1, sizeof *workspace->bodies);
  workspace->columns = mbs_arena_alloc(arena, model->nv + 1, sizeof *workspace->columns);
  if (!workspace->bodies || !workspace->columns ||
      (model->recursive && !planar_articulated_open(model, arena, workspace)))
    return NULL;
  workspace->bodies[0].c = 1; /* the ground: at the origin, without motion */
  return workspace;
}

static void pushed(const mbs_system *system, int body, double f[3], double n[3]) {
  const planar_body *b = &planar_of(system)->bodies[body];
  f[0] = b->fx;
  f[1] = b->fy;
  f[2] = n[0] = n[1] = 0;
  n[2] = b->n;
}

/* theory (1.15) */
static void displace(const mbs_model *model, const double *q, const double *dv, double *out) {
  assert(model->nq == model->nv);
  for (size_t i = 0; i < model->nq; i++) out[i] = q[i] + dv[i];
}

/* theory (1.14) */
static void rates(const mbs_model *model, const double *q, const double *v, double *qdot) {
  assert(model->nq == model->nv);
  (void)q;
  for (size_t i = 0; i < model->nq; i++) qdot[i] = v[i];
}

/* Does nothing: planar coordinates have no norm, and angles include their revolutions. */
static void normalize(const mbs_model *model, double *q) {
  (void)model;
  (void)q;
}

/* Angles of bodies are coordinates; only those of the strands of belts and ropes are counted. */
static size_t integrated_angles(const mbs_model *model) { return model->strand_turns; }

const mbs_kernels mbs_planar_kernels = {
    .name = "planar",
    .dim = 2,
    .width = 3,
    .coordinates = 3,
    .torque_components = 1,
    .recursive_depth = 3,
    .recursive_depth_open = 1,
    .primitive_rows = planar_primitive_rows,
    .carry = carry,
    .primitive = primitive,
    .floating = floating,
    .prepare = prepare,
    .constants_size = sizeof(planar_constants),
    .bind = bind,
    .workspace = workspace,
    .positions = planar_positions,
    .velocities = planar_velocities,
    .rows = planar_rows,
    .clear_wrenches = planar_clear_wrenches,
    .generalized_forces = planar_generalized_forces,
    .residual_forces = planar_residual_forces,
    .mass_matrix = planar_mass_matrix,
    .articulated_factor = planar_articulated_factor,
    .articulated_up = planar_articulated_up,
    .articulated_rows = planar_articulated_rows,
    .articulated_down = planar_articulated_down,
    .opposite = planar_opposite,
    .align_axes = planar_align_axes,
    .displace = displace,
    .rates = rates,
    .normalize = normalize,
    .remember = mbs_strands_remember,
    .revolutions_certain = mbs_strands_certain,
    .integrated_angles = integrated_angles,
    .read_integrated_angles = mbs_strands_read,
    .expect_integrated_angles = mbs_strands_expect,
    .point = planar_point,
    .points = planar_points,
    .centres = planar_centres,
    .rotations = planar_rotations,
    .to_global = planar_to_global,
    .rotation = planar_rotation,
    .push = planar_push,
    .twist = planar_twist,
    .pushed = pushed,
    .push_along = planar_push_along,
    .read_primitive = planar_read_primitive,
    .along_paths = planar_along_paths,
    .input_row = planar_input_row,
    .motion = planar_body_motion,
    .accelerations = planar_accelerations,
    .reactions = planar_reactions,
    .kinetic = planar_kinetic,
    .potential = planar_potential,
};
