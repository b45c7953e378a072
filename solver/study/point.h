/* point.h - runs a model for given values of the parameters that its study varies. */
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

/* Creates the workspace for runs of `model`, which was built with a study and must outlive it. Allocates from `arena`.
 * Returns NULL if memory runs out. */
mbs_point_runs *mbs_point_runs_new(const mbs_model *model, mbs_arena *arena);
void mbs_point_runs_free(mbs_point_runs *runs);

/* Runs the model for these values [vary_count] and computes the outputs [output_count]. Binds the numbers of the model;
 * builds a new model if its structure depends on a changed parameter. On failure returns the status of the run and
 * fills `error`; the outputs are NaN. */
mbs_status mbs_point_run(mbs_point_runs *runs, const double *values, const mbs_hooks *hooks, double *outputs,
                         mbs_error *error);
/* begin: begins such a run in a lane (batch_simulation.h); returns false if it must be made separately. end: computes
 * the outputs of that run, which ended with `status`. */
bool mbs_point_begin(mbs_point_runs *runs, const double *values, struct mbs_batch *batch, int lane,
                     const mbs_hooks *hooks, mbs_error *error);
mbs_status mbs_point_end(mbs_point_runs *runs, mbs_status status, double *outputs, mbs_error *error);
/* Runs the model with tangents by `count` parameters; also computes the derivatives [output_count x count]. Clears
 * *determined if forward sensitivity does not apply; the status then does not concern the motion, unless it ends the
 * computation. */
mbs_status mbs_point_run_tangents(mbs_point_runs *runs, const double *values, struct mbs_tangents *tangents,
                                  size_t count, const mbs_hooks *hooks, double *outputs, double *gradient,
                                  bool *determined);
/* Runs the model with this observer in place of the outputs. The structure must be the model's. */
mbs_status mbs_point_observe(mbs_point_runs *runs, const double *values, const mbs_observer *observer,
                             const mbs_hooks *hooks);
/* Binds constants to these values. Returns false if the structure would change or the model rejects the values. */
bool mbs_point_bind(mbs_point_runs *runs, const double *values, mbs_constants *constants);
/* Makes outputs of modes use these tracked modes (mode_tracking.h); NULL: the modes of each run. */
void mbs_point_track_modes(mbs_point_runs *runs, struct mbs_mode_tracking *modes);
/* Returns the number of evaluations of the last run. */
uint64_t mbs_point_evaluations(const mbs_point_runs *runs);
/* Returns true if the output is the time of a flat extreme in the last run (reductions.h). */
bool mbs_point_flat(const mbs_point_runs *runs, size_t output);
/* Runs the model and returns its events as in a report, allocated from `arena`, and their number. Returns NULL if the
 * run fails or has no events. */
const mbs_event *mbs_point_events(mbs_point_runs *runs, const double *values, const mbs_hooks *hooks, mbs_arena *arena,
                                  size_t *count);
/* Returns the first event or sampled value that changed something in the last run, and its time; NULL if there is none,
 * or the run made its own model. Valid until the next run. */
const char *mbs_point_passed(const mbs_point_runs *runs, double *t);
/* Returns the largest residual of redundant rows in the last run, in scales of accuracy. */
double mbs_point_redundant_residual(const mbs_point_runs *runs);
/* Returns the first note in the report of the last run; NULL if there is none. Valid until the next run. */
const char *mbs_point_note(const mbs_point_runs *runs);
/* Returns true if the last run failed before its start because the model rejects the values. */
bool mbs_point_refused(const mbs_point_runs *runs);

#endif
