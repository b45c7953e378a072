/* run.h - one run of a model, as its analysis sees it. */
#ifndef MBS_RUN_H
#define MBS_RUN_H

#include "constraints/min_norm_reactions.h"
#include "equations/system.h"
#include "initial/correct.h"
#include "mbs/run.h"
#include "results/output.h"
#include "run/observer.h"

enum { MBS_NOTES_MAX = 32, MBS_EVENTS_MAX = 10000 }; /* the most that a report holds */

typedef struct mbs_run_state {
  const mbs_model *model;
  const mbs_hooks *hooks;
  const mbs_observer *observer; /* NULL: rows are recorded; otherwise it is shown the motion, and nothing is recorded */
  mbs_system *system;
  mbs_result *result;
  mbs_output output;
  mbs_error *error;
  double *workspace; /* mbs_assemble_workspace() doubles */
  double *q, *v;     /* [nq], [nv] the state at hand */
  double t_reached;
  double t_failed;     /* when mbs_run_fail() was called; NaN: not yet */
  double started;      /* hooks->now at the start */
  uint64_t next_check; /* evaluations at which the host is asked again */
  double drift;        /* largest residual of the constraints that was reported, in units */
  bool quiet;          /* neither notes nor events are kept */
  bool sticks;         /* a law did: the report has a note of it */
  bool events_dropped; /* there were more than a report holds */
  mbs_ranks ranks;
  mbs_min_norm_reactions least; /* where rows are redundant */
} mbs_run_state;

/* Asks the host: MBS_OK to go on, else MBS_CANCELLED, MBS_TIMED_OUT or MBS_TOO_MANY_EVALUATIONS (with a message).
 * Cheap. */
mbs_status mbs_run_check(mbs_run_state *run, double t);

#endif
