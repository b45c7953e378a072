/* run_batch.h - makes runs for given values in a batch, one per lane (batch_simulation.h). A lane whose run has ended
 * begins the next one. Results do not depend on the batch. */
#ifndef MBS_RUN_BATCH_H
#define MBS_RUN_BATCH_H

#include "mbs/run.h"

typedef struct mbs_run_batch mbs_run_batch;

enum { MBS_NOTE_ROOM = 512 };

/* A run that was made in the batch or must be made separately. */
typedef struct mbs_run_batch_run {
  double *values; /* [vary_count] */
  bool run_separately;
  mbs_status status;
  mbs_error error;
  double *outputs; /* [output_count] */
  uint64_t evaluations;
  double redundant_residual; /* largest residual of redundant rows (point.h) */
  char note[MBS_NOTE_ROOM];  /* note about the result; may be empty */
} mbs_run_batch_run;

/* Returns why runs of a model with a study cannot be batched on any processor, e.g. "curves"; NULL if they can. */
const char *mbs_runs_unsupported_reason(const mbs_model *model);
/* Returns true if several runs can be batched on this processor. */
bool mbs_runs_are_batchable(const mbs_model *model);

/* Creates a batch of at most `most` runs. The model must support batching. Allocates from `arena`. Returns NULL if
 * memory runs out. */
mbs_run_batch *mbs_run_batch_new(const mbs_model *model, size_t most, mbs_arena *arena);
void mbs_run_batch_free(mbs_run_batch *batch);
size_t mbs_run_batch_width(const mbs_run_batch *batch);

/* Allocates runs [count]. Returns false if memory runs out. */
bool mbs_run_batch_open_runs(const mbs_model *model, mbs_run_batch_run *runs, size_t count, mbs_arena *arena);
/* Makes runs [count] for their values. */
void mbs_run_batch_make(mbs_run_batch *batch, mbs_run_batch_run *runs, size_t count, const mbs_hooks *hooks);

#endif
