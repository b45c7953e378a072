/* run_prefetch.h - runs of a study that is asked for them in their order: several are computed as a batch before they
 * are asked for (batch_simulation.h). Results do not depend on the batch. */
#ifndef MBS_RUN_PREFETCH_H
#define MBS_RUN_PREFETCH_H

#include "mbs/run.h"

typedef struct mbs_run_prefetch mbs_run_prefetch;

/* Of a model that goes together, at most so many at once; what lasts is of the arena. NULL: no memory. */
mbs_run_prefetch *mbs_run_prefetch_new(const mbs_model *model, size_t most, mbs_arena *arena);
size_t mbs_run_prefetch_width(const mbs_run_prefetch *prefetch);
void mbs_run_prefetch_free(mbs_run_prefetch *prefetch);

/* The runs from `first` up to `end` will be asked for. */
void mbs_run_prefetch_expect(mbs_run_prefetch *prefetch, size_t first, size_t end);
/* Whether a run is made, so that it costs nothing any more. */
bool mbs_run_prefetch_has(const mbs_run_prefetch *prefetch, size_t index);
/* Run `index`, if it is expected and is one that goes with others: its outputs, its cost, and *status with `error`.
 * False: it is to be made by itself. */
bool mbs_run_prefetch_run(mbs_run_prefetch *prefetch, size_t index, const mbs_hooks *hooks, double *outputs,
                          uint64_t *evaluations, mbs_status *status, mbs_error *error);
/* What such a run has to say of its answer; NULL: nothing. */
const char *mbs_run_prefetch_note(const mbs_run_prefetch *prefetch, size_t index);

#endif
