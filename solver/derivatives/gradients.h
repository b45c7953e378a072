/* gradients.h - derivatives of a study's outputs with respect to the parameters that it varies.
 *
 * The derivatives are those of the exact solution. They include every effect of a parameter: on the start, on events,
 * and on the instants at which outputs are taken. If the motion is smooth in the parameter, they come from forward
 * sensitivity (forward_sensitivity.h). Otherwise, or if that is in doubt, they are finite differences of whole runs
 * (finite_difference.h). */
#ifndef MBS_GRADIENTS_H
#define MBS_GRADIENTS_H

#include "mbs/run.h"
#include "model/plan.h"

typedef struct mbs_gradients mbs_gradients;

/* Creates the workspace for a model that was built with a study and outlives it. Allocates from `arena`. Returns NULL
 * if memory runs out. */
mbs_gradients *mbs_gradients_new(const mbs_model *model, mbs_arena *arena);
void mbs_gradients_free(mbs_gradients *gradients);

/* Share of the progress that belongs to the run before the derivatives. */
#define MBS_GRADIENTS_AFTER 0.1

/* Computes the derivatives at these values [vary_count], after a run that took `evaluations`. Returns
 * MBS_NO_DERIVATIVE, with `error` filled, if an output has none: its row is NaN, the others are valid. Also returns
 * MBS_CANCELLED, MBS_TIMED_OUT or MBS_NO_MEMORY. */
mbs_status mbs_gradients_at(mbs_gradients *gradients, const double *values, uint64_t evaluations,
                            const mbs_hooks *hooks, mbs_error *error);
/* Computes the outputs [output_count] alone, from the motion that is differentiated, which is more exact than the
 * study's. */
mbs_status mbs_gradients_outputs(mbs_gradients *gradients, const double *values, const mbs_hooks *hooks,
                                 double *outputs, mbs_error *error);
/* Returns the note in the report of that run, until the next run; NULL if there is none. */
const char *mbs_gradients_note(const mbs_gradients *gradients);
/* Sets all derivatives to NaN, for a run that failed. */
void mbs_gradients_none(mbs_gradients *gradients);
/* Returns the last derivatives [output_count x vary_count]. */
const double *mbs_gradients_values(const mbs_gradients *gradients);
/* Returns the same, with the mean of both one-sided slopes if an output has no derivative; NaN if runs near the point
 * fail. */
const double *mbs_gradients_estimates(const mbs_gradients *gradients);
/* Returns the number of evaluations of the derivatives and of the run before them. */
uint64_t mbs_gradients_evaluations(const mbs_gradients *gradients);

#endif
