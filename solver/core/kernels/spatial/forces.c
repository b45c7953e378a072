/* Inputs of force elements from spatial bodies, and their forces on these bodies. */
#include "kernels/spatial/spatial.h"

#include <assert.h>
#include <string.h>

void spatial_point(const mbs_system *system, int body, const mbs_real s[3], int level, mbs_real out[3]) {
  assert(level >= 0 && level <= 2);
  const spatial_body *b = &spatial_of(system)->bodies[body];
  if (level < 2) {
    spatial_point_of(b, s, level, out);
    return;
  }
  mbs_real arm[3];
  mbs_rotate(b->A, s, arm);
  memcpy(out, b->a, 3 * sizeof *out);
  /* r'' + alpha x s + omega x (omega x s) */
  mbs_add_cross(b->alpha, arm, out);
  mbs_add_double_cross(b->w, b->w, arm, out);
}

void spatial_to_global(const mbs_system *system, int body, const mbs_real u[3], mbs_real out[3]) {
  mbs_real turned[3];
  mbs_rotate(spatial_of(system)->bodies[body].A, u, turned);
  memcpy(out, turned, sizeof turned);
}

void spatial_rotation(const mbs_system *system, int body, int level, mbs_real out[3]) {
  const spatial_body *b = &spatial_of(system)->bodies[body];
  memcpy(out, level == 1 ? b->w : b->alpha, 3 * sizeof *out);
}

void spatial_orientation(const mbs_system *system, int body, mbs_real p[4]) {
  memcpy(p, spatial_of(system)->bodies[body].p, 4 * sizeof *p);
}

/* theory (3.5) */
mbs_real spatial_read_primitive(const mbs_system *system, const mbs_block *block, int level) {
  assert(level >= 0 && level <= 2);
  spatial_primitive at[3];
  spatial_primitive_now(system, block, mbs_block_numbers(system, block), at);
  if (level == 0) return at[0].g;
  spatial_body one = spatial_of(system)->bodies[block->frames.body1],
               two = spatial_of(system)->bodies[block->frames.body2];
  /* g' = D1 V1 + D2 V2 */
  if (level == 1)
    return mbs_dot(at[0].v1, one.v) + mbs_dot(at[0].w1, one.w) + mbs_dot(at[0].v2, two.v) + mbs_dot(at[0].w2, two.w);
  /* the bias for V' = the true accelerations */
  memcpy(one.b, one.a, sizeof one.b);
  memcpy(one.bw, one.alpha, sizeof one.bw);
  memcpy(two.b, two.a, sizeof two.b);
  memcpy(two.bw, two.alpha, sizeof two.bw);
  const spatial_near near = {.angle = {MBS_ALL(0)}};
  spatial_primitive_at(block, mbs_block_numbers(system, block), &one, &two, &near, at);
  return at[0].bias;
}

void spatial_push(mbs_system *system, int body, const mbs_real s[3], const mbs_real f[3]) {
  assert(body >= 0 && (size_t)body <= system->model->nB);
  spatial_body *b = &spatial_of(system)->bodies[body];
  mbs_real arm[3];
  mbs_rotate(b->A, s, arm);
  /* f, n = s x f */
  for (int k = 0; k < 3; k++) b->f[k] += f[k];
  mbs_add_cross(arm, f, b->n);
}

void spatial_twist(mbs_system *system, int body, const mbs_real n[3]) {
  for (int k = 0; k < 3; k++) spatial_of(system)->bodies[body].n[k] += n[k];
}

/* theory (7.2) */
void spatial_push_along(mbs_system *system, const mbs_block *block, mbs_real Q) {
  spatial_primitive at[3];
  spatial_body *bodies = spatial_of(system)->bodies;
  spatial_body *first = &bodies[block->frames.body1], *second = &bodies[block->frames.body2];
  const spatial_near near = {.angle = {MBS_ALL(0)}};
  spatial_primitive_at(block, mbs_block_numbers(system, block), first, second, &near, at);
  /* D1' Q on the first body, D2' Q on the second */
  for (int k = 0; k < 3; k++) {
    first->f[k] += Q * at[0].v1[k];
    first->n[k] += Q * at[0].w1[k];
    second->f[k] += Q * at[0].v2[k];
    second->n[k] += Q * at[0].w2[k];
  }
}
