/* objective.h - the objective of a study with its conditions, or its data to fit. */
#ifndef MBS_OBJECTIVE_H
#define MBS_OBJECTIVE_H

#include "builder/builder.h"
#include "model/plan.h"

/* Reads the objective into plan->objective, after the outputs. */
void mbs_read_objective(mbs_builder *builder, const mbs_node *node, struct mbs_plan *plan);
/* Returns the number of measured values of a fit. */
size_t mbs_count_data(const mbs_node *fit);
/* Reads the data into plan->data, and adds an output for each after those of the document; both arrays must be large
 * enough. */
void mbs_read_data(mbs_builder *builder, const mbs_node *fit, size_t parameters, struct mbs_plan *plan);

/* ---- study.c ---- */
/* Reports an instant outside the run. */
void mbs_check_instant(mbs_builder *builder, double t, const char *pointer);
/* Reads the quantity of an output or a datum. */
void mbs_read_output_quantity(mbs_builder *builder, const mbs_node *node, mbs_planned_output *output);

#endif
