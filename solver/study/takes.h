/* takes.h - what a study keeps of a motion: its outputs, each a reduction of an expression along the motion. */
#ifndef MBS_TAKES_H
#define MBS_TAKES_H

#include "mbs/result.h"
#include "model/plan.h"
#include "run/observer.h"

struct mbs_followed_modes;
struct mbs_tangents;
typedef struct mbs_takes mbs_takes;

/* Room for the outputs of a plan of a model; NULL: no memory. */
mbs_takes *mbs_takes_new(const mbs_model *model, mbs_arena *arena);
/* Before each run, of a model that has the same outputs (model->plan) and these numbers. False: no memory. */
bool mbs_takes_begin(mbs_takes *takes, const mbs_constants *constants);
/* After it: the run is to have these tangents, of so many parameters. False: no memory. */
bool mbs_takes_follow(mbs_takes *takes, struct mbs_tangents *tangents, size_t count);
/* After such a run, which had these outputs: their derivatives [output_count x count], NaN where too much of one is in
 * doubt. False: tangents tell none. */
bool mbs_takes_slopes(const mbs_takes *takes, const double *outputs, double *gradient);
/* Quantities of modes are those of these from now on, as far as they are followed (followed_modes.h); NULL: of the
 * run's own. */
void mbs_takes_follow_modes(mbs_takes *takes, struct mbs_followed_modes *modes);
/* Who looks at that run. */
const mbs_observer *mbs_takes_observer(const mbs_takes *takes);
/* The outputs [output_count] of a run that came to its end, which left `result`. MBS_NOT_REACHED, with `error`
 * filled. */
mbs_status mbs_takes_finish(const mbs_takes *takes, const mbs_result *result, double *outputs, mbs_error *error);
/* Whether the extreme that an output is of is flat: its second derivative vanishes, and its instant is not sharp. */
bool mbs_takes_flat(const mbs_takes *takes, size_t output);
/* Why an observer ended the run, where it did: its status, with `error` filled; otherwise MBS_OK. */
mbs_status mbs_takes_failed(const mbs_takes *takes, mbs_error *error);

#endif
