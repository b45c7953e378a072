/* dynamics.h - types and functions that the files of dynamics share. */
#ifndef MBS_DYNAMICS_H
#define MBS_DYNAMICS_H

#include "constraints/partition.h"
#include "model/discrete.h"
#include "ode/integrator.h"
#include "results/accuracy.h"
#include "run/breakpoints.h"
#include "run/impulse.h"
#include "run/run.h"
#include "simulate/revolutions.h"
#include "simulate/stagnation.h"
#include "simulate/step_limiter.h"
#include "simulate/step_watch.h"

typedef struct mbs_dynamics mbs_dynamics;

/* The values that an observer reads first in the current step, or a part of it, if a batch has read them already
 * (batch_simulation.h). */
typedef struct mbs_first_read {
  double *values;      /* [places][inputs] */
  bool known, started; /* the values are set; that of the first place, too */
  bool stays;          /* projection did not move the end */
  double t, t1;
} mbs_first_read;

enum { MBS_FIRST_READS = 2 };

typedef struct mbs_dynamics_limit mbs_dynamics_limit;

/* Independent coordinates of `partitioning`. */
typedef struct mbs_partitioning {
  mbs_partition partition;
  double amplification; /* largest entry of R at the end of the current step */
  size_t changes;       /* number of times that other coordinates were chosen */
} mbs_partitioning;

/* Nearness of the end of a step to a loss of rank. It is restored after evaluations inside the step, for observers:
 * otherwise the motion would depend on the observer. */
typedef struct mbs_step_end {
  bool near_singular, shifted, unequal_masses;
  double pivot_ratio, rounding;
  double rtol, atol;
} mbs_step_end;

/* Monitor of a position at which the constraints lose rank (dynamics_projection.c). */
typedef struct mbs_singularity_monitor {
  bool singular;                /* since the last accepted step */
  double reference_pivot_ratio; /* largest pivot_ratio since the independent rows were selected; 0: not known */
  mbs_step_end end;             /* state of the next step */
  bool observed;                /* an observer evaluates inside the current step */
  bool blurred;           /* rounding dominated some acceleration since the last call of `blurred`, see blur_share */
  double worst_tolerance; /* largest tolerance that rounding required */
} mbs_singularity_monitor;

/* Rows of results at a loss of rank (singular_limits.c). */
typedef struct mbs_lost_rows {
  size_t count;              /* rows that have no limit there */
  double first;              /* time of the first one [s] */
  mbs_dynamics_limit *limit; /* workspace; NULL until the first row */
} mbs_lost_rows;

/* Energies with which errors of work and dissipation are compared (energy_size() in dynamics.c). */
typedef struct mbs_energy_scale {
  double power;      /* sum of the powers of drivers, forces and dampers at the last evaluation [W] */
  double exchanged;  /* largest energy so far: kinetic, work, dissipated, or transferred in a step [J] */
  double least;      /* kinetic energy of velocities of the size of their tolerance [J] */
  double resistance; /* largest power so far for a unit of speed */
} mbs_energy_scale;

/* The last step that the observer read, and states of it that a batch has found. */
typedef struct mbs_observation {
  double *end; /* [ode.n] the last state of the last observed step; NULL: states are found one by one */
  bool stays;  /* projection did not move it */
  double until;
  mbs_first_read first[MBS_FIRST_READS];
  /* Sets the system's factors, from which states inside a step are found; NULL if it has them. */
  void (*factors)(const void *user, mbs_dynamics *self);
  const void *factors_user;
  void *batch;  /* the batch that makes the steps of several motions (batch_simulation.h) */
  void *finder; /* workspace of the observer's finder (state_finder.h); NULL: none */
} mbs_observation;

/* The last step, and the progress of the current one. */
typedef struct mbs_progress {
  double t, length; /* end and length of the last accepted step [s] */
  bool adaptive;    /* steps may be tried again */
  bool again;       /* the current one is to be repeated, see mbs_dynamics_set_near() */
  bool zeno;        /* the run ended with an infinite sequence of events, or of another cause that is explained */
} mbs_progress;

/* A trigger during a motion. */
typedef struct mbs_trigger_at {
  double value; /* value of the expression at the last accepted state, or after the last event */
  double side;  /* zeros: the sign of the value since its last zero, 1 or -1 */
  bool zero;    /* the value has passed zero at this instant */
  bool crossed; /* the zero that was passed has not been considered yet */
  bool holds;   /* a condition: it is true */
  bool fires;   /* the trigger fires in the present round */
} mbs_trigger_at;

/* The triggers and samples of a motion (dynamics_triggers.c). */
typedef struct mbs_trigger_run {
  mbs_trigger_at *at; /* [trigger_count] */
  double *samples;    /* [sampled_count] number of samples taken of each value */
  double *values;     /* workspace: new values */
  mbs_rate_change *rates;
  double *matrix;
  double potential;           /* potential of forces before a sample [J] */
  bool begun;                 /* the start of the motion is complete */
  size_t fired;               /* number of times that the trigger that ends the run has fired */
  const mbs_trigger *stopped; /* the trigger that has ended the run, or NULL */
  double stop_time;           /* [s] */
} mbs_trigger_run;

enum { MBS_WATCHES_MAX = 4 };

struct mbs_dynamics {
  mbs_run_state *run;
  double *y, *stage;       /* [n], [motion] states of rows, and of projected stages */
  double *guards;          /* [n_guards] workspace */
  double *units;           /* [motion] scales of the absolute tolerance */
  mbs_tolerance tolerance; /* current tolerance of the integrator */
  mbs_constraint_method constraints;
  mbs_partitioning partitioning;
  mbs_impulse impulse;
  mbs_trigger_run triggers;
  mbs_progress last;
  mbs_singularity_monitor near;
  mbs_energy_scale energy;
  mbs_revolutions revolutions;
  mbs_step_limiter *limiter;
  mbs_stagnation stagnation;
  mbs_step_watch watches[MBS_WATCHES_MAX]; /* limits of guards and laws, in the order of their calls */
  size_t watch_count, first_row;           /* first_row: of the current segment */
  size_t rows;                             /* number of rows recorded so far */
  double row_time;                         /* time of the last one [s] */
  mbs_lost_rows lost;
  int *crept; /* [force_count] successive reporting times at which smooth friction crept; -1: noted */
  mbs_local_errors errors;
  mbs_observation seen;
  const double *given; /* [external_count] inputs from the start of the next segment on; NULL: they stay */
};

/* A piece of a motion, between two instants at which functions of time may break. */
typedef struct mbs_segment {
  double before, start; /* end of the previous segment, and start of this one */
  mbs_break end;
  bool after_break;
  const double *times; /* [rows] reporting times in it */
  size_t rows;
} mbs_segment;

/* A motion from its start to its end, segment by segment. */
typedef struct mbs_motion {
  mbs_dynamics self;
  mbs_ode ode; /* equations; the context is `self`, which must not move */
  const mbs_method *method;
  double *y;         /* [ode.n] */
  double *workspace; /* workspace of the integrator */
  mbs_break *breaks; /* [segments] their ends */
  double *times;     /* [rows] reporting times */
  size_t segments, segment, rows, next_row;
  double t, stiffness;
} mbs_motion;

/* An observed step. */
typedef struct mbs_observed_step {
  mbs_dynamics *self;
  const mbs_ode_step *step;
} mbs_observed_step;

/* ---- dynamics.c ---- */
/* Computes the rates of the state y that was evaluated last. */
void mbs_dynamics_rates(mbs_dynamics *self, const double *y, double *dydt);
/* Allocates a motion and defines the equations for the integrator, of states (q, v, z, W, E_d, turns). `run` and
 * `constraints` must be set. Returns false if memory runs out. */
bool mbs_dynamics_open(mbs_dynamics *self, mbs_ode *ode);
/* Sets the system's work and dissipation from the state y. */
void mbs_dynamics_set_energies(const mbs_dynamics *self, const double *y);
/* Records a row of results, like mbs_ode.report. */
mbs_status mbs_dynamics_report(void *context, size_t row, double t, const double *y);
/* Opens a motion, ready for its first segment. */
mbs_status mbs_motion_open(mbs_motion *motion, mbs_run_state *run);
/* The parts of mbs_motion_run(): returns the next segment; changes the state at its start; counts its steps; and closes
 * the motion after the last segment, or after one that failed with `status`. */
mbs_segment mbs_motion_segment(mbs_motion *motion);
mbs_status mbs_dynamics_begin(mbs_dynamics *self, const mbs_segment *segment, double *y);
void mbs_motion_count(mbs_motion *motion, const mbs_integration *stats);
mbs_status mbs_motion_close(mbs_motion *motion, mbs_status status);
/* Integrates all segments of a motion. */
mbs_status mbs_motion_run(mbs_motion *motion);
/* Integrates over a segment. The state y becomes its end, or the last accepted state. `workspace` has
 * mbs_integrate_workspace() doubles. */
mbs_status mbs_dynamics_advance(mbs_dynamics *self, const mbs_ode *ode, const mbs_segment *segment, double *y,
                                double *workspace, mbs_integration *stats);
/* Classifies why a motion ended with `status` in a step from (t, y): as a lock-up or a singular position if C has lost
 * its rank there, with the element of a force without a value, or with a state that grows without bound; otherwise
 * returns `status`. Allocates from the system's arena. */
mbs_status mbs_dynamics_classify(const mbs_dynamics *self, mbs_status status, double t, const double *y);

/* ---- dynamics_projection.c ---- */
/* Returns true if steps are projected onto the constraints, or made in independent coordinates. */
bool mbs_dynamics_keeps_constraints(const mbs_dynamics *self);
/* Sets the system's states of elements, and the kernels' integrated angles, from the state y. Call it before its
 * position is set. */
void mbs_dynamics_enter(const mbs_dynamics *self, const double *y);
/* Projects a state onto the constraints, including those of Euler parameters. */
mbs_status mbs_dynamics_keep_constraints(mbs_dynamics *self, double t, double *y);
/* Projects a state onto the constraints, and onto the surfaces along which laws slide. */
mbs_status mbs_dynamics_project(void *context, double t, double *y);
/* Raises the tolerances to the error of rounding at the current position. */
void mbs_dynamics_relax_tolerance(mbs_dynamics *self);
/* Sets whether the state is near a loss of rank. */
void mbs_dynamics_set_near(mbs_dynamics *self, bool near);
/* Returns true if the last accepted state is near a loss of rank; the limit depends on whether it was near before. */
bool mbs_dynamics_still_near(const mbs_dynamics *self);
/* Returns true if rounding dominates the differences of the accelerations evaluated last; projections then change
 * multipliers by some hundredths. */
bool mbs_dynamics_rounding_dominates(const mbs_system *system);
/* Returns true if the last evaluation was at a loss of rank, or nearly so. */
bool mbs_dynamics_has_lost_rank(const mbs_system *system);

/* ---- dynamics_steps.c ---- */
/* Marks the start (true) or the end (false) of evaluations inside the current step. */
void mbs_dynamics_set_observed(void *context, bool begins);
/* Opens the watches of the steps: the guards' limit and the limiter of laws. Returns
 * false if memory runs out. */
bool mbs_dynamics_open_watches(mbs_dynamics *self, bool guards);
/* Returns true if some watch limits steps. */
bool mbs_dynamics_limits_steps(const mbs_dynamics *self);
/* Returns the longest step that all watches allow, as mbs_ode has it. */
double mbs_dynamics_longest_step(void *context, double t, const double *y, const double *dydt);
/* Updates the nearness to a loss of rank, rows and partition after an accepted step to (t, y). */
mbs_status mbs_dynamics_accepted(void *context, double t, const double *y);

/* ---- dynamics_events.c ---- */
/* Computes the guards: the switches, then the margins of joints whose curves may touch at another place, too. */
mbs_status mbs_dynamics_guards(void *context, double t, const double *y, double *out);
/* Computes guard `index` alone. */
mbs_status mbs_dynamics_guard(void *context, size_t index, double t, const double *y, double *value);
/* Returns the longest step [s] in which guards, which see rotations through sines and cosines, hide no wave: a radian
 * of the fastest body. */
double mbs_dynamics_radian(void *context, double t, const double *y, const double *dydt);
/* Applies the impulse of a change at (t, y). Call mbs_dynamics_before_impulse() before the change. */
mbs_status mbs_dynamics_apply_impulse(mbs_dynamics *self, double t, double *y);
/* Stores the constraints before a change at (t, y). */
void mbs_dynamics_before_impulse(mbs_dynamics *self, double t, const double *y);
/* Handles the event of guard `index` at (t, y). */
mbs_status mbs_dynamics_event(void *context, size_t index, double t, double *y);
/* Completes the events of an instant. */
mbs_status mbs_dynamics_settle(void *context, double t, double *y);
/* Fails because the events of guard `index` do not end. */
mbs_status mbs_dynamics_fail_zeno(void *context, size_t index, double t);

/* ---- dynamics_triggers.c ---- */
/* Allocates the workspace. Returns false if memory runs out. */
bool mbs_triggers_open(mbs_dynamics *self);
/* Resets triggers, samples and discrete values to the start of a motion. */
void mbs_triggers_restart(mbs_dynamics *self);
/* Computes the guards [trigger_count] at the state of the system. */
void mbs_triggers_margins(const mbs_dynamics *self, double *out);
/* Receives a state (t, y) at the end of a step, before its events. */
void mbs_triggers_accepted(mbs_dynamics *self, double t, const double *y);
/* Marks the zeros that the motion reaches within rounding of t, the end of a segment, whose last step has not passed
 * them. */
mbs_status mbs_triggers_reach(mbs_dynamics *self, double t, const double *y);
/* Marks a zero that the motion has passed. */
void mbs_triggers_cross(mbs_dynamics *self, size_t trigger);
/* Fires the triggers whose zeros were passed or whose conditions have become true at (t, y), and applies what they set.
 * Sets *changed if that may change conditions. */
mbs_status mbs_triggers_fire(mbs_dynamics *self, double t, double *y, bool *changed);
/* Completes the events of an instant. */
mbs_status mbs_triggers_settled(mbs_dynamics *self, double t, const double *y);
/* Begins with the complete state at the start of the motion. */
mbs_status mbs_triggers_begin(mbs_dynamics *self, double t, const double *y);
/* Returns true if `stop_when` has ended the run of a mbs_dynamics. */
bool mbs_triggers_stopped(const void *dynamics);
/* Returns true if a value is to be sampled at t. mbs_samples_measure() computes the new values from the state before,
 * mbs_samples_take() stores them, and mbs_samples_close() completes the change. */
bool mbs_samples_are_due(const mbs_dynamics *self, double t);
mbs_status mbs_samples_measure(mbs_dynamics *self, double t, const double *y);
void mbs_samples_take(mbs_dynamics *self, double t);
mbs_status mbs_samples_close(mbs_dynamics *self, double t, double *y);

/* ---- singular_limits.c ---- */
/* Sets the system to the state of a row in self->y at t, with the limits of accelerations and multipliers of the states
 * next to it. Returns false if there is no limit, or if it cannot be computed. */
bool mbs_dynamics_evaluate_limit(mbs_dynamics *self, double t);

/* ---- dynamics_observed.c ---- */
/* Returns true if projections need the current factors only, without refinement. */
bool mbs_dynamics_projects_plainly(const mbs_dynamics *self);
/* Sets the factors from which states inside a step are found one by one. */
void mbs_dynamics_fetch_factors(mbs_dynamics *self);
/* Returns true if the system at the start of the step equals the system that the observer read at the end of the last
 * step: it depends on state and time only, and projections do not move either. */
bool mbs_dynamics_continues(const mbs_dynamics *self, const mbs_ode_step *step);
/* Returns true if that is possible for a step that begins at t; if drivers switch, the system also depends on a
 * branch. */
bool mbs_dynamics_may_continue(const mbs_dynamics *self, double t);
/* Records that the observer read the end of a step without the system. `stays`: projection did not move it. */
void mbs_dynamics_note_shown(mbs_dynamics *self, const mbs_ode_step *step, bool stays);
/* Records that the system has the end of an observed step, the state self->y. */
void mbs_dynamics_note_end(mbs_dynamics *self, const mbs_ode_step *step);

/* ---- independent_subsystems.c ---- */
/* Finds the parts of the mechanism that only forces couple. Sets *out to NULL if there is one part, or if the inputs of
 * forces are not known. Returns false if memory runs out. */
bool mbs_dynamics_find_parts(const mbs_dynamics *self, const mbs_ode_parts **out);

/* ---- dynamics_notes.c ---- */
/* Checks the redundant rows of a motion without projection, in which all rows drift. Fails if a redundant row
 * contradicts the others. */
mbs_status mbs_dynamics_check_drifting(mbs_dynamics *self, double t, const double *y);
/* Notes smooth friction that crept at two successive reporting times; at one time it may just pass through zero. */
void mbs_dynamics_note_creep(mbs_dynamics *self, double t);
/* Adds notes on accuracy and method at the end of a run. */
void mbs_dynamics_note_method(const mbs_dynamics *self, double stiffness);
/* Notes the velocities that are independent at the start. */
void mbs_dynamics_note_independent(const mbs_dynamics *self);

#endif
