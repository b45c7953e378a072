/* batch_simulation.h - several runs of one model at once, observed, each with numbers of its own: their motions go a
 * step at a time, a lane each, with times and steps of their own. What a run shows its observer has the bits it has
 * alone. */
#ifndef MBS_BATCH_SIMULATION_H
#define MBS_BATCH_SIMULATION_H

#include "mbs/run.h"
#include "simulate/observed.h"

enum { MBS_BATCH_MAX = 8 };

typedef struct mbs_batch mbs_batch;

/* Why motions of a model go alone whatever the processor has, as "curves"; NULL: they go together, as lanes suit it
 * (lanes.h), in dynamics by dopri5 or dop853 with constraints kept by projection. */
const char *mbs_batch_unsupported_reason(const mbs_model *model);
/* Whether they go together on this processor. */
bool mbs_batch_is_supported(const mbs_model *model);
/* With as many lanes as the processor has, 4 or 8, but not more than `most`. NULL: no memory. */
mbs_batch *mbs_batch_new(const mbs_model *model, size_t most, mbs_arena *arena);
int mbs_batch_width(const mbs_batch *batch);

/* Begins a run in a lane that has none, as mbs_run_observed() does; what it is given lasts until its end is told. */
void mbs_batch_begin(mbs_batch *self, int lane, const mbs_constants *constants, const mbs_observer *observer,
                     const mbs_hooks *hooks, mbs_result *result, mbs_arena *scratch, mbs_error *error);
/* Goes on with all runs until one has ended: its lane, and *status. -1: there is none. */
int mbs_batch_advance(mbs_batch *self, mbs_status *status);

#endif
