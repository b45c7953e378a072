/* block.h - a block of a study: consecutive runs, as one worker makes them, and what they came to. */
#ifndef API_JOBS_BLOCK_H
#define API_JOBS_BLOCK_H

#include "api/jobs/job_hooks.h"
#include "mbs.h"

#include <jansson.h>

/* Which runs. */
typedef struct api_block {
  size_t first, runs;
  double seconds; /* no run is begun after so many, but the first one; 0: they have time */
  bool crashed;   /* processes died of them: they are not made, and fail as that */
} api_block;

/* What they came to: rows of parameters, outputs, their gradient where it is asked for, and a status: 0, or the number,
 * from 1, of the run's failure in the report's `failures`. The report, JSON: failures ([error], in the order of their
 * first runs), evaluations; of the block that has run 0 also what the total of the study needs; `error`, without rows,
 * where the model could not be built. */
typedef struct api_block_result {
  bool failed; /* there is no row, because there is no model */
  size_t runs, columns;
  double *rows; /* [runs x columns] malloc'd */
  char *report; /* malloc'd; NULL: no memory for the block */
} api_block_result;

/* Makes the runs of a block as long as the hooks let it. */
void api_block_run(mbs_study *study, const api_block *block, const mbs_hooks *hooks, api_block_result *result);
/* The same of a model that was built. Of the hooks progress and now are used. */
void api_block_run_model(const mbs_model *model, const api_block *block, const job_hooks *hooks,
                         api_block_result *result);
/* What a block came to whose model could not be built; `error` is taken over. */
void api_block_fail(json_t *error, api_block_result *result);
void api_block_result_free(api_block_result *result);

#endif
