/* point.h - a run of a model for given values of the parameters that its study varies. */
#ifndef MBS_POINT_H
#define MBS_POINT_H

#include "mbs/run.h"
#include "model/constants.h"
#include "model/plan.h"
#include "run/observer.h"

struct mbs_mode_tracking;
struct mbs_tangents;
struct mbs_batch;

typedef struct mbs_point_runs mbs_point_runs;

/* Runs of `model`, which was built with a study and lasts as long; what lasts is of the arena. NULL: no memory. */
mbs_point_runs *mbs_point_runs_new(const mbs_model *model, mbs_arena *arena);
void mbs_point_runs_free(mbs_point_runs *runs);

/* The outputs [output_count] of a run for these values [vary_count]. A run binds the numbers of the model; where its
 * structure depends on a parameter that takes another value, the model is built anew. On failure returns its status and
 * fills `error`; the outputs are NaN. */
mbs_status mbs_point_run(mbs_point_runs *runs, const double *values, const mbs_hooks *hooks, double *outputs,
                         mbs_error *error);
/* Begins such a run in a lane (batch_simulation.h); false: it is to be made by itself. Then its end, with its status
 * there. */
bool mbs_point_begin(mbs_point_runs *runs, const double *values, struct mbs_batch *batch, int lane,
                     const mbs_hooks *hooks, mbs_error *error);
mbs_status mbs_point_end(mbs_point_runs *runs, mbs_status status, double *outputs, mbs_error *error);
/* The same of a run with tangents by so many parameters, and the outputs' derivatives [output_count x count]. *told is
 * false where tangents do not tell them; then the status is none of the motion's, unless that ends all. */
mbs_status mbs_point_follow(mbs_point_runs *runs, const double *values, struct mbs_tangents *tangents, size_t count,
                            const mbs_hooks *hooks, double *outputs, double *gradient, bool *told);
/* Such a run whose motion `observer` is shown instead; the structure is the model's. */
mbs_status mbs_point_observe(mbs_point_runs *runs, const double *values, const mbs_observer *observer,
                             const mbs_hooks *hooks);
/* Binds constants to these values; false where the structure would be another one, or the model refuses them. */
bool mbs_point_bind(mbs_point_runs *runs, const double *values, mbs_constants *constants);
/* From now on outputs that are of modes are those of these (mode_tracking.h); NULL: of each run's own. */
void mbs_point_follow_modes(mbs_point_runs *runs, struct mbs_mode_tracking *modes);
/* What the last one has cost. */
uint64_t mbs_point_evaluations(const mbs_point_runs *runs);
/* Whether the extreme that an output of the last one is of is flat (reductions.h). */
bool mbs_point_flat(const mbs_point_runs *runs, size_t output);
/* The events of such a run, as they would be reported, in an arena [*count]; NULL: it fails, or has none. */
const mbs_event *mbs_point_events(mbs_point_runs *runs, const double *values, const mbs_hooks *hooks, mbs_arena *arena,
                                  size_t *count);
/* How far its redundant rows were from what they ask for, at most, in units of accuracy. */
double mbs_point_redundant_residual(const mbs_point_runs *runs);
/* What its report says of the answer, although it is quiet; NULL: nothing. Until the next one. */
const char *mbs_point_note(const mbs_point_runs *runs);
/* Whether the last one failed before it began: the model refuses these values. */
bool mbs_point_refused(const mbs_point_runs *runs);

#endif
