/* forward_sensitivity.h - derivatives of a study's outputs by tangents: how the motion changes with each parameter is
 * integrated along with it, from how its start does. theory (19.10) to (19.13) */
#ifndef MBS_FORWARD_SENSITIVITY_H
#define MBS_FORWARD_SENSITIVITY_H

#include "mbs/run.h"
#include "model/plan.h"

typedef struct mbs_forward_sensitivity mbs_forward_sensitivity;

/* Of a model that was built with a study and lasts as long; what lasts is of the arena. NULL: no memory. */
mbs_forward_sensitivity *mbs_forward_sensitivity_new(const mbs_model *model, mbs_arena *arena);
void mbs_forward_sensitivity_free(mbs_forward_sensitivity *forward);

/* At these values [vary_count], of parameters of these sizes (parameter_size.h), of which a run took so many
 * evaluations: columns of the gradient [output_count x vary_count], by the parameters that are then `known`
 * [vary_count]; none where the motion or an output is not smooth. Other ends than MBS_OK are those that end all:
 * MBS_CANCELLED, MBS_TIMED_OUT, MBS_NO_MEMORY. */
mbs_status mbs_forward_sensitivity_at(mbs_forward_sensitivity *forward, const double *values, const double *sizes,
                                      uint64_t evaluations, const mbs_hooks *hooks, double *gradient, bool *known,
                                      mbs_error *error);
/* What it has cost. */
uint64_t mbs_forward_sensitivity_evaluations(const mbs_forward_sensitivity *forward);

#endif
