/* design.h - the points of a study. */
#ifndef MBS_DESIGN_H
#define MBS_DESIGN_H

#include "model/plan.h"

/* Computes the values [vary_count] of the varied parameters in run `index`. */
void mbs_design_point(const struct mbs_plan *plan, size_t index, double *values);

#endif
