/* newton.h - the matrix of Newton's method for bdf, where there are many states: G = 1 - gamma df/dy. Private to
 * ode/.
 *
 * Columns of df/dy are differences; states of parts that no slope depends on together are moved at once (Curtis,
 * Powell, Reid, J. Inst. Math. Appl. 13, 1974). Where half of the states are the rates of the others, these are
 * eliminated, and half the order is left. Where parts are many, the matrix is a band in their reverse Cuthill-McKee
 * order, else it is dense. */
#ifndef MBS_NEWTON_H
#define MBS_NEWTON_H

#include "ode/steps.h"

typedef struct mbs_newton mbs_newton;

/* Slopes f [n] at (t, y). */
typedef mbs_status mbs_slopes(void *context, double t, const double *y, double *f);

/* Delta_j, by which state j is moved for a difference. theory (16.13) */
static inline double mbs_increment(const mbs_tolerance *tolerance, size_t j, double y) {
  const double unit = mbs_error_unit(tolerance, j);
  return unit * sqrt(DBL_EPSILON * fmax(1e-5, fabs(y) / unit));
}

/* NULL: no memory. */
mbs_newton *mbs_newton_new(const mbs_ode *ode, const mbs_tolerance *tolerance);
void mbs_newton_free(mbs_newton *self);

/* df/dy at (t, y), where the slopes are f; y [n] is moved and comes back, `moved` [n] is workspace. */
mbs_status mbs_newton_differentiate(mbs_newton *self, mbs_slopes *slopes, void *context, double t, double *y,
                                    const double *f, double *moved);
/* The factors of G; false where it is singular. */
bool mbs_newton_factor(mbs_newton *self, double gamma);
/* x [n] := G^-1 x. */
void mbs_newton_solve(mbs_newton *self, double *x);

#endif
