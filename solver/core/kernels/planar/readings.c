/* Results of a planar state: points and bodies, energies, reactions. */
#include "equations/rotors.h"
#include "equations/teeth.h"
#include "kernels/planar/planar.h"

#include <assert.h>
#include <string.h>

/* ---- points and bodies ------------------------------------------------------------------------------------------- */

static inline void read_points(const mbs_system *system, int level, mbs_real *out) {
  const mbs_model *model = system->model;
  for (size_t k = 0; k < model->nP; k++) {
    const int body = model->points[k].body;
    const mbs_real *s = system->constants->points[k];
    mbs_real at[3];
    if (level < 2)
      planar_point_of(&planar_of(system)->bodies[body], s, level, at);
    else
      planar_point(system, body, s, level, at);
    out[2 * k] = at[0];
    out[2 * k + 1] = at[1];
  }
}

/* Calls a separate loop for each level. */
void planar_points(const mbs_system *system, int level, mbs_real *out) {
  if (level == 0)
    read_points(system, 0, out);
  else if (level == 1)
    read_points(system, 1, out);
  else
    read_points(system, 2, out);
}

void planar_centres(const mbs_system *system, int level, mbs_real *out) {
  const mbs_model *model = system->model;
  for (size_t b = 0; b < model->nB; b++) {
    const planar_body *body = &planar_of(system)->bodies[model->user_body[b]];
    /* + 0: no negative zeros */
    out[2 * b] = (level == 0 ? body->x : level == 1 ? body->vx : body->ax) + 0.0;
    out[2 * b + 1] = (level == 0 ? body->y : level == 1 ? body->vy : body->ay) + 0.0;
  }
}

void planar_rotations(const mbs_system *system, int level, mbs_real *out) {
  const mbs_model *model = system->model;
  for (size_t b = 0; b < model->nB; b++) {
    const planar_body *body = &planar_of(system)->bodies[model->user_body[b]];
    out[b] = level == 0 ? body->phi : level == 1 ? body->w : body->alpha;
  }
}

/* ---- energies ---------------------------------------------------------------------------------------------------- */

/* theory (1.7) */
mbs_real planar_kinetic(const mbs_system *system) {
  const planar_constants *numbers = planar_numbers(system);
  const mbs_model *model = system->model;
  const planar_body *bodies = planar_of(system)->bodies;
  mbs_real sum = MBS_ALL(0);
  /* sum of m r'.r' + J omega^2 */
  for (size_t i = 1; i <= model->nB; i++)
    sum += numbers[i].m * (bodies[i].vx * bodies[i].vx + bodies[i].vy * bodies[i].vy) +
           numbers[i].J * bodies[i].w * bodies[i].w;
  return 0.5 * (sum + mbs_rotors_rate(system));
}

/* theory (17.7) */
mbs_real planar_potential(const mbs_system *system) {
  const planar_constants *numbers = planar_numbers(system);
  const mbs_real *gravity = system->constants->gravity;
  const mbs_model *model = system->model;
  const planar_body *bodies = planar_of(system)->bodies;
  mbs_real sum = MBS_ALL(0);
  /* V = -sum of m_i g.r_i */
  for (size_t i = 1; i <= model->nB; i++) sum -= numbers[i].m * (gravity[0] * bodies[i].x + gravity[1] * bodies[i].y);
  return sum;
}

/* ---- reactions --------------------------------------------------------------------------------------------------- */

/* Computes the wrenches D1' lambda, D2' lambda of a block's rows on its bodies. */
static void constraint_forces(const mbs_system *system, const mbs_block *block, mbs_real wrenches[2][3]) {
  planar_primitive at[2];
  const planar_body *bodies = planar_of(system)->bodies;
  planar_primitive_rows_at(block, mbs_block_numbers(system, block), &bodies[block->frames.body1],
                           &bodies[block->frames.body2], at);
  memset(wrenches, 0, 2 * sizeof *wrenches);
  for (int r = 0; r < block->rows; r++) {
    const mbs_real lambda = system->borne[block->first_row + r];
    for (int k = 0; k < 3; k++) {
      wrenches[0][k] += at[r].d1[k] * lambda;
      wrenches[1][k] += at[r].d2[k] * lambda;
    }
  }
}

/* Stores a wrench at a body's mass centre as force and torque at point s of the body. theory (17.10) */
static void store_reaction(mbs_system *system, size_t joint, const planar_body *body, const mbs_real s[3], double sign,
                           const mbs_real wrench[3]) {
  assert(joint < system->model->joint_count);
  mbs_real *out = system->reactions + 6 * joint;
  mbs_real sx = body->c * s[0] - body->s * s[1], sy = body->s * s[0] + body->c * s[1];
  /* f, n_P2 = n - s x f */
  out[0] = sign * wrench[0];
  out[1] = sign * wrench[1];
  out[5] = sign * (wrench[2] - (sx * wrench[1] - sy * wrench[0]));
}

/* Adds the force between the teeth of a joint on one of its bodies. theory (8.24) */
static void add_tooth_force(const mbs_system *system, const mbs_joint *joint, int body, mbs_real wrench[3]) {
  const mbs_tooth_force *tooth = &system->teeth->forces[joint - system->model->joints];
  const planar_body *at = &planar_of(system)->bodies[body];
  const double sign = body == joint->frames.body2 ? 1 : -1, fx = sign * tooth->force[0], fy = sign * tooth->force[1];
  wrench[0] += fx;
  wrench[1] += fy;
  wrench[2] += (tooth->at[0] - at->x) * fy - (tooth->at[1] - at->y) * fx;
}

/* Adds the wrench of a row of the joint's class on one of its bodies. */
static void add_own_force(const mbs_system *system, const mbs_block *block, int body, mbs_real wrench[3]) {
  const mbs_joint *joint = block->custom;
  if (joint->cls->tooth_force) {
    add_tooth_force(system, joint, body, wrench);
    return;
  }
  for (int b = 0; b < joint->body_count; b++)
    for (int k = 0; k < 3 && joint->bodies[b] == body; k++)
      wrench[k] += system->D[block->d0 + 3 * b + k] * system->borne[block->first_row];
}

/* Adds the wrench of such a row on the second body. D has no entries for the ground. If the row is between the joint's
 * two frames, the wrench on the ground is that on the first body with opposite sign, moved to the origin. */
static void add_own_reaction(const mbs_system *system, const mbs_block *block, mbs_real wrench[3]) {
  const mbs_joint *joint = block->custom;
  if (joint->frames.body2 != 0 || !joint->sided) {
    add_own_force(system, block, joint->frames.body2, wrench);
    return;
  }
  const planar_body *first = &planar_of(system)->bodies[joint->frames.body1];
  mbs_real taken[3] = {MBS_ALL(0)};
  add_own_force(system, block, joint->frames.body1, taken);
  /* -(f, n + r_1 x f) */
  wrench[0] -= taken[0];
  wrench[1] -= taken[1];
  wrench[2] -= taken[2] + first->x * taken[1] - first->y * taken[0];
}

/* Subtracts D' lambda of a block from the sum of a body. */
static void take_off(planar_body *body, const mbs_real wrench[3]) {
  body->hx -= wrench[0];
  body->hy -= wrench[1];
  body->m -= wrench[2];
}

/* Computes the reactions of joints of the tree: the wrench on all descendants of a joint, f = sum of (Mb V' - hb - D'
 * lambda). theory (17.11) */
static void tree_reactions(mbs_system *system) {
  const planar_constants *numbers = planar_numbers(system);
  const mbs_real *gravity = system->constants->gravity;
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  planar_body *bodies = planar_of(system)->bodies;
  /* m, hx, hy are not in use here and store the sums. */
  for (size_t i = 1; i <= model->nB; i++) {
    planar_body *body = &bodies[i];
    /* Mb V' - hb */
    body->hx = numbers[i].m * (body->ax - gravity[0]) - body->fx;
    body->hy = numbers[i].m * (body->ay - gravity[1]) - body->fy;
    body->m = numbers[i].J * body->alpha - body->n;
  }
  /* - D' lambda of every block */
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const mbs_joint *own = block->custom;
    for (int k = 0; own && k < own->body_count; k++) {
      mbs_real wrench[3] = {MBS_ALL(0)};
      add_own_force(system, block, own->bodies[k], wrench);
      take_off(&bodies[own->bodies[k]], wrench);
    }
    mbs_real wrenches[2][3];
    if (own) continue;
    constraint_forces(system, block, wrenches);
    if (block->frames.body1) take_off(&bodies[block->frames.body1], wrenches[0]);
    if (block->frames.body2) take_off(&bodies[block->frames.body2], wrenches[1]);
  }
  for (size_t i = model->nB; i >= 1; i--) {
    planar_body *body = &bodies[i], *parent = &bodies[joints[i].parent];
    mbs_real wrench[3] = {body->hx, body->hy, body->m};
    int j = model->tree_joint[i];
    if (j >= 0) {
      const mbs_real *s2 = system->constants->joints[j].geometry.s2;
      if (joints[i].reversed) {
        /* The child is the first body: its reaction with opposite sign, moved to P2 on the parent. */
        mbs_real moved[3] = {wrench[0], wrench[1], wrench[2] + body->dx * wrench[1] - body->dy * wrench[0]};
        store_reaction(system, (size_t)j, parent, s2, -1, moved);
      } else {
        store_reaction(system, (size_t)j, body, s2, 1, wrench);
      }
    }
    if (joints[i].parent > 0) {
      /* f_p += f_c, n_p += n_c + d_c x f_c */
      parent->hx += body->hx;
      parent->hy += body->hy;
      parent->m += body->m + body->dx * body->hy - body->dy * body->hx;
    }
  }
}

/* Computes the reactions on the second bodies: those of the tree, then D2' lambda of the cuts. theory (17.10) */
void planar_reactions(mbs_system *system) {
  const mbs_model *model = system->model;
  const planar_body *bodies = planar_of(system)->bodies;
  mbs_rotors_push(system);
  tree_reactions(system);
  mbs_rotors_release(system);
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (joint->in_tree) continue;
    mbs_real wrench[3] = {MBS_ALL(0)};
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++) {
      mbs_real wrenches[2][3];
      if (model->blocks[b].custom != NULL) {
        add_own_reaction(system, &model->blocks[b], wrench);
        continue;
      }
      constraint_forces(system, &model->blocks[b], wrenches);
      for (int k = 0; k < 3; k++) wrench[k] += wrenches[1][k];
    }
    store_reaction(system, j, &bodies[joint->frames.body2], system->constants->joints[j].geometry.s2, 1, wrench);
  }
}
