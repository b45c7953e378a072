/* gradients.h - derivatives of a study's outputs in the parameters that it varies.
 *
 * They are of the exact solution: of everything that a run makes of a parameter, its start, its events, the instants
 * that outputs are taken at. Where the motion is smooth in the parameter, tangents tell them (forward_sensitivity.h);
 * otherwise, and wherever tangents leave a doubt, differences of whole runs (finite_difference.h). */
#ifndef MBS_GRADIENTS_H
#define MBS_GRADIENTS_H

#include "mbs/run.h"
#include "model/plan.h"

typedef struct mbs_gradients mbs_gradients;

/* Of a model that was built with a study and lasts as long; what lasts is of the arena. NULL: no memory. */
mbs_gradients *mbs_gradients_new(const mbs_model *model, mbs_arena *arena);
void mbs_gradients_free(mbs_gradients *gradients);

/* The share of the progress that the run itself is, whose derivatives they are. */
#define MBS_GRADIENTS_AFTER 0.1

/* At these values [vary_count], after a run that took so many evaluations. MBS_NO_DERIVATIVE, with `error` filled,
 * where an output has none: its row is NaN, the others are there. What ends a run for other reasons than its motion
 * (MBS_CANCELLED, MBS_TIMED_OUT, MBS_NO_MEMORY) ends this. */
mbs_status mbs_gradients_at(mbs_gradients *gradients, const double *values, uint64_t evaluations,
                            const mbs_hooks *hooks, mbs_error *error);
/* The outputs [output_count] alone, of the motion that derivatives are of, which is more exact than the study's. */
mbs_status mbs_gradients_outputs(mbs_gradients *gradients, const double *values, const mbs_hooks *hooks,
                                 double *outputs, mbs_error *error);
/* What the report of that run says of the answer; NULL: nothing. Until the next one. */
const char *mbs_gradients_note(const mbs_gradients *gradients);
/* There are none: of a run that failed. */
void mbs_gradients_none(mbs_gradients *gradients);
/* The last ones [output_count x vary_count]. */
const double *mbs_gradients_values(const mbs_gradients *gradients);
/* The same where an output has no derivative, too: the mean of both sides; NaN where runs beside the point fail. */
const double *mbs_gradients_estimates(const mbs_gradients *gradients);
/* What they and the run before have cost. */
uint64_t mbs_gradients_evaluations(const mbs_gradients *gradients);

#endif
