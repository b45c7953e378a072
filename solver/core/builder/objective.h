/* objective.h - what a study seeks: an objective with its conditions, or agreement with data. */
#ifndef MBS_OBJECTIVE_H
#define MBS_OBJECTIVE_H

#include "builder/builder.h"
#include "model/plan.h"

/* Into plan->objective, after the outputs. */
void mbs_read_objective(mbs_builder *builder, const mbs_node *node, struct mbs_plan *plan);
/* Measured values that a fit has. */
size_t mbs_count_data(const mbs_node *fit);
/* Into plan->data, and an output for each behind those of the document; both have room for all of them. */
void mbs_read_data(mbs_builder *builder, const mbs_node *fit, size_t parameters, struct mbs_plan *plan);

/* ---- study.c ---- */
/* Reports an instant that is not in the run. */
void mbs_check_instant(mbs_builder *builder, double t, const char *pointer);
/* What an output or a datum is of. */
void mbs_read_of(mbs_builder *builder, const mbs_node *node, mbs_planned_output *output);

#endif
