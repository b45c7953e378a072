/* session.h - what the files of sessions share.
 *
 * Between two calls the system holds the state `now`: position and velocity set, functions of time with the offsets of
 * drivers. A call saves `now` in `before`, works on `now`, and either accepts it or takes `before` back. Nothing is
 * allocated in a call. */
#ifndef MBS_SESSION_H
#define MBS_SESSION_H

#include "mbs/session.h"
#include "run/run.h"

/* All that a call may change. */
typedef struct mbs_session_state {
  double t;
  double *q, *v, *z;      /* [nq], [nv], [nz] */
  bool rates_open;        /* v is still to be moved onto the rates of the constraints */
  double *offsets;        /* [function_count] how far drivers were led from their functions of time */
  double *direction;      /* [nv] the last motion that was asked for by hand; zero: none yet */
  double damping;         /* of the next pull */
  bool *active;           /* [rows] */
  double *modes, *memory; /* [switch_count], [memory_count] of laws and elements, while a motion goes on */
} mbs_session_state;

/* What velocities, accelerations and forces are read of. */
typedef enum mbs_session_reading {
  MBS_READS_NOTHING,
  MBS_READS_UNIT_MOTION, /* velocities, in their arrays */
  MBS_READS_STATE        /* all, in the system, evaluated at `now` */
} mbs_session_reading;

struct mbs_session {
  const mbs_model *model;
  mbs_arena *arena;
  mbs_run_state run;
  mbs_error error;
  mbs_constants *constants, *spare; /* the numbers in force, and those that are tried */
  double *values, *tried;           /* [parameter_count] values of parameters; NaN: as the document has them */
  mbs_session_state now, before;
  double *plain;         /* [function_count] functions of time at the start, without offsets */
  size_t joint_rows;     /* rows of drivers come after them */
  double kept_ratio;     /* largest pivot ratio since rows were chosen; 0: not known */
  double *longest;       /* [nv] steps that stay near */
  double *poses, *marks; /* [nB x 7] centre, and angle or Euler parameters: see mbs_session_mark() */
  struct mbs_drag *drag; /* workspace */
  struct mbs_free_motion_work *free_motion;
  struct mbs_sweep *sweep;
  struct mbs_player *player;
  bool playing; /* the last call that moved anything was a slice of the motion, whose modes are held */
  mbs_session_reading reading;
  /* What is read. */
  double *bodies, *points[3], *centres[3], *mass_centre, *instant_centres, *reactions, *forces;
};

/* ---- session.c ---- */
/* False: no memory. */
bool mbs_session_open_state(const mbs_model *model, mbs_arena *arena, mbs_session_state *state);
void mbs_session_copy_state(const mbs_model *model, const mbs_session_state *from, mbs_session_state *to);
/* The system holds the state `now`. */
void mbs_session_hold(mbs_session *session);
/* Before a call changes anything; a motion does not go on. */
void mbs_session_begin(mbs_session *session);
/* After it: `now` counts, or, where `status` is not MBS_OK, what was before. Returns `status`. */
mbs_status mbs_session_end(mbs_session *session, mbs_status status);
/* Moves now.q onto the constraints, by factors of its own or those in hand; false where it does not come there, of
 * which nothing is said. */
bool mbs_session_project(mbs_session *session, bool own_factors);
/* The same by damped steps as at the start of a run, with all rows that are active, and why not. */
mbs_status mbs_session_correct(mbs_session *session);
/* The poses at the position in hand, [nB x 7]. */
void mbs_session_mark(const mbs_session *session, double *poses);
/* How far the body that moved most is from where it was marked: in extents of the model, and radians. */
double mbs_session_max_displacement(const mbs_session *session, const double *marks);
/* The same to an earlier pose, of which full turns are none. */
double mbs_session_pose_distance(const mbs_session *session, const double *marks);
/* The farthest that a body goes by a displacement dv [nv], to first order [extents, radians]. Not measured in
 * coordinates, so that both formulations agree. Sets the velocity. */
double mbs_session_predicted_displacement(const mbs_session *session, const double *dv);
/* The rows that count from here on, those of mbs_find_ranks(). */
void mbs_session_take_ranks(mbs_session *session);

/* ---- free_motion.c ---- */
/* False: no memory. */
bool mbs_session_open_free_motion(mbs_session *session);
/* Rows of drivers do not count from here on. */
void mbs_session_release_drivers(mbs_session *session);
/* They count again as before the call. */
void mbs_session_restore_drivers(mbs_session *session);
/* They count again, and hold: drivers are where they were led. The mechanism is at rest. */
void mbs_session_stop(mbs_session *session);
/* Whether C is losing rank at the last factorization: only the branch is known on which the mechanism came. */
bool mbs_session_near_singular(const mbs_session *session);
/* dv [nv] := its part within the constraints, by the factors in hand. theory (18.6) */
void mbs_session_project_velocity(mbs_session *session, double *dv);
/* The motion along the freedoms in u [nv], of any length, while drivers are released: on in the direction of the last
 * one; where there was none, the only one. MBS_LOCK_UP: there is no such motion. */
mbs_status mbs_session_find_motion(mbs_session *session, double *u);

/* ---- sweep.c ---- */
/* False: no memory. */
bool mbs_session_open_sweep(mbs_session *session);

/* ---- drag.c ---- */
/* NULL: no memory. */
struct mbs_drag *mbs_drag_new(const mbs_model *model, mbs_arena *arena);

/* ---- step.c ---- */
/* Once the run has started. False: no memory. */
bool mbs_session_open_player(mbs_session *session);

/* ---- read.c ---- */
/* Moves now.v onto the rates of the constraints, where that is open. */
mbs_status mbs_session_close_rates(mbs_session *session);
bool mbs_session_open_arrays(mbs_session *session);

#endif
