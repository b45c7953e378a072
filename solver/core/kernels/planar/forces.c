/* Inputs of force elements from planar bodies, and their forces on these bodies. */
#include <assert.h>

#include "kernels/planar/planar.h"

void planar_point(const mbs_system *system, int body, const mbs_real s[3], int level, mbs_real out[3]) {
  assert(level >= 0 && level <= 2);
  const planar_body *b = &planar_of(system)->bodies[body];
  out[2] = MBS_ALL(0);
  if (level < 2) {
    planar_point_of(b, s, level, out);
  } else if (body == 0) {
    out[0] = out[1] = MBS_ALL(0);
  } else {
    const mbs_real sx = b->c * s[0] - b->s * s[1], sy = b->s * s[0] + b->c * s[1];
    /* r'' + alpha perp(s) - omega^2 s */
    out[0] = b->ax - b->alpha * sy - b->w * b->w * sx;
    out[1] = b->ay + b->alpha * sx - b->w * b->w * sy;
  }
}

void planar_to_global(const mbs_system *system, int body, const mbs_real u[3], mbs_real out[3]) {
  const planar_body *b = &planar_of(system)->bodies[body];
  mbs_real x = b->c * u[0] - b->s * u[1], y = b->s * u[0] + b->c * u[1];
  out[0] = x;
  out[1] = y;
  out[2] = u[2];
}

void planar_rotation(const mbs_system *system, int body, int level, mbs_real out[3]) {
  const planar_body *b = &planar_of(system)->bodies[body];
  out[0] = out[1] = MBS_ALL(0);
  out[2] = level == 0 ? b->phi : level == 1 ? b->w : body == 0 ? MBS_ALL(0) : b->alpha;
}

/* theory (3.5) */
mbs_real planar_read_primitive(const mbs_system *system, const mbs_block *block, int level) {
  assert(level >= 0 && level <= 2);
  const planar_body *first = &planar_of(system)->bodies[block->frames.body1];
  const planar_body *second = &planar_of(system)->bodies[block->frames.body2];
  if (level == 0) {
    planar_primitive at[2];
    planar_primitive_rows_at(block, mbs_block_numbers(system, block), first, second, at);
    return at[0].g;
  }
  planar_body one = *first, two = *second;
  if (level == 2) { /* bias for V' = the true accelerations */
    one.bx = one.ax;
    one.by = one.ay;
    two.bx = two.ax;
    two.by = two.ay;
    if (block->frames.body1 == 0) one.bx = one.by = MBS_ALL(0);
    if (block->frames.body2 == 0) two.bx = two.by = MBS_ALL(0);
  }
  planar_primitive at[2];
  planar_primitive_rows_at(block, mbs_block_numbers(system, block), &one, &two, at);
  const planar_primitive *m = &at[0];
  /* g' = D1 V1 + D2 V2 */
  if (level == 1)
    return m->d1[0] * one.vx + m->d1[1] * one.vy + m->d1[2] * one.w + m->d2[0] * two.vx + m->d2[1] * two.vy +
           m->d2[2] * two.w;
  /* g'': terms missing in the bias, which assumes omega' = 0 */
  mbs_real alpha1 = block->frames.body1 ? one.alpha : MBS_ALL(0), alpha2 = block->frames.body2 ? two.alpha : MBS_ALL(0);
  return m->bias + m->d1[2] * alpha1 + m->d2[2] * alpha2;
}

void planar_push(mbs_system *system, int body, const mbs_real s[3], const mbs_real f[3]) {
  assert(body >= 0 && (size_t)body <= system->model->nB);
  planar_body *b = &planar_of(system)->bodies[body];
  mbs_real sx = b->c * s[0] - b->s * s[1], sy = b->s * s[0] + b->c * s[1];
  /* f, n = s x f */
  b->fx += f[0];
  b->fy += f[1];
  b->n += sx * f[1] - sy * f[0];
}

void planar_twist(mbs_system *system, int body, const mbs_real n[3]) { planar_of(system)->bodies[body].n += n[2]; }

/* theory (7.2) */
void planar_push_along(mbs_system *system, const mbs_block *block, mbs_real Q) {
  planar_primitive at[2];
  planar_body *first = &planar_of(system)->bodies[block->frames.body1],
              *second = &planar_of(system)->bodies[block->frames.body2];
  planar_primitive_rows_at(block, mbs_block_numbers(system, block), first, second, at);
  /* D1' Q on the first body, D2' Q on the second */
  first->fx += Q * at[0].d1[0];
  first->fy += Q * at[0].d1[1];
  first->n += Q * at[0].d1[2];
  second->fx += Q * at[0].d2[0];
  second->fy += Q * at[0].d2[1];
  second->n += Q * at[0].d2[2];
}
