/* cubic_dense.h - dense output for a method without its own: the cubic with the exact values and slopes at both ends of
 * the step. Its error is of the order h^4, like that of a method of order 4 over a span. The functions are mbs_method's
 * dense_prepare and dense; theory (16.9) (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed.,
 * II.6). */
#ifndef MBS_CUBIC_DENSE_H
#define MBS_CUBIC_DENSE_H

#include "ode/integrator.h"

/* The cubic uses the first columns of a method's workspace. */
enum { MBS_CUBIC_COLUMNS = 2 };

mbs_status mbs_cubic_dense_prepare(const mbs_ode *ode, double t, double h, const double *restrict y,
                                   const double *restrict f0, const double *restrict y1, const double *restrict f1,
                                   double *restrict workspace, uint64_t *evaluations);
void mbs_cubic_dense(size_t n, double theta, double h, const double *restrict y, const double *restrict y1,
                     const double *restrict workspace, double *restrict out);

#endif
