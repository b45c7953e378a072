/* no_derivative.h - why an output has no derivative by a parameter at a point. */
#ifndef MBS_NO_DERIVATIVE_H
#define MBS_NO_DERIVATIVE_H

#include "derivatives/stencil_runs.h"
#include "derivatives/stencil_slopes.h"

/* What is wrong with the derivative of an output, by the slopes in hand; false: nothing. In motions runs beside the
 * point are compared, at most `widest` from it. Fills `error`, with MBS_NO_DERIVATIVE. */
bool mbs_has_no_derivative(mbs_stencil_runs *runs, const mbs_stencil_slopes *slopes, size_t output, size_t parameter,
                           double widest, mbs_error *error);
/* The same where no run beside the point comes to its end: no output has one. */
void mbs_no_derivative_beside(const mbs_stencil_runs *runs, size_t parameter, mbs_error *error);

#endif
