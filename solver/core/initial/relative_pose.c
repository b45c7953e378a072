/* Relative poses, in the plane and in space. */
#include "initial/relative_pose.h"

#include "base/rotation.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

static const double centre[3] = {0, 0, 0};

void mbs_read_pose(const mbs_system *system, int body, mbs_pose *out) {
  const mbs_kernels *kernels = system->model->kernels;
  double rotation[3];
  *out = (mbs_pose){.p = {1, 0, 0, 0}};
  if (body == 0) return;
  kernels->point(system, body, centre, 0, out->r);
  if (kernels->orientation) {
    kernels->orientation(system, body, out->p);
  } else {
    kernels->rotation(system, body, 0, rotation);
    out->angle = rotation[2];
  }
}

static void axes_of(const mbs_model *model, const mbs_pose *pose, double A[9]) {
  double c = cos(pose->angle), s = sin(pose->angle);
  const double planar[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  if (model->dim == 3)
    mbs_euler_matrix(pose->p, A);
  else
    memcpy(A, planar, sizeof planar);
}

/* theory (1.16) */
void mbs_relative_pose(const mbs_model *model, const mbs_pose *first, const mbs_pose *second, const double s1[3],
                       const double s2[3], mbs_pose *out) {
  double A1[9], A2[9], arm[3], d[3], back[4];
  axes_of(model, first, A1);
  axes_of(model, second, A2);
  mbs_rotate(A2, s2, arm);
  /* d = A1' (r2 + A2 s2 - r1) - s1, p1^-1 p2 */
  for (int k = 0; k < 3; k++) d[k] = second->r[k] + arm[k] - first->r[k];
  *out = (mbs_pose){.angle = second->angle - first->angle};
  mbs_rotate_back(A1, d, out->r);
  for (int k = 0; k < 3; k++) out->r[k] -= s1[k];
  mbs_euler_inverse(first->p, back);
  mbs_euler_product(back, second->p, out->p);
}

void mbs_absolute_pose(const mbs_model *model, const mbs_pose *first, const mbs_pose *relative, const double s1[3],
                       const double s2[3], mbs_pose *out) {
  double A1[9], A2[9], arm1[3], arm2[3], d[3];
  *out = (mbs_pose){.angle = first->angle + relative->angle};
  mbs_euler_product(first->p, relative->p, out->p);
  axes_of(model, first, A1);
  axes_of(model, out, A2);
  /* r2 = r1 + A1 (s1 + d) - A2 s2 */
  for (int k = 0; k < 3; k++) d[k] = s1[k] + relative->r[k];
  mbs_rotate(A1, d, arm1);
  mbs_rotate(A2, s2, arm2);
  for (int k = 0; k < 3; k++) out->r[k] = first->r[k] + arm1[k] - arm2[k];
}

void mbs_tree_points(const mbs_constants *constants, int body, const double **s1, const double **s2) {
  const mbs_model *model = constants->model;
  int j = model->start_joint[body];
  *s1 = *s2 = centre;
  if (j < 0) return;
  const mbs_geometry *at = &constants->joints[j].geometry;
  bool reversed = model->joints[j].frames.body1 == body;
  *s1 = reversed ? at->s2 : at->s1;
  *s2 = reversed ? at->s1 : at->s2;
}
