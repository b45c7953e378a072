/* forward_sensitivity.h - derivatives of a study's outputs by forward sensitivity: the derivatives of the state with
 * respect to the parameters, called tangents, are integrated with the motion. theory (19.10) to (19.13) */
#ifndef MBS_FORWARD_SENSITIVITY_H
#define MBS_FORWARD_SENSITIVITY_H

#include "mbs/run.h"
#include "model/plan.h"

typedef struct mbs_forward_sensitivity mbs_forward_sensitivity;

/* Creates the workspace for a model that was built with a study and outlives it. Allocates from `arena`. Returns NULL
 * if memory runs out. */
mbs_forward_sensitivity *mbs_forward_sensitivity_new(const mbs_model *model, mbs_arena *arena);
void mbs_forward_sensitivity_free(mbs_forward_sensitivity *forward);

/* Computes the derivatives at these values [vary_count]; `sizes` are those of the parameters (parameter_size.h), and
 * `evaluations` what a run at the values took. Fills the columns of the gradient [output_count x vary_count] for the
 * parameters that it marks as `known` [vary_count]; none if the motion or an output is not smooth. Returns
 * MBS_CANCELLED, MBS_TIMED_OUT or MBS_NO_MEMORY if the computation must end, else MBS_OK. */
mbs_status mbs_forward_sensitivity_at(mbs_forward_sensitivity *forward, const double *values, const double *sizes,
                                      uint64_t evaluations, const mbs_hooks *hooks, double *gradient, bool *known,
                                      mbs_error *error);
/* Returns the number of evaluations of the last call. */
uint64_t mbs_forward_sensitivity_evaluations(const mbs_forward_sensitivity *forward);

#endif
