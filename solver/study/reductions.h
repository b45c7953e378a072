/* reductions.h - computes the outputs of a study from a motion: each is a reduction of an expression along it. */
#ifndef MBS_REDUCTIONS_H
#define MBS_REDUCTIONS_H

#include "mbs/result.h"
#include "model/plan.h"
#include "run/observer.h"

struct mbs_mode_tracking;
struct mbs_tangents;
typedef struct mbs_reductions mbs_reductions;

/* Allocates the outputs of a model's plan. Returns NULL if memory runs out. */
mbs_reductions *mbs_reductions_new(const mbs_model *model, mbs_arena *arena);
/* Prepares a run of a model that has the same outputs (model->plan), with these constants. Returns false if memory runs
 * out. */
bool mbs_reductions_begin(mbs_reductions *reductions, const mbs_constants *constants);
/* After mbs_reductions_begin(): adds tangents by `count` parameters to the run. Returns false if memory runs out. */
bool mbs_reductions_attach_tangents(mbs_reductions *reductions, struct mbs_tangents *tangents, size_t count);
/* Computes the derivatives [output_count x count] after such a run with these outputs; NaN if one is too uncertain.
 * Returns false if tangents do not determine them. */
bool mbs_reductions_gradient(const mbs_reductions *reductions, const double *outputs, double *gradient);
/* Makes quantities of modes use these tracked modes (mode_tracking.h), as far as they are tracked; NULL: the run's
 * own. */
void mbs_reductions_track_modes(mbs_reductions *reductions, struct mbs_mode_tracking *modes);
/* Returns the observer to attach to the run. */
const mbs_observer *mbs_reductions_observer(const mbs_reductions *reductions);
/* Computes the outputs [output_count] of a run that ended with `result`. Returns MBS_NOT_REACHED or MBS_NOT_FINITE,
 * with `error` filled, if one has no value. */
mbs_status mbs_reductions_finish(const mbs_reductions *reductions, const mbs_result *result, double *outputs,
                                 mbs_error *error);
/* Returns true if the output's extreme is flat: its second derivative vanishes, and its instant is uncertain. */
bool mbs_reductions_flat(const mbs_reductions *reductions, size_t output);
/* Returns the status with which the observer ended the run, with `error` filled; MBS_OK if it did not. */
mbs_status mbs_reductions_error(const mbs_reductions *reductions, mbs_error *error);

#endif
