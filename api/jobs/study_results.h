/* study_results.h - combines the rows of a study's blocks, in the order of the runs, into arrays and a report. The
 * result does not depend on how the runs were divided into blocks, nor on which process made them. */
#ifndef API_JOBS_STUDY_RESULTS_H
#define API_JOBS_STUDY_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest number of arrays of a study: parameters [runs x p], outputs [runs x m], gradient [runs x m x p] if it is
 * requested, status [runs]. */
enum { API_STUDY_ARRAYS = 4 };

typedef struct api_study_array {
  const char *name, *doc;
  char *labels, *units; /* JSON texts */
  int rank;
  size_t shape[2];       /* shape of one run: rank - 1 numbers */
  size_t begin, columns; /* columns in a block's row */
} api_study_array;

/* The end of a study. */
typedef enum api_study_end {
  API_STUDY_DONE,
  API_STUDY_CANCELLED,
  API_STUDY_OUT_OF_TIME,
  API_STUDY_ALL_CRASHED /* processes crashed in run after run */
} api_study_end;

typedef struct api_study_results api_study_results;

/* Creates the results of a study from the report of the block with run 0 (block.h). Returns NULL if the report is not
 * that of a study or memory runs out. */
api_study_results *api_study_results_new(const char *report);
void api_study_results_free(api_study_results *total);

/* Return the number of runs of the study, and the number of runs received. */
size_t api_study_results_runs(const api_study_results *total);
size_t api_study_results_taken(const api_study_results *total);
uint64_t api_study_results_evaluations(const api_study_results *total);
size_t api_study_results_columns(const api_study_results *total); /* of a block's row */
size_t api_study_results_array_count(const api_study_results *total);
const api_study_array *api_study_results_arrays(const api_study_results *total);

/* Adds rows of a block [runs x columns] that begin with the next run. `report` is the block's report. Replaces the
 * status in each row by the number of its failure in the whole study. Returns false if rows and report do not agree or
 * memory runs out. */
bool api_study_results_take(api_study_results *total, double *rows, size_t runs, const char *report);
/* Fills `rows` [runs x columns] for runs that were not made, and adds them. */
void api_study_results_skip(api_study_results *total, double *rows, size_t runs);
/* Returns true if the model itself crashes the workers: at least a certain number of runs failed by a crash, and no run
 * did anything else. */
bool api_study_results_all_crashed(const api_study_results *total);

/* Returns the report as JSON text, malloc'd; NULL if memory runs out. */
char *api_study_results_report(const api_study_results *total, double wall_seconds);
/* Returns the error of a study that did not end well, as JSON text; NULL if it did. `limit` [s] is the time limit that
 * was reached, and `limit_name` its name for users. */
char *api_study_results_error(const api_study_results *total, api_study_end end, double limit, const char *limit_name);

#endif
