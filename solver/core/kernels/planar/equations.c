/* Planar equations of motion in the coordinates of the tree (theory (8.4), (8.6)):
 *
 *   h = B'(hb - Mb beta)   by summing wrenches from the leaves to the ground,
 *   M = B' Mb B            by composite inertias: row k is the momentum of everything k carries, for v_k = 1. */
#include "equations/rotors.h"
#include "kernels/planar/planar.h"

void planar_clear_wrenches(mbs_system *system) {
  planar_body *bodies = planar_of(system)->bodies;
  for (size_t i = 0; i <= system->model->nB; i++) bodies[i].fx = bodies[i].fy = bodies[i].n = MBS_ALL(0);
}

/* Computes h = B' F. The members ax, ay and alpha of the bodies hold the forces F_i and N_i; their sums over each
 * subtree replace them. */
static inline void sum_forces(mbs_system *system) {
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  planar_workspace *workspace = planar_of(system);
  planar_body *bodies = workspace->bodies;
  for (size_t i = model->nB; i >= 1; i--) {
    const planar_body *body = &bodies[i];
    for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++) {
      /* h_k = X_k.F + w_k N */
      const planar_column *column = &workspace->columns[k];
      system->h[k] = column->x * body->ax + column->y * body->ay + column->w * body->alpha;
    }
    int p = joints[i].parent;
    if (p > 0) {
      /* F_p += F_c, N_p += N_c + d_c x F_c */
      bodies[p].ax += body->ax;
      bodies[p].ay += body->ay;
      bodies[p].alpha += body->alpha + body->dx * body->ay - body->dy * body->ax;
    }
  }
}

/* theory (8.2), (8.3), (8.4) */
void planar_generalized_forces(mbs_system *system) {
  const planar_constants *numbers = planar_numbers(system);
  const mbs_real *gravity = system->constants->gravity;
  planar_body *bodies = planar_of(system)->bodies;
  /* ax, ay, alpha are used for the sums, because accelerations are not known yet. */
  for (size_t i = 1; i <= system->model->nB; i++) {
    /* F_i = f_i + m_i (g - beta_i), N_i = n_i */
    bodies[i].ax = bodies[i].fx + numbers[i].m * (gravity[0] - bodies[i].bx);
    bodies[i].ay = bodies[i].fy + numbers[i].m * (gravity[1] - bodies[i].by);
    bodies[i].alpha = bodies[i].n;
  }
  sum_forces(system);
}

void planar_accelerations(mbs_system *system) {
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  planar_workspace *workspace = planar_of(system);
  planar_body *bodies = workspace->bodies;
  /* V' = B v' + beta: deviations from beta propagate like velocities. */
  for (size_t i = 1; i <= model->nB; i++) {
    planar_body *body = &bodies[i];
    const planar_body *parent = &bodies[joints[i].parent];
    mbs_real ax = parent->ax - parent->bx, ay = parent->ay - parent->by, alpha = parent->alpha;
    if (joints[i].parent == 0) ax = ay = alpha = MBS_ALL(0);
    body->ax = body->bx + ax - alpha * body->dy;
    body->ay = body->by + ay + alpha * body->dx;
    body->alpha = alpha;
    for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++) {
      body->ax += workspace->columns[k].x * system->vdot[k];
      body->ay += workspace->columns[k].y * system->vdot[k];
      body->alpha += workspace->columns[k].w * system->vdot[k];
    }
  }
}

/* theory (8.4), with V' for beta */
void planar_residual_forces(mbs_system *system) {
  const planar_constants *numbers = planar_numbers(system);
  const mbs_real *gravity = system->constants->gravity;
  planar_body *bodies = planar_of(system)->bodies;
  planar_accelerations(system);
  mbs_rotors_push(system);
  for (size_t i = 1; i <= system->model->nB; i++) {
    /* F_i = f_i + m_i (g - r_i''), N_i = n_i - J_i phi_i'' */
    bodies[i].ax = bodies[i].fx + numbers[i].m * (gravity[0] - bodies[i].ax);
    bodies[i].ay = bodies[i].fy + numbers[i].m * (gravity[1] - bodies[i].ay);
    bodies[i].alpha = bodies[i].n - numbers[i].J * bodies[i].alpha;
  }
  mbs_rotors_release(system);
  sum_forces(system);
}

/* Adds the composite inertia of a body to its parent's. theory (8.5) */
static inline void pass_inertia(const planar_body *body, planar_body *parent) {
  mbs_real dx = body->dx, dy = body->dy, mx = body->m * dx, my = body->m * dy;
  parent->m += body->m;
  parent->J += body->J + dx * (2 * body->hx + mx) + dy * (2 * body->hy + my);
  parent->hx += body->hx + mx;
  parent->hy += body->hy + my;
}

/* theory (8.6) */
void planar_mass_matrix(mbs_system *system) {
  const planar_constants *numbers = planar_numbers(system);
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  const int *first_v = model->first_v;
  planar_workspace *workspace = planar_of(system);
  planar_body *bodies = workspace->bodies;
  /* each body alone: m, m^h = 0, I = J */
  for (size_t i = 1; i <= model->nB; i++) {
    bodies[i].m = numbers[i].m;
    bodies[i].hx = bodies[i].hy = MBS_ALL(0);
    bodies[i].J = numbers[i].J;
  }
  for (size_t i = model->nB; i >= 1; i--) {
    const planar_body *body = &bodies[i];
    int parent = joints[i].parent;
    if (parent > 0) pass_inertia(body, &bodies[parent]);
    for (int k = first_v[i]; k < first_v[i + 1]; k++) {
      const planar_column *own = &workspace->columns[k];
      /* P = m X_k + w_k perp(m^h), Q = m^h x X_k + I w_k */
      mbs_real px = body->m * own->x - body->hy * own->w, py = body->m * own->y + body->hx * own->w;
      mbs_real moment = body->hx * own->y - body->hy * own->x + body->J * own->w;
      mbs_real *row = system->M + model->tree.row0[k];
      int depth = model->tree.depth[k];
      /* M_kk = X_k.P + w_k Q */
      row[depth] = own->x * px + own->y * py + own->w * moment + system->constants->rotor_masses[k];
      for (int a = depth - 1, j = model->tree.parent[k]; a >= 0; a--, j = model->tree.parent[j]) {
        const planar_column *column = &workspace->columns[j];
        const planar_body *at = &bodies[model->velocity_body[j]];
        /* M_kj = X_j.P + w_j (Q + (r_c - r_a) x P) */
        row[a] =
            column->x * px + column->y * py + column->w * (moment + (body->x - at->x) * py - (body->y - at->y) * px);
      }
    }
  }
}
