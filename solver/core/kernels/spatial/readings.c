/* Results of a spatial state: points and bodies, energies, reactions. */
#include "equations/rotors.h"
#include "equations/teeth.h"
#include "kernels/spatial/spatial.h"

#include <string.h>

/* ---- points and bodies ------------------------------------------------------------------------------------------- */

void spatial_points(const mbs_system *system, int level, mbs_real *out) {
  const mbs_model *model = system->model;
  for (size_t k = 0; k < model->nP; k++)
    spatial_point(system, model->points[k].body, system->constants->points[k], level, out + 3 * k);
}

void spatial_centres(const mbs_system *system, int level, mbs_real *out) {
  const mbs_model *model = system->model;
  for (size_t b = 0; b < model->nB; b++) {
    const spatial_body *body = &spatial_of(system)->bodies[model->user_body[b]];
    const mbs_real *from = level == 0 ? body->r : level == 1 ? body->v : body->a;
    for (int k = 0; k < 3; k++) out[3 * b + (size_t)k] = from[k] + 0.0; /* no negative zeros */
  }
}

void spatial_rotations(const mbs_system *system, int level, mbs_real *out) {
  const mbs_model *model = system->model;
  for (size_t b = 0; b < model->nB; b++) {
    const spatial_body *body = &spatial_of(system)->bodies[model->user_body[b]];
    memcpy(out + 3 * b, level == 1 ? body->w : body->alpha, 3 * sizeof *out);
  }
}

/* ---- energies ---------------------------------------------------------------------------------------------------- */

/* theory (1.7) */
mbs_real spatial_kinetic(const mbs_system *system) {
  const spatial_constants *numbers = spatial_numbers(system);
  const mbs_model *model = system->model;
  const spatial_body *bodies = spatial_of(system)->bodies;
  mbs_real sum = MBS_ALL(0);
  for (size_t i = 1; i <= model->nB; i++) {
    mbs_real spin[3];
    spatial_symmetric_times(bodies[i].J, bodies[i].w, spin);
    /* m v.v + omega.J omega */
    sum += numbers[i].m * mbs_dot(bodies[i].v, bodies[i].v) + mbs_dot(bodies[i].w, spin);
  }
  return 0.5 * (sum + mbs_rotors_rate(system));
}

/* theory (17.7) */
mbs_real spatial_potential(const mbs_system *system) {
  const spatial_constants *numbers = spatial_numbers(system);
  const mbs_real *gravity = system->constants->gravity;
  const mbs_model *model = system->model;
  const spatial_body *bodies = spatial_of(system)->bodies;
  mbs_real sum = MBS_ALL(0);
  /* V = -sum of m_i g.r_i */
  for (size_t i = 1; i <= model->nB; i++) sum -= numbers[i].m * mbs_dot(gravity, bodies[i].r);
  return sum;
}

/* ---- reactions --------------------------------------------------------------------------------------------------- */

/* Adds the force between the teeth of a joint on one of its bodies. theory (8.24) */
static void add_tooth_force(const mbs_system *system, const mbs_joint *joint, int body, mbs_real wrench[6]) {
  const mbs_tooth_force *tooth = &system->teeth->forces[joint - system->model->joints];
  const spatial_body *at = &spatial_of(system)->bodies[body];
  mbs_real force[3], arm[3];
  for (int k = 0; k < 3; k++) {
    force[k] = MBS_ALL(body == joint->frames.body2 ? tooth->force[k] : -tooth->force[k]);
    arm[k] = tooth->at[k] - at->r[k];
    wrench[k] += force[k];
  }
  mbs_add_cross(arm, force, wrench + 3);
}

/* Adds the wrench D' lambda of a block's rows on one of its bodies. */
static void add_constraint_force(const mbs_system *system, const mbs_block *block, int body, mbs_real wrench[6]) {
  const mbs_real *lambda = system->borne + block->first_row;
  if (block->custom != NULL) {
    const mbs_joint *joint = block->custom;
    if (joint->cls->tooth_force) {
      add_tooth_force(system, joint, body, wrench);
      return;
    }
    for (int b = 0; b < joint->body_count; b++)
      for (int k = 0; k < 6 && joint->bodies[b] == body; k++) wrench[k] += system->D[block->d0 + 6 * b + k] * lambda[0];
    return;
  }
  spatial_primitive at[3];
  spatial_primitive_now(system, block, mbs_block_numbers(system, block), at);
  bool first = block->frames.body1 == body;
  /* (f, n) += D' lambda */
  for (int r = 0; r < block->rows; r++)
    for (int k = 0; k < 3; k++) {
      wrench[k] += (first ? at[r].v1 : at[r].v2)[k] * lambda[r];
      wrench[3 + k] += (first ? at[r].w1 : at[r].w2)[k] * lambda[r];
    }
}

/* Stores a wrench at a body's mass centre as force and torque at point s of the body. theory (17.10) */
static void store_reaction(mbs_system *system, size_t joint, const spatial_body *body, const mbs_real s[3], double sign,
                           const mbs_real wrench[6]) {
  mbs_real *out = system->reactions + 6 * joint, arm[3], torque[3];
  /* n_P2 = n - s x f */
  mbs_rotate(body->A, s, arm);
  memcpy(torque, wrench + 3, sizeof torque);
  mbs_add_cross(wrench, arm, torque);
  for (int k = 0; k < 3; k++) {
    out[k] = sign * wrench[k];
    out[3 + k] = sign * torque[k];
  }
}

/* Computes f = Mb V' - hb - D' lambda of every body, which the joints of the tree must balance: force in h, moment in
 * I. */
static void unbalanced_wrenches(const mbs_system *system, spatial_body *bodies) {
  const spatial_constants *numbers = spatial_numbers(system);
  const mbs_real *gravity = system->constants->gravity;
  const mbs_model *model = system->model;
  for (size_t i = 1; i <= model->nB; i++) {
    spatial_body *body = &bodies[i];
    /* m (V' - g) - f, J alpha + omega x J omega - n */
    mbs_real spin[3], rate[3];
    spatial_symmetric_times(body->J, body->w, spin);
    spatial_symmetric_times(body->J, body->alpha, rate);
    mbs_add_cross(body->w, spin, rate);
    /* m, h, I are not in use here and store the sums. */
    for (int k = 0; k < 3; k++) {
      body->h[k] = numbers[i].m * (body->a[k] - gravity[k]) - body->f[k];
      body->I[k] = rate[k] - body->n[k];
    }
  }
  /* - D' lambda of every block */
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const mbs_joint *own = block->custom;
    const int frames[2] = {block->frames.body1, block->frames.body2}, *at = own ? own->bodies : frames;
    for (int i = 0; i < (own ? own->body_count : 2); i++) {
      mbs_real wrench[6] = {MBS_ALL(0)};
      if (at[i] == 0) continue;
      add_constraint_force(system, block, at[i], wrench);
      for (int k = 0; k < 3; k++) {
        bodies[at[i]].h[k] -= wrench[k];
        bodies[at[i]].I[k] -= wrench[3 + k];
      }
    }
  }
}

/* Computes the reactions of joints of the tree: the sum of those wrenches over all descendants. theory (17.11) */
static void tree_reactions(mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  spatial_body *bodies = spatial_of(system)->bodies;
  unbalanced_wrenches(system, bodies);
  for (size_t i = model->nB; i >= 1; i--) {
    spatial_body *body = &bodies[i], *parent = &bodies[joints[i].parent];
    mbs_real wrench[6], moved[6];
    memcpy(wrench, body->h, 3 * sizeof *wrench);
    memcpy(wrench + 3, body->I, 3 * sizeof *wrench);
    memcpy(moved, wrench, sizeof moved);
    mbs_add_cross(body->d, wrench, moved + 3); /* wrench at the parent's mass centre */
    int j = model->tree_joint[i];
    if (j >= 0) {
      const mbs_real *s2 = system->constants->joints[j].geometry.s2;
      /* If the child is the first body, its reaction has the opposite sign, and P2 is on the parent. */
      if (joints[i].reversed)
        store_reaction(system, (size_t)j, parent, s2, -1, moved);
      else
        store_reaction(system, (size_t)j, body, s2, 1, wrench);
    }
    if (joints[i].parent == 0) continue;
    /* f_p += f_c, n_p += n_c + d_c x f_c */
    for (int k = 0; k < 3; k++) {
      parent->h[k] += moved[k];
      parent->I[k] += moved[3 + k];
    }
  }
}

/* Computes the reactions on the second bodies: those of the tree, then D2' lambda of the cuts. theory (17.10) */
void spatial_reactions(mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_body *bodies = spatial_of(system)->bodies;
  mbs_rotors_push(system);
  tree_reactions(system);
  mbs_rotors_release(system);
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (joint->in_tree) continue;
    mbs_real wrench[6] = {MBS_ALL(0)};
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++)
      add_constraint_force(system, &model->blocks[b], joint->frames.body2, wrench);
    store_reaction(system, j, &bodies[joint->frames.body2], system->constants->joints[j].geometry.s2, 1, wrench);
  }
}
