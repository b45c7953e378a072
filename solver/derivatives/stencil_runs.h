/* stencil_runs.h - the runs that derivatives by whole runs are made of, at the point and beside it. */
#ifndef MBS_STENCIL_RUNS_H
#define MBS_STENCIL_RUNS_H

#include "derivatives/at_once.h"
#include "simulate/second_run.h"
#include "study/followed_modes.h"
#include "study/point.h"

typedef struct mbs_stencil_runs {
  const mbs_model *study; /* the model */
  mbs_model model;        /* the same, integrated more exactly */
  mbs_point_runs *runs;
  mbs_at_once *at_once;      /* NULL: they do not go together */
  mbs_followed_modes *modes; /* of the point */
  size_t parameters;
  double *point;  /* [parameters] */
  double *values; /* [parameters] of the run in hand */
  uint64_t evaluations;
  uint64_t usual; /* evaluations at the point */
  mbs_progress_part part;
  mbs_hooks hooks;
  size_t made, meant; /* runs */
  double strayed;     /* how far redundant rows are from what they ask for at the point */
  mbs_arena *events;  /* of runs that are compared */
  mbs_error failure;  /* of the run that failed last */
} mbs_stencil_runs;

/* Of a model that was built with a study and lasts as long. False: no memory. */
bool mbs_stencil_runs_open(mbs_stencil_runs *runs, const mbs_model *model, mbs_arena *arena);
void mbs_stencil_runs_close(mbs_stencil_runs *runs);
/* At a point of these values, about so many of them, after a run that took so many evaluations. */
void mbs_stencil_runs_begin(mbs_stencil_runs *runs, const double *values, size_t meant, uint64_t evaluations,
                            const mbs_hooks *hooks);

/* Runs for values [count x parameters], MBS_AT_ONCE_MOST at most, may be asked for next. */
void mbs_stencil_runs_expect(mbs_stencil_runs *runs, const double *values, size_t count);
/* The outputs of a run for runs->values; MBS_CONTRADICTION where constraints that are redundant at the point contradict
 * one another there. */
mbs_status mbs_stencil_run(mbs_stencil_runs *runs, double *outputs);
/* The same at the point itself, before all others, which may cost so many times what this one does. */
mbs_status mbs_stencil_run_point(mbs_stencil_runs *runs, double *outputs);
/* Whether a status is none of the motion's. */
bool mbs_stencil_run_ends_all(mbs_status status);
/* Whether outputs are of an integration. */
bool mbs_stencil_runs_move(const mbs_stencil_runs *runs);

#endif
