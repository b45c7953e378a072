/* run.h - the state of one run of a model, shared by its analyses. */
#ifndef MBS_RUN_H
#define MBS_RUN_H

#include "constraints/min_norm_reactions.h"
#include "equations/system.h"
#include "initial/correct.h"
#include "mbs/run.h"
#include "results/output.h"
#include "run/observer.h"

enum { MBS_NOTES_MAX = 32, MBS_EVENTS_MAX = 10000 }; /* limits of a report */

typedef struct mbs_run_state {
  const mbs_model *model;
  const mbs_hooks *hooks;
  const mbs_observer *observer; /* reads the motion, and nothing is recorded; NULL: rows are recorded */
  mbs_system *system;
  mbs_result *result;
  mbs_output output;
  mbs_error *error;
  double *workspace; /* mbs_assemble_workspace() doubles */
  double *q, *v;     /* [nq], [nv] the current state */
  double t_reached;
  double t_failed;     /* time of mbs_run_fail(); NaN: not called */
  double started;      /* hooks->now at the start */
  uint64_t next_check; /* number of evaluations at which the host is called again */
  double drift;        /* largest recorded residual of the constraints, scaled */
  bool quiet;          /* no notes and events are stored */
  bool sticks;         /* a law has stuck; the report has a note of it */
  bool events_dropped; /* the list of events is full */
  bool *warned;        /* [force_count] the report has a note about outputs of this element */
  mbs_ranks ranks;
  struct mbs_touch_modes *touch_modes; /* workspace of run/touch_modes.h; NULL: not needed yet */
  mbs_min_norm_reactions least;        /* used if rows are redundant */
} mbs_run_state;

/* Calls the host to check for cancellation and limits. Returns MBS_OK to continue; otherwise MBS_CANCELLED,
 * MBS_TIMED_OUT or MBS_TOO_MANY_EVALUATIONS, with a message. Cheap. */
mbs_status mbs_run_check(mbs_run_state *run, double t);

#endif
