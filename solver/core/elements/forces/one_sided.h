/* one_sided.h - the normal force of compliant surfaces that touch and never pull, over the depth d:
 *
 *     N = max(0, K d^n + (chi K / d0' + c_n) d^n d' + c d')
 *
 * d0' is the approach speed at the start of the contact. K d^(n+1) / (n+1) is potential energy; all other energy is
 * dissipated. theory (7.8) */
#ifndef MBS_ONE_SIDED_H
#define MBS_ONE_SIDED_H

#include "equations/system.h"

typedef struct mbs_one_sided {
  double stiffness, exponent; /* K, n */
  double share;               /* chi, the damping for d' = d0' as a share of K d^n */
  double factor;              /* c_n */
  double viscous;             /* c */
} mbs_one_sided;

/* Approach speed of a contact whose start is not known: it makes the damping by restitution zero. */
static const double mbs_unseen_approach = INFINITY;

/* Returns the normal force at the depth d with the rate d', without its maximum: negative where the law would pull. */
double mbs_one_sided_force(const mbs_one_sided *law, double depth, double rate, double approach);
/* Returns a number with the sign of that force which is smooth and does not vanish with d: N/K with the viscous damper,
 * else N/(K d^n). */
double mbs_one_sided_pressure(const mbs_one_sided *law, double depth, double rate, double approach);
/* Adds the energy and the dissipation of a normal force N at the depth d with the rate d'. */
void mbs_one_sided_power(mbs_system *system, const mbs_one_sided *law, double depth, double rate, double N);

#endif
