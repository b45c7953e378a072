/* run_batch.h - runs for given values, as many at a time as there are lanes (batch_simulation.h). A lane that has ended
 * a run begins the next one. Results do not depend on the batch. */
#ifndef MBS_RUN_BATCH_H
#define MBS_RUN_BATCH_H

#include "mbs/run.h"

typedef struct mbs_run_batch mbs_run_batch;

enum { MBS_NOTE_ROOM = 512 };

/* A run that is made, or is to be made by itself. */
typedef struct mbs_run_batch_run {
  double *values; /* [vary_count] */
  bool run_separately;
  mbs_status status;
  mbs_error error;
  double *outputs; /* [output_count] */
  uint64_t evaluations;
  double redundant_residual; /* how far redundant rows were off (point.h) */
  char note[MBS_NOTE_ROOM];  /* what it has to say of its answer; empty: nothing */
} mbs_run_batch_run;

/* Why runs of a model with a study go alone whatever the processor has, as "curves"; NULL: they go together. */
const char *mbs_runs_unsupported_reason(const mbs_model *model);
/* Whether they go together on this processor, if there are several. */
bool mbs_runs_are_batchable(const mbs_model *model);

/* Of a model whose runs do, at most so many at once; what lasts is of the arena. NULL: no memory. */
mbs_run_batch *mbs_run_batch_new(const mbs_model *model, size_t most, mbs_arena *arena);
void mbs_run_batch_free(mbs_run_batch *batch);
size_t mbs_run_batch_width(const mbs_run_batch *batch);

/* Room for runs [count]; false: no memory. */
bool mbs_run_batch_open_runs(const mbs_model *model, mbs_run_batch_run *runs, size_t count, mbs_arena *arena);
/* Makes runs [count] for their values. */
void mbs_run_batch_make(mbs_run_batch *batch, mbs_run_batch_run *runs, size_t count, const mbs_hooks *hooks);

#endif
