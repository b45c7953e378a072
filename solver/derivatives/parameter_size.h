/* parameter_size.h - how large a change of a parameter counts for something. */
#ifndef MBS_PARAMETER_SIZE_H
#define MBS_PARAMETER_SIZE_H

#include "mbs/run.h"

/* Computes the sizes [vary_count] of the parameters of a study at `values` [vary_count]: |p|, but for a parameter that
 * is zero beside the scale S of what it enters, as 1e-12 or sin(pi) may be: S. S is the change of p by which the start
 * changes by its units, a point by the extent of the mechanism, a mass by the largest one, or accelerations by as much
 * as there are, to first order; 1 where nothing of these changes. So the size of such a parameter is that of 0.
 * Returns MBS_NO_MEMORY if memory runs out, else MBS_OK. */
mbs_status mbs_parameter_sizes(const mbs_model *model, const double *values, double *sizes);

#endif
