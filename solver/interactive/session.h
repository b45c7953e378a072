/* session.h - shared by the files of sessions.
 * Between two calls the system holds the state `now`: position and velocity are set, and functions of time have the
 * offsets of drivers. A call copies `now` to `before`, changes `now`, and either accepts it or restores `before`. No
 * call allocates memory. */
#ifndef MBS_SESSION_H
#define MBS_SESSION_H

#include "mbs/session.h"
#include "run/run.h"

/* Everything that a call may change. */
typedef struct mbs_session_state {
  double t;
  double *q, *v, *z;      /* [nq], [nv], [nz] */
  bool rates_open;        /* v does not yet satisfy the velocity constraints */
  double *offsets;        /* [function_count] differences between drivers and their functions of time */
  double *direction;      /* [nv] the last motion that the user requested; zero: none yet */
  double damping;         /* damping of the next drag */
  bool *active;           /* [rows] */
  double *modes, *memory; /* [switch_count], [memory_count] of laws and elements during a motion */
} mbs_session_state;

/* The source of velocities, accelerations and forces that are read. */
typedef enum mbs_session_reading {
  MBS_READS_NOTHING,
  MBS_READS_UNIT_MOTION, /* only velocities, in their arrays */
  MBS_READS_STATE        /* everything, in the system, evaluated at `now` */
} mbs_session_reading;

/* Inputs of the document that the host sets. */
typedef struct mbs_session_inputs {
  double *before, *given; /* [external_count] during the last step; workspace */
  bool changed;           /* the present ones differ from those */
  bool set;               /* the host has set them */
  bool drive;             /* functions of time read them */
} mbs_session_inputs;

struct mbs_session {
  const mbs_model *model;
  mbs_arena *arena;
  mbs_arena *lasting; /* memory of numbers and results, which mbs_session_load() does not reset */
  mbs_run_state run;
  mbs_error error;
  mbs_constants *constants, *spare; /* current numbers, and those of a trial */
  double *values, *tried;           /* [parameter_count] values of parameters; NaN: value of the document */
  mbs_session_state now, before;
  double *plain;                /* [function_count] functions of time at the start, without offsets */
  size_t joint_rows;            /* rows of drivers follow these rows */
  double reference_pivot_ratio; /* largest pivot ratio since the independent rows were selected; 0: not known */
  double *longest;              /* [nv] largest steps that count as near */
  double *poses, *marks;        /* [nB x 7] mass centre, and angle or Euler parameters: see mbs_session_mark() */
  struct mbs_drag *drag;        /* workspace */
  struct mbs_free_motion_work *free_motion;
  struct mbs_sweep *sweep;
  struct mbs_player *player;
  bool playing; /* the last call that moved the mechanism was a time step, whose modes continue */
  mbs_session_inputs inputs;
  struct mbs_arena_image *image; /* everything as after mbs_session_open_states(); NULL: not opened */
  bool recorded;                 /* the result has arrays, for mbs_session_record() */
  mbs_session_reading reading;
  /* Arrays that are returned to the caller. */
  double *bodies, *points[3], *centres[3], *mass_centre, *instant_centres, *reactions, *forces;
};

/* ---- session.c ---- */
/* Allocates a state. Returns false if memory runs out. */
bool mbs_session_open_state(const mbs_model *model, mbs_arena *arena, mbs_session_state *state);
void mbs_session_copy_state(const mbs_model *model, const mbs_session_state *from, mbs_session_state *to);
/* Sets the system to the state `now`. */
void mbs_session_hold(mbs_session *session);
/* Begins a call that changes the state; a motion ends. */
void mbs_session_begin(mbs_session *session);
/* Ends the call: accepts `now` if `status` is MBS_OK, else restores `before`. Returns `status`. */
mbs_status mbs_session_end(mbs_session *session, mbs_status status);
/* Moves now.q onto the constraints, with new factors (`own_factors`) or the current ones. Returns false, without an
 * error message, if the iteration does not converge. */
bool mbs_session_project(mbs_session *session, bool own_factors);
/* Moves now.q onto the constraints by damped steps as at the start of a run, with all active rows, and sets the error
 * if that fails. */
mbs_status mbs_session_correct(mbs_session *session);
/* Copies the poses at the current position to `poses` [nB x 7]. */
void mbs_session_mark(const mbs_session *session, double *poses);
/* Returns the largest displacement of a body from its marked pose, in extents of the model and radians. */
double mbs_session_max_displacement(const mbs_session *session, const double *marks);
/* Returns the distance between the current and an earlier pose, without full revolutions. */
double mbs_session_pose_distance(const mbs_session *session, const double *marks);
/* Returns the largest displacement of a body for the step dv [nv], to first order [extents, radians]. Independent of
 * the coordinates, so that both formulations agree. Sets the velocity. */
double mbs_session_predicted_displacement(const mbs_session *session, const double *dv);
/* Makes the independent rows of mbs_find_ranks() the active ones. */
void mbs_session_take_ranks(mbs_session *session);

/* ---- free_motion.c ---- */
/* Allocates the workspace. Returns false if memory runs out. */
bool mbs_session_open_free_motion(mbs_session *session);
/* Deactivates the rows of drivers. */
void mbs_session_release_drivers(mbs_session *session);
/* Reactivates the rows of drivers as before the call. */
void mbs_session_restore_drivers(mbs_session *session);
/* Reactivates the rows of drivers, holds drivers at their current values, and sets all velocities to zero. */
void mbs_session_stop(mbs_session *session);
/* Returns true if C was nearly rank-deficient at the last factorization: the motion is then known only on the branch on
 * which the mechanism arrived. */
bool mbs_session_near_singular(const mbs_session *session);
/* Projects dv [nv] onto the velocities that the constraints permit, with the current factors. theory (18.6) */
void mbs_session_project_velocity(mbs_session *session, double *dv);
/* Finds a motion u [nv], of any length, that the constraints permit while drivers are released: in the direction of the
 * last motion, or, if there was none, along the only degree of freedom. Returns MBS_LOCK_UP if there is no such
 * motion. */
mbs_status mbs_session_find_motion(mbs_session *session, double *u);

/* ---- sweep.c ---- */
/* Allocates the workspace. Returns false if memory runs out. */
bool mbs_session_open_sweep(mbs_session *session);

/* ---- drag.c ---- */
/* Allocates the workspace. Returns NULL if memory runs out. */
struct mbs_drag *mbs_drag_new(const mbs_model *model, mbs_arena *arena);

/* ---- step.c ---- */
/* Allocates the workspace of steps; call it after the run has started. Returns false if memory runs out. */
bool mbs_session_open_player(mbs_session *session);

/* Visits the numbers of a motion that continue from step to step. */
void mbs_session_visit_player(mbs_session *session, void (*visit)(void *context, void *data, size_t size),
                              void *context);

/* ---- inputs.c ---- */
/* Allocates the inputs. Returns false if memory runs out. */
bool mbs_session_open_inputs(mbs_session *session);
/* Prepares a step with new inputs: drivers that read them move. Returns the inputs that take effect in the step, or
 * NULL if they have effect already. */
mbs_status mbs_session_take_inputs(mbs_session *session, const double **given);

/* ---- read.c ---- */
/* Moves now.v onto the velocity constraints if that is still to be done. */
mbs_status mbs_session_close_rates(mbs_session *session);
bool mbs_session_open_arrays(mbs_session *session);

#endif
