/* design.h - the points of a study. */
#ifndef MBS_DESIGN_H
#define MBS_DESIGN_H

#include "model/plan.h"

/* The values of the parameters that a plan varies, in run `index` [vary_count]. */
void mbs_design_point(const struct mbs_plan *plan, size_t index, double *values);

#endif
