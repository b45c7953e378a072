/* The table of the spatial kernels. */
#include "kernels/spatial/spatial.h"

#include <string.h>

static spatial_body body_at(const mbs_pose *pose) {
  spatial_body body = {.m = 0};
  memcpy(body.p, pose->p, sizeof body.p);
  memcpy(body.r, pose->r, sizeof body.r);
  memcpy(body.v, pose->v, sizeof body.v);
  memcpy(body.w, pose->omega, sizeof body.w);
  mbs_euler_matrix(body.p, body.A);
  return body;
}

/* theory (2.9) */
static void carry(const mbs_joint *joint, const mbs_joint_constants *numbers, bool reversed, const mbs_pose *parent,
                  const double *q, const double *v, mbs_pose *child) {
  spatial_joint kind = spatial_joint_of(joint, reversed);
  spatial_constants constants = spatial_constants_of(joint, numbers, reversed);
  spatial_body from = body_at(parent), to = {.m = 0};
  spatial_column columns[6];
  spatial_carry(&kind, &constants, &from, q, &to, columns);
  spatial_carry_velocity(&kind, &constants, &from, v, columns, &to);
  *child = (mbs_pose){.angle = 0};
  memcpy(child->p, to.p, sizeof to.p);
  memcpy(child->r, to.r, sizeof to.r);
  memcpy(child->v, to.v, sizeof to.v);
  memcpy(child->omega, to.w, sizeof to.w);
}

static void primitive(const mbs_block *block, const mbs_block_constants *numbers, const mbs_pose *first,
                      const mbs_pose *second, double *value, double *rate) {
  spatial_body one = body_at(first), two = body_at(second);
  spatial_primitive at[3];
  spatial_primitive_at(block, numbers, &one, &two, &(spatial_near){.angle = {NAN, NAN}}, at);
  for (int r = 0; r < spatial_primitive_rows(block->primitive); r++) {
    const spatial_primitive *m = &at[r];
    /* g, g' = D1 V1 + D2 V2 */
    value[r] = m->g;
    rate[r] = mbs_dot(m->v1, one.v) + mbs_dot(m->w1, one.w) + mbs_dot(m->v2, two.v) + mbs_dot(m->w2, two.w);
  }
}

static void floating(const mbs_pose *pose, double *q, double *v) {
  memcpy(q, pose->r, sizeof pose->r);
  memcpy(q + 3, pose->p, sizeof pose->p);
  memcpy(v, pose->v, sizeof pose->v);
  memcpy(v + 3, pose->omega, sizeof pose->omega);
}

/* Lets the angle of a driven joint count its revolutions as its driver does, for all its readers. */
static void follow_drivers(mbs_model *model) {
  for (size_t d = 0; d < model->driver_count; d++) {
    const mbs_block *driven = &model->blocks[model->drivers[d].block];
    for (size_t c = 0; c < model->coordinate_count && driven->of_joint >= 0; c++) {
      mbs_block *block = &model->coordinates[c];
      if (block->of_joint == driven->of_joint && block->number == driven->number) block->function = driven->function;
    }
  }
}

static bool prepare(mbs_model *model) {
  spatial_data *data = mbs_arena_alloc(model->arena, 1, sizeof *data);
  if (!data) return false;
  data->joints = mbs_arena_alloc(model->arena, model->nB + 1, sizeof *data->joints);
  if (!data->joints) return false;
  for (size_t i = 1; i <= model->nB; i++) {
    spatial_joint *joint = &data->joints[i];
    int j = model->tree_joint[i];
    if (j >= 0)
      *joint = spatial_joint_of(&model->joints[j], model->joints[j].frames.body1 == (int)i);
    else
      *joint = (spatial_joint){.motion = SPATIAL_FLOAT, .slide_count = 3};
    joint->parent = model->parent[i];
    joint->swings = joint->parent == 0 && joint->motion == SPATIAL_TURN && !joint->slides;
    joint->q = model->first_q[i];
    joint->v = model->first_v[i];
  }
  follow_drivers(model);
  spatial_number_turns(model, data);
  model->kernel_data = data;
  return true;
}

static void bind(mbs_constants *constants) {
  const mbs_model *model = constants->model;
  const spatial_joint *joints = spatial_joints(model);
  spatial_constants *out = constants->kernels;
  for (size_t i = 1; i <= model->nB; i++) {
    int j = model->tree_joint[i];
    out[i] = j >= 0 ? spatial_constants_of(&model->joints[j], &constants->joints[j], joints[i].reversed)
                    : (spatial_constants){.m = 0};
    out[i].m = constants->bodies[i].mass;
    memcpy(out[i].J, constants->bodies[i].inertia, sizeof out[i].J);
  }
}

static void *workspace(const mbs_constants *constants, mbs_arena *arena) {
  const mbs_model *model = constants->model;
  spatial_workspace *workspace = mbs_arena_alloc(arena, 1, sizeof *workspace);
  if (!workspace) return NULL;
  workspace->bodies = mbs_arena_alloc(arena, model->nB + 1, sizeof *workspace->bodies);
  workspace->columns = mbs_arena_alloc(arena, model->nv + 1, sizeof *workspace->columns);
  if (!workspace->bodies || !workspace->columns || !spatial_open_turns(constants, arena, workspace)) return NULL;
  if (model->recursive && !spatial_articulated_open(model, arena, workspace)) return NULL;
  spatial_body *ground = &workspace->bodies[0]; /* the ground is at the origin, without motion */
  ground->p[0] = ground->A[0] = ground->A[4] = ground->A[8] = 1;
  return workspace;
}

static void pushed(const mbs_system *system, int body, double f[3], double n[3]) {
  memcpy(f, spatial_of(system)->bodies[body].f, 3 * sizeof *f);
  memcpy(n, spatial_of(system)->bodies[body].n, 3 * sizeof *n);
}

const mbs_kernels mbs_spatial_kernels = {
    .name = "spatial",
    .dim = 3,
    .width = 6,
    .coordinates = 7,
    .torque_components = 3,
    .recursive_depth = 12,
    .recursive_depth_open = 7,
    .primitive_rows = spatial_primitive_rows,
    .carry = carry,
    .primitive = primitive,
    .floating = floating,
    .prepare = prepare,
    .constants_size = sizeof(spatial_constants),
    .bind = bind,
    .workspace = workspace,
    .positions = spatial_positions,
    .velocities = spatial_velocities,
    .rows = spatial_rows,
    .clear_wrenches = spatial_clear_wrenches,
    .generalized_forces = spatial_generalized_forces,
    .residual_forces = spatial_residual_forces,
    .mass_matrix = spatial_mass_matrix,
    .articulated_factor = spatial_articulated_factor,
    .articulated_up = spatial_articulated_up,
    .articulated_rows = spatial_articulated_rows,
    .articulated_down = spatial_articulated_down,
    .displace = spatial_displace,
    .rates = spatial_rates,
    .normalize = spatial_normalize,
    .start_angles = spatial_start_angles,
    .begin = spatial_begin,
    .set_driven_revolutions = spatial_set_driven_revolutions,
    .remember = spatial_remember,
    .visit_remembered = spatial_visit_remembered,
    .revolutions_certain = spatial_revolutions_certain,
    .integrated_angles = spatial_integrated_angles,
    .read_integrated_angles = spatial_read_integrated_angles,
    .expect_integrated_angles = spatial_expect_integrated_angles,
    .unwrap_row_angle = spatial_unwrap_row_angle,
    .opposite = spatial_opposite,
    .align_axes = spatial_align_axes,
    .point = spatial_point,
    .points = spatial_points,
    .centres = spatial_centres,
    .rotations = spatial_rotations,
    .to_global = spatial_to_global,
    .rotation = spatial_rotation,
    .orientation = spatial_orientation,
    .push = spatial_push,
    .twist = spatial_twist,
    .pushed = pushed,
    .push_along = spatial_push_along,
    .along_paths = spatial_along_paths,
    .input_row = spatial_input_row,
    .motion = spatial_body_motion,
    .read_primitive = spatial_read_primitive,
    .accelerations = spatial_accelerations,
    .reactions = spatial_reactions,
    .kinetic = spatial_kinetic,
    .potential = spatial_potential,
};
