/* Planar equations of motion in the coordinates of the tree (seed eq. 9.23, 9.24):
 *
 *   h = B'(hb - Mb beta)   by summing wrenches from the leaves to the ground,
 *   M = B' Mb B            by composite inertias: row k is the momentum of everything k carries, for v_k = 1. */
#include "planar.h"

void planar_clear_wrenches(mbs_system *system) {
  planar_body *bodies = planar_of(system)->bodies;
  for (size_t i = 0; i <= system->model->nB; i++) bodies[i].fx = bodies[i].fy = bodies[i].n = 0;
}

void planar_generalized_forces(mbs_system *system) {
  const mbs_model *model = system->model;
  const planar_joint *joints = model->space_data;
  planar_work *work = planar_of(system);
  planar_body *bodies = work->bodies;
  /* ax, ay, alpha serve as the sums: accelerations are not known yet. */
  for (size_t i = 1; i <= model->nB; i++) {
    bodies[i].ax = bodies[i].fx + joints[i].m * (model->gravity[0] - bodies[i].bx);
    bodies[i].ay = bodies[i].fy + joints[i].m * (model->gravity[1] - bodies[i].by);
    bodies[i].alpha = bodies[i].n;
  }
  for (size_t i = model->nB; i >= 1; i--) {
    const planar_body *body = &bodies[i];
    for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++) {
      const planar_column *column = &work->columns[k];
      system->h[k] = column->x * body->ax + column->y * body->ay + column->w * body->alpha;
    }
    int p = joints[i].parent;
    if (p > 0) {
      bodies[p].ax += body->ax;
      bodies[p].ay += body->ay;
      bodies[p].alpha += body->alpha + body->dx * body->ay - body->dy * body->ax;
    }
  }
}

static void composite_inertias(const mbs_model *model, const planar_joint *joints, planar_body *bodies) {
  for (size_t i = 1; i <= model->nB; i++) {
    bodies[i].m = joints[i].m;
    bodies[i].hx = bodies[i].hy = 0;
    bodies[i].J = joints[i].J;
  }
  for (size_t i = model->nB; i >= 1; i--) {
    int p = joints[i].parent;
    if (p == 0) continue;
    const planar_body *body = &bodies[i];
    bodies[p].m += body->m;
    bodies[p].hx += body->hx + body->m * body->dx;
    bodies[p].hy += body->hy + body->m * body->dy;
    bodies[p].J += body->J + 2 * (body->dx * body->hx + body->dy * body->hy) +
                   body->m * (body->dx * body->dx + body->dy * body->dy);
  }
}

void planar_mass_matrix(mbs_system *system) {
  const mbs_model *model = system->model;
  const planar_joint *joints = model->space_data;
  planar_work *work = planar_of(system);
  planar_body *bodies = work->bodies;
  composite_inertias(model, joints, bodies);
  for (size_t i = 1; i <= model->nB; i++) {
    const planar_body *body = &bodies[i];
    for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++) {
      const planar_column *own = &work->columns[k];
      double px = body->m * own->x - body->hy * own->w, py = body->m * own->y + body->hx * own->w;
      double moment = body->hx * own->y - body->hy * own->x + body->J * own->w;
      double *row = system->M + model->tree.row0[k];
      int at = model->tree.depth[k];
      /* Only this joint's velocities up to k, then those of the ancestors. */
      int ancestor = (int)i, j = k;
      const planar_body *place = body;
      for (;;) {
        for (; j >= model->first_v[ancestor] && at >= 0; j--, at--) {
          const planar_column *column = &work->columns[j];
          row[at] = column->x * px + column->y * py + column->w * moment;
        }
        if (at < 0) break;
        moment += place->dx * py - place->dy * px;
        ancestor = joints[ancestor].parent;
        place = &bodies[ancestor];
        j = model->first_v[ancestor + 1] - 1;
      }
    }
  }
}
