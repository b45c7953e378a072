/* batch_simulation.h - integrates several observed runs of one model at the same time, one per vector lane.
 *
 * Each run has its own numbers, times and step lengths. Its observer gets bit for bit the results of a run that is
 * integrated separately. */
#ifndef MBS_BATCH_SIMULATION_H
#define MBS_BATCH_SIMULATION_H

#include "mbs/run.h"
#include "simulate/observed.h"

enum { MBS_BATCH_MAX = 8 };

typedef struct mbs_batch mbs_batch;

/* Returns why motions of a model cannot be integrated in a batch on any processor, e.g. "curves"; NULL if they can. A
 * batch requires dynamics by dopri5 or dop853, constraints enforced by projection, and a model that lanes support
 * (lanes.h). */
const char *mbs_batch_unsupported_reason(const mbs_model *model);
/* Returns true if motions of the model can be integrated in a batch on this processor. */
bool mbs_batch_is_supported(const mbs_model *model);
/* Creates a batch of 4 or 8 lanes, the most that the processor has, but at most `most`. Allocates from `arena`. Returns
 * NULL if memory runs out. */
mbs_batch *mbs_batch_new(const mbs_model *model, size_t most, mbs_arena *arena);
int mbs_batch_width(const mbs_batch *batch);

/* Begins a run in a free lane, with the arguments of mbs_run_observed(). They must stay valid until mbs_batch_advance()
 * returns this lane. */
void mbs_batch_begin(mbs_batch *self, int lane, const mbs_constants *constants, const mbs_observer *observer,
                     const mbs_hooks *hooks, mbs_result *result, mbs_arena *scratch, mbs_error *error);
/* Advances all runs until one ends. Returns its lane and sets *status; returns -1 if no run is left. */
int mbs_batch_advance(mbs_batch *self, mbs_status *status);

#endif
