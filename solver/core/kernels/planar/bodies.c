/* Planar kinematics of the tree, from the ground to the leaves:
 *
 *     turn:   phi_c = phi_p + theta,   r_c = r_p + A_p s_p - A_c s_c          theory (2.2)
 *     slide:  r_P2 = r_P1 + theta u1 + L perp(u1)                              (Coord_Tran; L: slots and discs)
 *     float:  x, y, phi of the mass centre                                     (Coord_Float)
 *
 * A joint is evaluated from its first body to its second, or (`reversed`) the other way; the meaning of its coordinates
 * does not change. */
#include "kernels/planar/planar.h"

#include <assert.h>
#include <math.h>

planar_joint planar_joint_of(const mbs_joint *joint, bool reversed) {
  const mbs_joint_shape *shape = joint->shape;
  planar_joint out = {.motion = PLANAR_GENERAL,
                      .reversed = reversed,
                      .rolls = shape->rolls != NULL,
                      .slide_q = -1,
                      .turn_q = -1,
                      .slide_v = -1,
                      .turn_v = -1};
  int next = 0;
  for (size_t k = 0; k < shape->coordinate_count; k++) {
    if (shape->coordinates[k].primitive == MBS_PRIMITIVE_ANGLE)
      out.turn_q = out.turn_v = next++;
    else if (out.slide_q < 0)
      out.slide_q = out.slide_v = next++;
    else
      next++; /* y of a floating body follows its x */
  }
  if (out.turn_q >= 0 && out.slide_q < 0 && !shape->rolls && !shape->offset) out.motion = PLANAR_TURN;
  if (shape->coordinate_count == 3) out.motion = PLANAR_FLOAT;
  return out;
}

planar_constants planar_constants_of(const mbs_joint_constants *joint, bool reversed) {
  const mbs_geometry *at = &joint->geometry;
  const mbs_real *sp = reversed ? at->s2 : at->s1, *sc = reversed ? at->s1 : at->s2;
  return (planar_constants){.spx = sp[0],
                            .spy = sp[1],
                            .scx = sc[0],
                            .scy = sc[1],
                            .ux = at->u1[0],
                            .uy = at->u1[1],
                            .offset = joint->offset,
                            .angle0 = joint->angle0,
                            .c0 = mbs_cos(joint->angle0),
                            .s0 = mbs_sin(joint->angle0),
                            .roll = joint->roll,
                            .slide0 = joint->slide0};
}

/* Returns the slide of the second point along u1. theory (2.3) */
static mbs_real slide_of(const planar_joint *joint, const planar_constants *numbers, const mbs_real *q) {
  mbs_real slide = joint->slide_q >= 0 ? q[joint->slide_q] : MBS_ALL(0);
  if (joint->rolls) slide += numbers->slide0 - numbers->roll * (q[joint->turn_q] + numbers->angle0);
  return slide;
}

/* Returns the angle of the child of a joint. theory (2.2) */
static inline mbs_real angle_of(const planar_joint *joint, const planar_constants *numbers, mbs_real parent,
                                const mbs_real *q) {
  const double sign = joint->reversed ? -1 : 1;
  if (joint->motion == PLANAR_FLOAT) return q[joint->slide_q + 2];
  if (joint->turn_q < 0) return parent + sign * numbers->angle0;
  /* phi_c = phi_p + sigma (theta_t + phi_0) */
  const mbs_real theta = q[joint->turn_q] + numbers->angle0;
  return joint->reversed ? parent - theta : parent + theta;
}

/* Computes the pose of the child of a joint with a slide, an offset or no rotation, with its d_c and e_c. theory (2.2),
 * (2.4) */
static void carry_general(const planar_joint *joint, const planar_constants *numbers, const planar_body *parent,
                          const mbs_real *q, planar_body *child) {
  double sign = joint->reversed ? -1 : 1;
  if (joint->turn_q < 0) {
    child->c = parent->c * numbers->c0 - sign * parent->s * numbers->s0;
    child->s = parent->s * numbers->c0 + sign * parent->c * numbers->s0;
  }
  /* The slide axis is fixed in the first body: the parent, or the child if reversed. */
  const planar_body *first = joint->reversed ? child : parent;
  mbs_real ux = first->c * numbers->ux - first->s * numbers->uy, uy = first->s * numbers->ux + first->c * numbers->uy;
  mbs_real slide = sign * slide_of(joint, numbers, q), offset = sign * numbers->offset;
  mbs_real spx = parent->c * numbers->spx - parent->s * numbers->spy,
           spy = parent->s * numbers->spx + parent->c * numbers->spy;
  mbs_real scx = child->c * numbers->scx - child->s * numbers->scy,
           scy = child->s * numbers->scx + child->c * numbers->scy;
  /* d_c = s_p + sigma (l u + L perp(u)) - s_c */
  child->dx = spx + slide * ux - offset * uy - scx;
  child->dy = spy + slide * uy + offset * ux - scy;
  /* P2 is the parent's point if reversed, otherwise the child's. */
  child->ex = joint->reversed ? child->dx - spx : -scx;
  child->ey = joint->reversed ? child->dy - spy : -scy;
  /* r_c = r_p + d_c */
  child->x = parent->x + child->dx;
  child->y = parent->y + child->dy;
}

/* Computes the pose of the child, with its d_c and e_c. Its angle must be set, and for a rotation its sine and cosine.
 * theory (2.2), (2.4) */
static inline void carry(const planar_joint *joint, const planar_constants *numbers, const planar_body *parent,
                         const mbs_real *q, planar_body *child) {
  if (joint->motion == PLANAR_TURN) {
    /* e_c = -A_c s'_c, d_c = A_p s'_p + e_c, r_c = r_p + d_c */
    child->ex = child->s * numbers->scy - child->c * numbers->scx;
    child->ey = -child->s * numbers->scx - child->c * numbers->scy;
    child->dx = parent->c * numbers->spx - parent->s * numbers->spy + child->ex;
    child->dy = parent->s * numbers->spx + parent->c * numbers->spy + child->ey;
    child->x = parent->x + child->dx;
    child->y = parent->y + child->dy;
  } else if (joint->motion == PLANAR_FLOAT) {
    /* q = (x, y, phi) */
    const mbs_real *pose = q + joint->slide_q;
    child->x = child->dx = pose[0];
    child->y = child->dy = pose[1];
  } else {
    carry_general(joint, numbers, parent, q, child);
  }
}

void planar_carry(const planar_joint *joint, const planar_constants *numbers, const planar_body *parent,
                  const mbs_real *q, planar_body *child) {
  child->phi = angle_of(joint, numbers, parent->phi, q);
  child->c = mbs_cos(child->phi);
  child->s = mbs_sin(child->phi);
  carry(joint, numbers, parent, q, child);
}

/* Computes the columns of B at the child's mass centre: a rotation is about P2 (d_{i,j} = r_i - P), a slide along u1.
 * theory (2.5) */
static void set_columns(const planar_joint *joint, const planar_constants *numbers, const planar_body *parent,
                        const planar_body *child, planar_column *columns) {
  const mbs_real zero = MBS_ALL(0), one = MBS_ALL(1);
  double sign = joint->reversed ? -1 : 1;
  if (joint->motion == PLANAR_TURN) {
    /* (sigma perp(e_c), sigma) */
    columns[joint->turn_v] = (planar_column){-sign * child->ey, sign * child->ex, MBS_ALL(sign)};
    return;
  }
  if (joint->motion == PLANAR_FLOAT) {
    columns[joint->slide_v] = (planar_column){one, zero, zero};
    columns[joint->slide_v + 1] = (planar_column){zero, one, zero};
    columns[joint->slide_v + 2] = (planar_column){zero, zero, one};
    return;
  }
  const planar_body *first = joint->reversed ? child : parent;
  /* slide: (sigma u, 0); rotation: (sigma perp(e_c) - sigma R u, sigma) */
  mbs_real ux = sign * (first->c * numbers->ux - first->s * numbers->uy);
  mbs_real uy = sign * (first->s * numbers->ux + first->c * numbers->uy);
  if (joint->slide_v >= 0) columns[joint->slide_v] = (planar_column){ux, uy, zero};
  if (joint->turn_v >= 0) /* a rolling rotation also slides */
    columns[joint->turn_v] =
        (planar_column){-sign * child->ey - numbers->roll * ux, sign * child->ex - numbers->roll * uy, MBS_ALL(sign)};
}

/* Computes velocity and beta of the child of a joint with a slide, an offset or no rotation. theory (2.7), (2.8) */
static void carry_velocity_general(const planar_joint *joint, const planar_constants *numbers,
                                   const planar_body *parent, const mbs_real *v, planar_body *child) {
  double sign = joint->reversed ? -1 : 1;
  mbs_real turn = joint->turn_v >= 0 ? v[joint->turn_v] : MBS_ALL(0);
  /* l' = theta_s' - R theta_t' */
  mbs_real slide = (joint->slide_v >= 0 ? v[joint->slide_v] : MBS_ALL(0)) - numbers->roll * turn;
  mbs_real wp = parent->w, wc = wp + sign * turn;
  mbs_real wf = joint->reversed ? wc : wp; /* angular velocity of the body in which the slide axis is fixed */
  const planar_body *first = joint->reversed ? child : parent;
  mbs_real ux = sign * (first->c * numbers->ux - first->s * numbers->uy);
  mbs_real uy = sign * (first->s * numbers->ux + first->c * numbers->uy);
  /* g_c = d_c - e_c */
  mbs_real ex = child->ex, ey = child->ey, px = child->dx - ex, py = child->dy - ey;
  child->w = wc;
  /* r_c' = r_p' + omega_p perp(g_c) + omega_c perp(e_c) + l' sigma u */
  child->vx = parent->vx - wp * py - wc * ey + slide * ux;
  child->vy = parent->vy + wp * px + wc * ex + slide * uy;
  /* beta_c = beta_p - omega_p^2 g_c - omega_c^2 e_c + 2 omega_f l' sigma perp(u) */
  child->bx = parent->bx - wp * wp * px - wc * wc * ex - 2 * wf * slide * uy;
  child->by = parent->by - wp * wp * py - wc * wc * ey + 2 * wf * slide * ux;
}

/* theory (2.7), (2.8) */
void planar_carry_velocity(const planar_joint *joint, const planar_constants *numbers, const planar_body *parent,
                           const mbs_real *v, planar_body *child) {
  if (joint->motion == PLANAR_TURN) {
    /* g_c = d_c - e_c, omega_c = omega_p + sigma theta_t' */
    mbs_real ex = child->ex, ey = child->ey, px = child->dx - ex, py = child->dy - ey;
    mbs_real wp = parent->w, wc = joint->reversed ? wp - v[joint->turn_v] : wp + v[joint->turn_v];
    mbs_real wp2 = wp * wp, wc2 = wc * wc;
    child->w = wc;
    /* r_c' = r_p' + omega_p perp(g_c) + omega_c perp(e_c) */
    child->vx = parent->vx - wp * py - wc * ey;
    child->vy = parent->vy + wp * px + wc * ex;
    /* beta_c = beta_p - omega_p^2 g_c - omega_c^2 e_c */
    child->bx = parent->bx - wp2 * px - wc2 * ex;
    child->by = parent->by - wp2 * py - wc2 * ey;
  } else if (joint->motion == PLANAR_FLOAT) {
    /* v = (x', y', omega), beta = 0 */
    const mbs_real *rate = v + joint->slide_v;
    child->vx = rate[0];
    child->vy = rate[1];
    child->w = rate[2];
    child->bx = child->by = MBS_ALL(0);
  } else {
    carry_velocity_general(joint, numbers, parent, v, child);
  }
}

/* Number of bodies whose sines are computed in one batch. */
enum { TOGETHER = 16 };

void planar_positions(mbs_system *system) {
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  const planar_constants *numbers = planar_numbers(system);
  planar_workspace *workspace = planar_of(system);
  planar_body *bodies = workspace->bodies;
  for (size_t first = 1; first <= model->nB; first += TOGETHER) {
    const size_t end = first + TOGETHER <= model->nB ? first + TOGETHER : model->nB + 1;
    mbs_real angles[TOGETHER], sines[TOGETHER], cosines[TOGETHER];
    for (size_t i = first; i < end; i++)
      angles[i - first] = bodies[i].phi = angle_of(&joints[i], &numbers[i], bodies[joints[i].parent].phi, system->q);
    mbs_sines_of(end - first, angles, sines, cosines);
    for (size_t i = first; i < end; i++) {
      const planar_body *parent = &bodies[joints[i].parent];
      assert(joints[i].parent < (int)i);
      bodies[i].s = sines[i - first];
      bodies[i].c = cosines[i - first];
      carry(&joints[i], &numbers[i], parent, system->q, &bodies[i]);
      set_columns(&joints[i], &numbers[i], parent, &bodies[i], workspace->columns);
    }
  }
}

void planar_velocities(mbs_system *system) {
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  const planar_constants *numbers = planar_numbers(system);
  planar_body *bodies = planar_of(system)->bodies;
  for (size_t i = 1; i <= model->nB; i++)
    planar_carry_velocity(&joints[i], &numbers[i], &bodies[joints[i].parent], system->v, &bodies[i]);
}
