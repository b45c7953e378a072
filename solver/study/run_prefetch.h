/* run_prefetch.h - computes several runs of a study as a batch before they are requested in order (batch_simulation.h).
 * Results do not depend on the batch. */
#ifndef MBS_RUN_PREFETCH_H
#define MBS_RUN_PREFETCH_H

#include "mbs/run.h"

typedef struct mbs_run_prefetch mbs_run_prefetch;

/* Creates the workspace for a batchable model, with batches of at most `most` runs. Allocates from `arena`. Returns
 * NULL if memory runs out. */
mbs_run_prefetch *mbs_run_prefetch_new(const mbs_model *model, size_t most, mbs_arena *arena);
size_t mbs_run_prefetch_width(const mbs_run_prefetch *prefetch);
void mbs_run_prefetch_free(mbs_run_prefetch *prefetch);

/* Announces that the runs from `first` to `end` - 1 will be requested. */
void mbs_run_prefetch_expect(mbs_run_prefetch *prefetch, size_t first, size_t end);
/* Returns true if run `index` is already computed. */
bool mbs_run_prefetch_has(const mbs_run_prefetch *prefetch, size_t index);
/* Returns the outputs, the cost, and *status with `error` of run `index`, computing a batch if necessary. Returns false
 * if the run was not announced or must be made separately. */
bool mbs_run_prefetch_run(mbs_run_prefetch *prefetch, size_t index, const mbs_hooks *hooks, double *outputs,
                          uint64_t *evaluations, mbs_status *status, mbs_error *error);
/* Returns the note about the result of such a run; NULL if there is none. */
const char *mbs_run_prefetch_note(const mbs_run_prefetch *prefetch, size_t index);

#endif
