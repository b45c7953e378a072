/* stencils.h - derivatives of a study's outputs as differences of whole runs beside the point, at a tolerance of their
 * own, in steps from which the errors of the differences are extrapolated away. So they are of everything that a run
 * makes of a parameter: its start, its events, the instants that outputs are taken at. theory (19.6) to (19.9) */
#ifndef MBS_STENCILS_H
#define MBS_STENCILS_H

#include "mbs/run.h"
#include "model/plan.h"

typedef struct mbs_stencils mbs_stencils;

/* Of a model that was built with a study and lasts as long; what lasts is of the arena. NULL: no memory. */
mbs_stencils *mbs_stencils_new(const mbs_model *model, mbs_arena *arena);
void mbs_stencils_free(mbs_stencils *stencils);

/* The share of the progress that the run itself is, whose derivatives they are. */
#define MBS_STENCILS_AFTER 0.1

/* At these values [vary_count], after a run that took so many evaluations, by the parameters that are not `known`
 * [vary_count]; NULL: none is. MBS_NO_DERIVATIVE, with `error` filled,
 * where an output has none: its row is NaN, the others are there. What ends a run for other reasons than its motion
 * (MBS_CANCELLED, MBS_TIMED_OUT, MBS_NO_MEMORY) ends this. */
mbs_status mbs_stencils_at(mbs_stencils *stencils, const double *values, const bool *known, uint64_t evaluations,
                           const mbs_hooks *hooks, mbs_error *error);
/* The outputs [output_count] alone, of the motion that derivatives are of, which is more exact than the study's. */
mbs_status mbs_stencils_outputs(mbs_stencils *stencils, const double *values, const mbs_hooks *hooks, double *outputs,
                                mbs_error *error);
/* What the report of that run says of the answer; NULL: nothing. Until the next one. */
const char *mbs_stencils_note(const mbs_stencils *stencils);
/* There are none: of a run that failed. */
void mbs_stencils_none(mbs_stencils *stencils);
/* The last ones [output_count x vary_count]. */
const double *mbs_stencils_values(const mbs_stencils *stencils);
/* The same where an output has no derivative, too: the mean of both sides; NaN where runs beside the point fail. */
const double *mbs_stencils_estimates(const mbs_stencils *stencils);
/* What they and the run before have cost. */
uint64_t mbs_stencils_evaluations(const mbs_stencils *stencils);

#endif
