/* dynamics.h - what the files of dynamics share. */
#ifndef MBS_DYNAMICS_H
#define MBS_DYNAMICS_H

#include "constraints/partition.h"
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

/* What lanes have read of the step in hand, or of a part of it, where an observer reads first (batch_simulation.h). */
typedef struct mbs_first_read {
  double *values;      /* [places][inputs] */
  bool known, started; /* they are there; that of the first place, too */
  bool stays;          /* the end was found on the constraints */
  double t, t1;
} mbs_first_read;

enum { MBS_FIRST_READS = 2 };

typedef struct mbs_dynamics_limit mbs_dynamics_limit;

/* Independent coordinates of `partitioning`. */
typedef struct mbs_partitioning {
  mbs_partition partition;
  double amplification; /* of the partition at the end of the current step */
  size_t changes;       /* how often other coordinates were chosen */
} mbs_partitioning;

/* How near to a loss of rank the end of a step is. Evaluations inside the step, for observers, may not change that for
 * the next step: the motion would depend on the observer. */
typedef struct mbs_step_end {
  bool near_singular, shifted, unequal_masses;
  double pivot_ratio, rounding;
  double rtol, atol;
} mbs_step_end;

/* Nearness to a position at which the constraints lose rank (dynamics_projection.c). */
typedef struct mbs_nearness {
  bool singular;          /* since the last accepted step */
  double kept_ratio;      /* largest pivot_ratio since the kept rows were chosen; 0: not known */
  mbs_step_end end;       /* state of the next step */
  bool observed;          /* an observer evaluates inside the current step */
  bool blurred;           /* some acceleration since the last question, see blur_share */
  double worst_tolerance; /* that rounding allowed */
} mbs_nearness;

/* Rows of results at a loss of rank (singular_limits.c). */
typedef struct mbs_lost_rows {
  size_t count;              /* rows that have no limit there */
  double first;              /* time of the first one [s] */
  mbs_dynamics_limit *limit; /* workspace; NULL until the first row */
} mbs_lost_rows;

/* Energies that errors of work and dissipation are compared with (energy_size() in dynamics.c). */
typedef struct mbs_energy_scale {
  double power;      /* of drivers, forces and dampers at the last evaluation, each by itself [W] */
  double exchanged;  /* largest energy so far: kinetic, work, dissipated, or passed on in a step [J] */
  double least;      /* kinetic energy of velocities of the size of their tolerance [J] */
  double resistance; /* largest power so far for a unit of speed */
} mbs_energy_scale;

/* What an observer was shown of the last step, and states that lanes found for it. */
typedef struct mbs_observation {
  double *end; /* [ode.n] the last state of the step that was observed last; NULL: states are found one by one */
  bool stays;  /* it was on the constraints as it was */
  double until;
  mbs_first_read first[MBS_FIRST_READS];
  /* Gives the system the factors with which states inside a step begin; NULL if it has them. */
  void (*factors)(const void *user, mbs_dynamics *self);
  const void *factors_user;
  void *batch;  /* the batch that makes the steps of several motions (batch_simulation.h) */
  void *finder; /* workspace of the observer's finder (state_finder.h); NULL: none */
} mbs_observation;

/* The last step, and how the current one goes on. */
typedef struct mbs_progress {
  double t, length; /* end and length of the last accepted step [s] */
  bool adaptive;    /* steps may be tried again */
  bool again;       /* the current one is to be tried again, see mbs_dynamics_set_near() */
  bool endless;     /* the run ended with events without end */
} mbs_progress;

enum { MBS_WATCHES_MAX = 4 };

struct mbs_dynamics {
  mbs_run_state *run;
  double *y, *stage;       /* [n], [motion] states of rows, and of stages moved onto the constraints */
  double *units;           /* [motion] scales of the absolute tolerance */
  mbs_tolerance tolerance; /* of the integrator now */
  mbs_constraint_method constraints;
  mbs_partitioning partitioning;
  mbs_impulse impulse;
  mbs_progress last;
  mbs_nearness near;
  mbs_energy_scale energy;
  mbs_revolutions revolutions;
  mbs_step_limiter *limiter;
  mbs_stagnation stagnation;
  mbs_step_watch watches[MBS_WATCHES_MAX]; /* limits of guards and laws, in the order of their calls */
  size_t watch_count, first_row;           /* first_row: of the current segment */
  mbs_lost_rows lost;
  int *crept; /* [force_count] successive reporting times at which smooth friction crept; -1: noted */
  mbs_local_errors errors;
  mbs_observation seen;
};

/* A piece of a motion, between two instants at which functions of time may break. */
typedef struct mbs_segment {
  double before, start; /* where the piece before it ended, and where it begins */
  mbs_break end;
  bool after_break;
  const double *times; /* [rows] reporting times in it */
  size_t rows;
} mbs_segment;

/* A motion from its start to its end, segment by segment. */
typedef struct mbs_motion {
  mbs_dynamics self;
  mbs_ode ode; /* its context is self, which stays where it is */
  const mbs_method *method;
  double *y;         /* [ode.n] */
  double *workspace; /* of the integrator */
  mbs_break *breaks; /* [segments] their ends */
  double *times;     /* [rows] reporting times */
  size_t segments, segment, rows, next_row;
  double t, stiffness;
} mbs_motion;

/* A step that is observed. */
typedef struct mbs_observed_step {
  mbs_dynamics *self;
  const mbs_ode_step *step;
} mbs_observed_step;

/* ---- dynamics.c ---- */
/* The rates of the state y that was evaluated last. */
void mbs_dynamics_rates(mbs_dynamics *self, const double *y, double *dydt);
/* Room for a motion, and the equations as the integrator sees them, of states (q, v, z, W, E_d, turns); `run` and
 * `constraints` are set. False: no memory. */
bool mbs_dynamics_open(mbs_dynamics *self, mbs_ode *ode);
/* The work and the dissipation of the state y become the system's. */
void mbs_dynamics_take_energies(const mbs_dynamics *self, const double *y);
/* A row of results, as mbs_ode has it. */
mbs_status mbs_dynamics_report(void *context, size_t row, double t, const double *y);
/* A motion ready for its first segment. */
mbs_status mbs_motion_open(mbs_motion *motion, mbs_run_state *run);
/* The next one, from where the motion is; what becomes of it at its start; what it was; and, after the last one or one
 * that ended with a status, the end. */
mbs_segment mbs_motion_segment(mbs_motion *motion);
mbs_status mbs_dynamics_begin(mbs_dynamics *self, const mbs_segment *segment, double *y);
void mbs_motion_count(mbs_motion *motion, const mbs_integration *stats);
mbs_status mbs_motion_close(mbs_motion *motion, mbs_status status);
/* All of that. */
mbs_status mbs_motion_run(mbs_motion *motion);
/* Integrates over a segment from the state y, which becomes its end or the last one that was accepted. `workspace`:
 * mbs_integrate_workspace(). */
mbs_status mbs_dynamics_advance(mbs_dynamics *self, const mbs_ode *ode, const mbs_segment *segment, double *y,
                                double *workspace, mbs_integration *stats);
/* Why a motion ended with `status` in a step from (t, q): where C has lost its rank there, a lock-up or a singular
 * position; a force without a value is that element's; the rest keeps its name. Takes memory of the system's arena. */
mbs_status mbs_dynamics_classify(const mbs_dynamics *self, mbs_status status, double t, const double *q);

/* ---- dynamics_projection.c ---- */
/* Whether steps are moved onto the constraints, or made of independent coordinates. */
bool mbs_dynamics_keeps_constraints(const mbs_dynamics *self);
/* Gives the system the states of elements, and the kernels the integrated angles, of the state y: to be called before
 * its position is set. */
void mbs_dynamics_enter(const mbs_dynamics *self, const double *y);
/* Moves a state onto the constraints, those of the Euler parameters among them. */
mbs_status mbs_dynamics_keep_constraints(mbs_dynamics *self, double t, double *y);
/* The same, and onto the surfaces along which laws slide. */
mbs_status mbs_dynamics_project(void *context, double t, double *y);
/* Tolerances no smaller than what rounding leaves at the position in hand. */
void mbs_dynamics_relax_tolerance(mbs_dynamics *self);
/* From now on the state is near a loss of rank, or not. */
void mbs_dynamics_set_near(mbs_dynamics *self, bool near);
/* Whether the state accepted last is near a loss of rank, given that it was or was not. */
bool mbs_dynamics_still_near(const mbs_dynamics *self);
/* Whether rounding is what a step notices of the accelerations evaluated last; some hundredths of multipliers are what
 * projections leave then. */
bool mbs_dynamics_rounding_dominates(const mbs_system *system);
/* Whether what was evaluated last is that of a position at which rank is lost, as good as. */
bool mbs_dynamics_has_lost_rank(const mbs_system *system);

/* ---- dynamics_steps.c ---- */
/* Looking inside the step in hand begins, or has ended. */
void mbs_dynamics_set_observed(void *context, bool begins);
/* Opens the watches of the steps: the guards' limit and the limiter of laws. Returns
 * false if memory runs out. */
bool mbs_dynamics_open_watches(mbs_dynamics *self, bool guards);
/* Returns true if some watch limits steps. */
bool mbs_dynamics_limits_steps(const mbs_dynamics *self);
/* Returns the longest step that all watches allow, as mbs_ode has it. */
double mbs_dynamics_longest_step(void *context, double t, const double *y, const double *dydt);
/* Sees that the step to (t, y) was accepted. */
mbs_status mbs_dynamics_accepted(void *context, double t, const double *y);

/* ---- dynamics_events.c ---- */
/* Guards: the switches, then the margins of joints whose curves may touch at another place, too. */
mbs_status mbs_dynamics_guards(void *context, double t, const double *y, double *out);
/* Returns the longest step [s] in which guards, which see rotations through sines and cosines, hide no wave: a radian
 * of the fastest body. */
double mbs_dynamics_radian(void *context, double t, const double *y, const double *dydt);
/* What the constraints ask for after a change at (t, y), of which before_impulse() was told. */
mbs_status mbs_dynamics_take_impulse(mbs_dynamics *self, double t, double *y);
/* Before a change at (t, y). */
void mbs_dynamics_before_impulse(mbs_dynamics *self, double t, const double *y);
/* Guard `index` has its event at (t, y). */
mbs_status mbs_dynamics_event(void *context, size_t index, double t, double *y);
/* After all events of an instant. */
mbs_status mbs_dynamics_settle(void *context, double t, double *y);
/* The events of guard `index` do not end. */
mbs_status mbs_dynamics_fail_zeno(void *context, size_t index, double t);

/* ---- singular_limits.c ---- */
/* Leaves the system at the state of a row in self->y, at t, with the accelerations and multipliers that those beside it
 * tend to; false: they tend to nothing, or what they do is not known. */
bool mbs_dynamics_evaluate_limit(mbs_dynamics *self, double t);

/* ---- dynamics_observed.c ---- */
/* Returns true if projections need the current factors only, without refinement. */
bool mbs_dynamics_projects_plainly(const mbs_dynamics *self);
/* Before states inside a step are found one by one: the system has the factors that these begin with. */
void mbs_dynamics_fetch_factors(mbs_dynamics *self);
/* Whether who is asked to stand at the start of a step stands where the end of the last one was shown: nothing but the
 * state and the time decides that there, and projections move neither. */
bool mbs_dynamics_continues(const mbs_dynamics *self, const mbs_ode_step *step);
/* Whether that may be so of a step that begins at t; of drivers that switch, a branch decides, too. */
bool mbs_dynamics_may_continue(const mbs_dynamics *self, double t);
/* The end of a step that is observed was shown without the system; `stays`: it was found on the constraints. */
void mbs_dynamics_note_shown(mbs_dynamics *self, const mbs_ode_step *step, bool stays);
/* The system stands at the end of a step that is observed, at the state self->y. */
void mbs_dynamics_note_end(mbs_dynamics *self, const mbs_ode_step *step);

/* ---- independent_subsystems.c ---- */
/* The parts of the mechanism that move by themselves but for forces; NULL where it is one, or where it is not known
 * what forces read. False: no memory. */
bool mbs_dynamics_find_parts(const mbs_dynamics *self, const mbs_ode_parts **out);

/* ---- dynamics_notes.c ---- */
/* Where nothing projects, redundant rows drift with the others. One that drifts away from them contradicts them. */
mbs_status mbs_dynamics_check_drifting(mbs_dynamics *self, double t, const double *y);
/* Smooth friction that crept at two reporting times did not only pass through zero. */
void mbs_dynamics_note_creep(mbs_dynamics *self, double t);
/* What a run that came to its end has to say of its method. */
void mbs_dynamics_note_method(const mbs_dynamics *self, double stiffness);
/* Which velocities are independent at the start. */
void mbs_dynamics_note_independent(const mbs_dynamics *self);

#endif
