/* block.h - a block of a study: consecutive runs that one worker makes, and their results. */
#ifndef API_JOBS_BLOCK_H
#define API_JOBS_BLOCK_H

#include "api/jobs/job_hooks.h"
#include "mbs.h"

#include <jansson.h>

/* A range of runs. */
typedef struct api_block {
  size_t first, runs;
  double seconds; /* after this time no run is begun except the first; 0: no limit */
  bool crashed;   /* processes crashed in these runs: they are not made, and fail with that error */
} api_block;

/* Results of a block: one row for each run, with parameters, outputs, their gradient if it is requested, and a status:
 * 0, or the number, from 1, of the run's failure in `failures` of the report. The report (JSON) has failures ([error],
 * in the order of their first runs) and evaluations. In the block of run 0 it also has the data that study_results.h
 * needs. If the model could not be built, it has `error`, and there are no rows. */
typedef struct api_block_result {
  bool failed; /* there are no rows because the model could not be built */
  size_t runs, columns;
  double *rows; /* [runs x columns] malloc'd */
  char *report; /* malloc'd; NULL: memory ran out */
} api_block_result;

/* Makes the runs of a block until the hooks stop it. */
void api_block_run(mbs_study *study, const api_block *block, const mbs_hooks *hooks, api_block_result *result);
/* Makes the runs of a block for a built model. Uses the hooks progress and now. */
void api_block_run_model(const mbs_model *model, const api_block *block, const job_hooks *hooks,
                         api_block_result *result);
/* Makes the result of a block whose model could not be built. Releases `error`. */
void api_block_fail(json_t *error, api_block_result *result);
void api_block_result_free(api_block_result *result);

#endif
