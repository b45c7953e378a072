/* reductions.h - what a study keeps of a motion: its outputs, each a reduction of an expression along the motion. */
#ifndef MBS_REDUCTIONS_H
#define MBS_REDUCTIONS_H

#include "mbs/result.h"
#include "model/plan.h"
#include "run/observer.h"

struct mbs_mode_tracking;
struct mbs_tangents;
typedef struct mbs_reductions mbs_reductions;

/* Room for the outputs of a plan of a model; NULL: no memory. */
mbs_reductions *mbs_reductions_new(const mbs_model *model, mbs_arena *arena);
/* Before each run, of a model that has the same outputs (model->plan) and these numbers. False: no memory. */
bool mbs_reductions_begin(mbs_reductions *reductions, const mbs_constants *constants);
/* After it: the run is to have these tangents, of so many parameters. False: no memory. */
bool mbs_reductions_attach_tangents(mbs_reductions *reductions, struct mbs_tangents *tangents, size_t count);
/* After such a run, which had these outputs: their derivatives [output_count x count], NaN where too much of one is in
 * doubt. False: tangents tell none. */
bool mbs_reductions_gradient(const mbs_reductions *reductions, const double *outputs, double *gradient);
/* Quantities of modes are those of these from now on, as far as they are followed (mode_tracking.h); NULL: of the
 * run's own. */
void mbs_reductions_track_modes(mbs_reductions *reductions, struct mbs_mode_tracking *modes);
/* Who looks at that run. */
const mbs_observer *mbs_reductions_observer(const mbs_reductions *reductions);
/* The outputs [output_count] of a run that came to its end, which left `result`. MBS_NOT_REACHED, with `error`
 * filled. */
mbs_status mbs_reductions_finish(const mbs_reductions *reductions, const mbs_result *result, double *outputs,
                                 mbs_error *error);
/* Whether the extreme that an output is of is flat: its second derivative vanishes, and its instant is not sharp. */
bool mbs_reductions_flat(const mbs_reductions *reductions, size_t output);
/* Why an observer ended the run, where it did: its status, with `error` filled; otherwise MBS_OK. */
mbs_status mbs_reductions_error(const mbs_reductions *reductions, mbs_error *error);

#endif
