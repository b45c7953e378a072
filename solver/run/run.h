/* run.h - one run of a model, as its analysis sees it. */
#ifndef MBS_RUN_H
#define MBS_RUN_H

#include "constraints/least_reactions.h"
#include "equations/system.h"
#include "initial/correct.h"
#include "results/output.h"

typedef struct mbs_run_state {
  const mbs_model *model;
  const mbs_hooks *hooks;
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
  bool events_dropped; /* there were more than a report holds */
  mbs_ranks ranks;
  mbs_least_reactions least; /* where rows are redundant */
} mbs_run_state;

/* Asks the host: MBS_OK to go on, else MBS_CANCELLED, MBS_TIMED_OUT or MBS_TOO_MANY_EVALUATIONS (with a message).
 * Cheap. */
mbs_status mbs_run_check(mbs_run_state *run, double t);
/* Fills the run's error unless it is filled already. Returns `status`. */
mbs_status mbs_run_fail(mbs_run_state *run, mbs_status status, double t, const char *element, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The error of a switch whose events do not end: MBS_STEP_TOO_SMALL with its law or element. */
mbs_status mbs_run_fail_endless(mbs_run_state *run, size_t index, double t);
/* The same for a switch that cannot be held because its law has it inside another one. */
mbs_status mbs_run_fail_nested(mbs_run_state *run, size_t index, double t);
/* Of what was only tried. */
void mbs_run_forget_error(mbs_run_state *run);
/* The error of an element whose value jumps. */
mbs_status mbs_run_fail_jump(mbs_run_state *run, double t, const char *element, double jump);
/* MBS_OUT_OF_RANGE, as the run's error, where a function of time has no value right after t, as sqrt(1 - t) has none
 * after 1, or a pole there; MBS_CONTRADICTION where it jumps; it takes the place of what the run failed with there. */
mbs_status mbs_run_functions_end(mbs_run_state *run, double t);
/* Why the motion cannot go on from (t, q [nq]): MBS_LOCK_UP with the driver, or MBS_SINGULAR_POSITION with the joint,
 * as the run's error in place of what it failed with. MBS_OK where C has its rank, unless that is `certain`. */
mbs_status mbs_run_locked(mbs_run_state *run, double t, const double *q, bool certain);
/* MBS_SINGULAR_POSITION, as the run's error: C has lost its rank at (t, q [nq]), and no single way leads on; or one
 * does, but forces and efforts grow without bounds there. */
mbs_status mbs_run_no_way(mbs_run_state *run, double t, const double *q);
mbs_status mbs_run_unbounded(mbs_run_state *run, double t, const double *q);
/* Adds a sentence to the report. */
void mbs_run_note(mbs_run_state *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a run that has ended. */
void mbs_report_note(mbs_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A note that names the joints which the assembly at run->q has turned by more than 90 degrees from their guesses.
 * MBS_NO_MEMORY. Leaves the system at run->q. */
mbs_status mbs_note_moved(mbs_run_state *run);
void mbs_run_event(mbs_run_state *run, double t, const char *element, const char *kind);

/* Initial conditions: correction where the analysis asks for it, ranks, redundant rows. Fills the report. */
mbs_status mbs_run_start(mbs_run_state *run);
/* Accelerations and multipliers of the state (q, v) at time t; of multipliers that are not unique those that results
 * show. */
mbs_status mbs_run_evaluate(mbs_run_state *run, double t, const double *q, const double *v);
/* The model's state (q, v) at time t, with its dynamics, as row `row` of the results. */
mbs_status mbs_run_record(mbs_run_state *run, size_t row, double t, const double *q, const double *v);
/* The same for the state, accelerations and multipliers that the system holds; `chosen`: the multipliers are those of
 * mbs_run_evaluate(). */
void mbs_run_record_given(mbs_run_state *run, size_t row, double t, bool chosen);

/* The same for the state at rest that the system holds, with multipliers `lambda` [rows] of a static equilibrium. */
void mbs_run_record_static(mbs_run_state *run, size_t row, double t, const double *q, const double *lambda);

mbs_status mbs_run_dynamics(mbs_run_state *run);
mbs_status mbs_run_kinematics(mbs_run_state *run);
mbs_status mbs_run_inverse_dynamics(mbs_run_state *run);
mbs_status mbs_run_assembly(mbs_run_state *run);
mbs_status mbs_run_equilibrium(mbs_run_state *run);
mbs_status mbs_run_linearization(mbs_run_state *run);

/* MBS_NOT_FINITE, with the force element named if one is to blame, where the row just recorded, or an array without
 * time, has numbers that are not finite; that row is left out. Sensors may have them. A row that stays is final, and
 * the host is told so. */
mbs_status mbs_run_require_finite(mbs_run_state *run, size_t row, double t);

/* Whether what ended a run at t, MBS_NOT_FINITE, is a force element without a finite value in the state evaluated last:
 * then the error names it. */
bool mbs_run_undefined_force(mbs_run_state *run, mbs_status status, double t);

/* MBS_NOT_DRIVEN where drivers leave a freedom. */
mbs_status mbs_run_require_drivers(mbs_run_state *run);

/* Moves (q, v) onto the constraints at t, along the directions of least kinetic energy; uses and renews the system's
 * factors. The rows left out as redundant must follow: MBS_CONTRADICTION where they do not. */
mbs_status mbs_project_positions(mbs_system *system, double t, double *q);
mbs_status mbs_project_velocities(mbs_system *system, double *v);
/* Whether the redundant rows hold at the system's position, whose Phi is known. */
mbs_status mbs_check_redundant(mbs_system *system);

#endif
