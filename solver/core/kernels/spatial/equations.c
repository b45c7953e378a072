/* Spatial equations of motion in the coordinates of the tree (theory (8.4), (8.6)):
 *
 *   h = B'(hb - Mb beta)   by summing wrenches from the leaves to the ground; hb holds -omega x J omega,
 *   M = B' Mb B            by composite inertias: row k is the momentum of everything k carries, for v_k = 1. */
#include "equations/rotors.h"
#include "kernels/spatial/spatial.h"

#include <string.h>

void spatial_clear_wrenches(mbs_system *system) {
  spatial_body *bodies = spatial_of(system)->bodies;
  for (size_t i = 0; i <= system->model->nB; i++) {
    memset(bodies[i].f, 0, sizeof bodies[i].f);
    memset(bodies[i].n, 0, sizeof bodies[i].n);
  }
}

/* Computes h = B' F. The members a and alpha of the bodies hold the forces F_i and N_i; their sums over each subtree
 * replace them. */
static inline void sum_forces(mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  spatial_workspace *workspace = spatial_of(system);
  spatial_body *bodies = workspace->bodies;
  for (size_t i = model->nB; i >= 1; i--) {
    const spatial_body *body = &bodies[i];
    /* h_k = X_k.F + w_k.N */
    for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++)
      system->h[k] = mbs_dot(workspace->columns[k].v, body->a) + mbs_dot(workspace->columns[k].w, body->alpha);
    int p = joints[i].parent;
    if (p == 0) continue;
    /* F_p += F_c, N_p += N_c + d_c x F_c */
    for (int k = 0; k < 3; k++) {
      bodies[p].a[k] += body->a[k];
      bodies[p].alpha[k] += body->alpha[k];
    }
    mbs_add_cross(body->d, body->a, bodies[p].alpha);
  }
}

/* theory (8.2), (8.3), (8.4) */
void spatial_generalized_forces(mbs_system *system) {
  const spatial_constants *numbers = spatial_numbers(system);
  const mbs_real *gravity = system->constants->gravity;
  spatial_body *bodies = spatial_of(system)->bodies;
  /* a, alpha are used for the sums, because accelerations are not known yet. */
  for (size_t i = 1; i <= system->model->nB; i++) {
    spatial_body *body = &bodies[i];
    /* F_i = f_i + m_i (g - beta_i), N_i = n_i - J beta_w - omega x J omega */
    mbs_real spin[3], Jb[3];
    spatial_symmetric_times(body->J, body->w, spin);
    spatial_symmetric_times(body->J, body->bw, Jb);
    for (int k = 0; k < 3; k++) {
      body->a[k] = body->f[k] + numbers[i].m * (gravity[k] - body->b[k]);
      body->alpha[k] = body->n[k] - Jb[k];
    }
    mbs_add_cross(spin, body->w, body->alpha);
  }
  sum_forces(system);
}

/* theory (2.14) */
void spatial_accelerations(mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  spatial_workspace *workspace = spatial_of(system);
  spatial_body *bodies = workspace->bodies;
  memset(bodies[0].a, 0, sizeof bodies[0].a);
  memset(bodies[0].alpha, 0, sizeof bodies[0].alpha);
  /* V' = B v' + beta: deviations from beta propagate like velocities. */
  for (size_t i = 1; i <= model->nB; i++) {
    spatial_body *body = &bodies[i];
    const spatial_body *parent = &bodies[joints[i].parent];
    mbs_real a[3], alpha[3];
    for (int k = 0; k < 3; k++) {
      a[k] = parent->a[k] - parent->b[k];
      alpha[k] = parent->alpha[k] - parent->bw[k];
    }
    mbs_add_cross(alpha, body->d, a);
    for (int j = model->first_v[i]; j < model->first_v[i + 1]; j++)
      for (int k = 0; k < 3; k++) {
        a[k] += workspace->columns[j].v[k] * system->vdot[j];
        alpha[k] += workspace->columns[j].w[k] * system->vdot[j];
      }
    for (int k = 0; k < 3; k++) {
      body->a[k] = body->b[k] + a[k];
      body->alpha[k] = body->bw[k] + alpha[k];
    }
  }
}

/* theory (8.4), with V' for beta */
void spatial_residual_forces(mbs_system *system) {
  const spatial_constants *numbers = spatial_numbers(system);
  const mbs_real *gravity = system->constants->gravity;
  spatial_body *bodies = spatial_of(system)->bodies;
  spatial_accelerations(system);
  mbs_rotors_push(system);
  for (size_t i = 1; i <= system->model->nB; i++) {
    spatial_body *body = &bodies[i];
    /* F_i = f_i + m_i (g - r_i''), N_i = n_i - J omega' - omega x J omega */
    mbs_real spin[3], Ja[3];
    spatial_symmetric_times(body->J, body->w, spin);
    spatial_symmetric_times(body->J, body->alpha, Ja);
    for (int k = 0; k < 3; k++) {
      body->a[k] = body->f[k] + numbers[i].m * (gravity[k] - body->a[k]);
      body->alpha[k] = body->n[k] - Ja[k];
    }
    mbs_add_cross(spin, body->w, body->alpha);
  }
  mbs_rotors_release(system);
  sum_forces(system);
}

/* Adds the child's composite inertia, moved by d to the parent's mass centre. theory (8.5) */
static void add_inertia(const spatial_body *child, spatial_body *parent) {
  const mbs_real *d = child->d, *h = child->h;
  mbs_real m = child->m, moved[3]; /* h + m d / 2, twice: J gains 2 (d.h') 1 - d h'' - h' d'' */
  for (int k = 0; k < 3; k++) moved[k] = h[k] + 0.5 * m * d[k];
  mbs_real x = d[0] * moved[0], y = d[1] * moved[1], z = d[2] * moved[2];
  parent->I[0] += child->I[0] + 2 * (y + z);
  parent->I[1] += child->I[1] + 2 * (x + z);
  parent->I[2] += child->I[2] + 2 * (x + y);
  parent->I[3] += child->I[3] - (d[0] * moved[1] + d[1] * moved[0]);
  parent->I[4] += child->I[4] - (d[0] * moved[2] + d[2] * moved[0]);
  parent->I[5] += child->I[5] - (d[1] * moved[2] + d[2] * moved[1]);
  parent->m += m;
  for (int k = 0; k < 3; k++) parent->h[k] += h[k] + m * d[k];
}

static void composite_inertias(const mbs_model *model, const spatial_joint *joints, const spatial_constants *numbers,
                               spatial_body *bodies) {
  for (size_t i = 1; i <= model->nB; i++) {
    bodies[i].m = numbers[i].m;
    memset(bodies[i].h, 0, sizeof bodies[i].h);
    memcpy(bodies[i].I, bodies[i].J, sizeof bodies[i].I);
  }
  for (size_t i = model->nB; i >= 1; i--)
    if (joints[i].parent > 0) add_inertia(&bodies[i], &bodies[joints[i].parent]);
}

/* theory (8.6) */
void spatial_mass_matrix(mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  spatial_workspace *workspace = spatial_of(system);
  spatial_body *bodies = workspace->bodies;
  composite_inertias(model, joints, spatial_numbers(system), bodies);
  for (size_t i = 1; i <= model->nB; i++) {
    const spatial_body *body = &bodies[i];
    for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++) {
      const spatial_column *own = &workspace->columns[k];
      mbs_real momentum[3], moment[3];
      /* P = m X_k + w_k x m^h, Q = m^h x X_k + I w_k */
      spatial_symmetric_times(body->I, own->w, moment);
      for (int c = 0; c < 3; c++) momentum[c] = body->m * own->v[c];
      mbs_add_cross(own->w, body->h, momentum);
      mbs_add_cross(body->h, own->v, moment);
      mbs_real *row = system->M + model->tree.row0[k];
      int at = model->tree.depth[k];
      const int diagonal = at;
      /* Only this joint's velocities up to k, then those of the ancestors. */
      int ancestor = (int)i, j = k;
      const spatial_body *place = body;
      for (;;) {
        /* M_kj = X_j.P + w_j.Q */
        for (; j >= model->first_v[ancestor] && at >= 0; j--, at--)
          row[at] = mbs_dot(workspace->columns[j].v, momentum) + mbs_dot(workspace->columns[j].w, moment);
        if (at < 0) break;
        /* Q about the parent's mass centre: Q += d x P */
        mbs_add_cross(place->d, momentum, moment);
        ancestor = joints[ancestor].parent;
        place = &bodies[ancestor];
        j = model->first_v[ancestor + 1] - 1;
      }
      row[diagonal] += system->constants->rotor_masses[k];
    }
  }
}
