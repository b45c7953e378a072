/* newton.h - the matrix G = 1 - gamma df/dy of Newton's method, for bdf with many states. Private to ode/.
 *
 * Of one part with constraints only the directions that these leave are unknown: along others the slopes change little,
 * and the iteration corrects for that. G then has the order of the degrees of freedom.
 *
 * Columns of df/dy are finite differences. States of parts on which no common slope depends are perturbed in one
 * evaluation (Curtis, Powell, Reid, J. Inst. Math. Appl. 13, 1974). If half of the states are the rates of the others,
 * these are eliminated, which halves the order of the matrix. With many parts the matrix is a band in their reverse
 * Cuthill-McKee order; otherwise it is dense. */
#ifndef MBS_NEWTON_H
#define MBS_NEWTON_H

#include "ode/steps.h"

typedef struct mbs_newton mbs_newton;

/* Computes the slopes f [n] at (t, y). */
typedef mbs_status mbs_slopes(void *context, double t, const double *y, double *f);

/* Returns Delta_j, the increment of state j for a difference. theory (16.13) */
static inline double mbs_increment(const mbs_tolerance *tolerance, size_t j, double y) {
  const double unit = mbs_error_unit(tolerance, j);
  return unit * sqrt(DBL_EPSILON * fmax(1e-5, fabs(y) / unit));
}

/* Creates the matrix. Returns NULL if memory runs out. */
mbs_newton *mbs_newton_new(const mbs_ode *ode, const mbs_tolerance *tolerance);
void mbs_newton_free(mbs_newton *self);

/* Computes df/dy at (t, y), where the slopes are f. Changes y [n] and restores it; `moved` [n] is workspace. */
mbs_status mbs_newton_differentiate(mbs_newton *self, mbs_slopes *slopes, void *context, double t, double *y,
                                    const double *f, double *moved);
/* Computes the factors of G. Returns false if G is singular. */
bool mbs_newton_factor(mbs_newton *self, double gamma);
/* Solves G x = b in place: x [n] := G^-1 x. */
void mbs_newton_solve(mbs_newton *self, double *x);

#endif
