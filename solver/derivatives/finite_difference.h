/* finite_difference.h - derivatives of a study's outputs by differences of whole runs. Used if forward sensitivity
 * (forward_sensitivity.h) does not apply, for example at contacts and laws that switch. theory (19.6) to (19.9) */
#ifndef MBS_FINITE_DIFFERENCE_H
#define MBS_FINITE_DIFFERENCE_H

#include "mbs/run.h"
#include "model/plan.h"

typedef struct mbs_finite_difference mbs_finite_difference;

/* Creates the workspace for a model that was built with a study and outlives it. Allocates from `arena`. Returns NULL
 * if memory runs out. */
mbs_finite_difference *mbs_finite_difference_new(const mbs_model *model, mbs_arena *arena);
void mbs_finite_difference_free(mbs_finite_difference *self);

/* Share of the progress that belongs to the run before the derivatives. */
#define MBS_FINITE_DIFFERENCE_AFTER 0.1

/* Computes the derivatives at these values [vary_count] by the parameters that are not `known` [vary_count] (NULL:
 * all), after a run that took `evaluations`. `sizes` [vary_count] are those of the parameters (parameter_size.h).
 * Returns MBS_NO_DERIVATIVE, with `error` filled, if an output has none: its entry is NaN, the others are valid. Also
 * returns MBS_CANCELLED, MBS_TIMED_OUT or MBS_NO_MEMORY. */
mbs_status mbs_finite_difference_at(mbs_finite_difference *self, const double *values, const double *sizes,
                                    const bool *known, uint64_t evaluations, const mbs_hooks *hooks, mbs_error *error);
/* Computes the outputs [output_count] alone, from the motion that is differentiated. */
mbs_status mbs_finite_difference_outputs(mbs_finite_difference *self, const double *values, const mbs_hooks *hooks,
                                         double *outputs, mbs_error *error);
/* Returns the note in the report of that run, until the next run; NULL if there is none. */
const char *mbs_finite_difference_note(const mbs_finite_difference *self);
/* Returns the last derivatives [output_count x vary_count]; NaN: none. */
const double *mbs_finite_difference_values(const mbs_finite_difference *self);
/* Returns the same, with the mean of both one-sided slopes if an output has no derivative; NaN if runs near the point
 * fail. */
const double *mbs_finite_difference_estimates(const mbs_finite_difference *self);
/* Returns the number of evaluations, including those of the run before. */
uint64_t mbs_finite_difference_evaluations(const mbs_finite_difference *self);
/* Returns the number of batches, of up to MBS_DIFFERENCE_RUNS runs each, for the last derivatives. */
size_t mbs_finite_difference_batches(const mbs_finite_difference *self);
enum { MBS_DIFFERENCE_RUNS = 8 };

/* Returns the error MBS_NO_DERIVATIVE of a motion that passes an event or a sample `name` at t. */
mbs_error mbs_passed_error(const char *name, double t);

#endif
