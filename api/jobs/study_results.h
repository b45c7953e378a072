/* study_results.h - what all runs of a study come to: the rows of its blocks, taken in the order of the runs, as arrays
 * and a report. It depends neither on how the runs were divided into blocks nor on who made them. */
#ifndef API_JOBS_STUDY_RESULTS_H
#define API_JOBS_STUDY_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most arrays that a study has: parameters [runs x p], outputs [runs x m], gradient [runs x m x p] where it is
 * asked for, status [runs]. */
enum { API_STUDY_ARRAYS = 4 };

typedef struct api_study_array {
  const char *name, *doc;
  char *labels, *units; /* JSON texts */
  int rank;
  size_t shape[2];       /* of a run, rank - 1 of them */
  size_t begin, columns; /* of a block's row */
} api_study_array;

/* How a study ended. */
typedef enum api_study_end {
  API_STUDY_DONE,
  API_STUDY_CANCELLED,
  API_STUDY_OUT_OF_TIME,
  API_STUDY_ALL_CRASHED /* processes die of run after run */
} api_study_end;

typedef struct api_study_results api_study_results;

/* From the report of a block that has run 0 (block.h). NULL: it says nothing of a study, or there is no memory. */
api_study_results *api_study_results_new(const char *report);
void api_study_results_free(api_study_results *total);

/* How many runs it has, and how many were taken. */
size_t api_study_results_runs(const api_study_results *total);
size_t api_study_results_taken(const api_study_results *total);
uint64_t api_study_results_evaluations(const api_study_results *total);
size_t api_study_results_columns(const api_study_results *total); /* of a block */
size_t api_study_results_array_count(const api_study_results *total);
const api_study_array *api_study_results_arrays(const api_study_results *total);

/* Takes rows of a block [runs x columns] that begin with the next run, `report` being its block's: the status of each
 * becomes its number in the failures of the study. False: they contradict their report, or there is no memory. */
bool api_study_results_take(api_study_results *total, double *rows, size_t runs, const char *report);
/* Puts rows of runs that were not made [runs x columns] into `rows`, and takes them. */
void api_study_results_skip(api_study_results *total, double *rows, size_t runs);
/* Whether the model is what workers die of: so many runs failed by that, and all of them. */
bool api_study_results_all_crashed(const api_study_results *total);

/* The report, JSON; malloc'd, NULL without memory. */
char *api_study_results_report(const api_study_results *total, double wall_seconds);
/* Why the study did not come to a good end, JSON; NULL: it did. `limit` [s] was reached, which a user knows by a
 * name. */
char *api_study_results_error(const api_study_results *total, api_study_end end, double limit, const char *limit_name);

#endif
