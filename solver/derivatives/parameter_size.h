/* parameter_size.h - the size of a parameter: the change by which its effect is measured. */
#ifndef MBS_PARAMETER_SIZE_H
#define MBS_PARAMETER_SIZE_H

#include "mbs/run.h"

/* Computes the sizes [vary_count] of the parameters of a study at `values` [vary_count]. The size is |p|, or the scale
 * S if p is zero compared with S, e.g. 1e-12 or sin(pi). S is the change of p, to first order, by which one of these
 * changes fully: the start by its scales of accuracy, a point by the extent of the mechanism, a mass by the largest
 * mass, or accelerations by the largest of them. S is 1 if none of these changes. Returns MBS_NO_MEMORY if memory runs
 * out, else MBS_OK. */
mbs_status mbs_parameter_sizes(const mbs_model *model, const double *values, double *sizes);

#endif
