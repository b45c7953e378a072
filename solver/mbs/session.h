/* mbs/session.h - a mechanism that is moved from call to call. */
#ifndef MBS_MBS_SESSION_H
#define MBS_MBS_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/run.h"
#include "mbs/status.h"

/* A mechanism that stands assembled and is moved from call to call: pulled at a point, driven, given other values of
 * its parameters. It begins where a run of the model does. A call that fails leaves it as it was, bit for bit, and says
 * why in mbs_session_error(); after one that succeeds the constraints hold to 1e-10 in units of accuracy. Calls
 * allocate nothing unless they fail, but mbs_session_new(). For one thread. */
typedef struct mbs_session mbs_session;

/* Assembles the model, which must last as long as the session. From another session, of an edited document: bodies that
 * the same joint carries, or that float, in both begin where they stand there, and drivers as far on (matched by name);
 * NULL: where the document has them. NULL on failure, with `error`. */
MBS_API mbs_session *mbs_session_new(const mbs_model *model, const mbs_session *from, mbs_error *error);
MBS_API void mbs_session_free(mbs_session *session);
/* Why the last call failed; its status is MBS_OK where it did not. */
MBS_API const mbs_error *mbs_session_error(const mbs_session *session);

/* Moves the mechanism onto its constraints from where it stands. MBS_NOT_ASSEMBLED, MBS_CONTRADICTION. */
MBS_API mbs_status mbs_session_assemble(mbs_session *session);
/* Gives a parameter another value, and moves the mechanism onto its constraints from where it stands; parameters that
 * are expressions of it follow. MBS_UNKNOWN_NAME; as mbs_bind() refuses numbers, with their pointer: MBS_INVALID where
 * the structure of the model would be another one; MBS_NOT_ASSEMBLED, MBS_CONTRADICTION. */
MBS_API mbs_status mbs_session_set(mbs_session *session, const char *parameter, double value);
/* Leads a driver to a value [m, rad], a little at a time; its function of time counts from there on. MBS_UNKNOWN_NAME;
 * MBS_LOCK_UP where the mechanism cannot follow so far. */
MBS_API mbs_status mbs_session_drive(mbs_session *session, const char *driver, double value);
/* Pulls a point [dim, in the axes of its body, from the mass centre, m] of a body (as scenes count them) towards a
 * target [dim, m], as near as its constraints let it come in a few steps: freedoms that need not move stay, heavy parts
 * before light ones. Drivers are led along (see mbs_session_drive()); velocities become zero. No body moves farther
 * than `limit` in this call, in extents of the model and radians; 0: 1.5. `*distance` [m]: how far the point then is
 * from the target. MBS_LOCK_UP, with what holds the body, where it cannot move at all; MBS_OUT_OF_RANGE: no such body,
 * or what is given is not finite. */
MBS_API mbs_status mbs_session_pull(mbs_session *session, size_t body, const double *point, const double *target,
                                    double limit, double *distance);

/* Goes on with the motion for `dt` [s], by the method and tolerance of the model, from the state in hand; constraints
 * are kept by projection. Forces, contacts and functions of time act as in a run of dynamics; an end of the run is none
 * here. `hooks` are asked as by mbs_run(), and may be NULL. What ends a run fails here, MBS_CANCELLED as well: the
 * motion is then as before the call. Methods of several steps (bdf) begin anew in each call, and allocate. */
MBS_API mbs_status mbs_session_step(mbs_session *session, double dt, const mbs_hooks *hooks);

/* Time [s]; degrees of freedom, drivers counted as constraints, and without drivers. */
MBS_API double mbs_session_time(const mbs_session *session);
MBS_API int mbs_session_freedoms(const mbs_session *session);
MBS_API int mbs_session_mobility(const mbs_session *session);
/* What a run of the model would report before it begins: the tree, the rows of constraints with those that are
 * redundant for the numbers in force, degrees of freedom. */
MBS_API const mbs_report *mbs_session_report(const mbs_session *session);

/* The tour of a mechanism with one freedom, drivers not counted: from where it stands through its positions, in steps
 * in which no body goes farther than `stride` (extents of the model, and radians), until it stands there again. Another
 * call that moves it ends the tour. MBS_OUT_OF_RANGE: it has not one freedom. */
MBS_API mbs_status mbs_session_begin_tour(mbs_session *session, double stride);
typedef enum mbs_tour_end {
  MBS_TOUR_GOES_ON, /* it stands one position further */
  MBS_TOUR_CLOSED,  /* the same, and that was the start */
  MBS_TOUR_TURNED,  /* it goes no farther, or too far, and stands at the start again, to go the other way */
  MBS_TOUR_OVER     /* that way neither */
} mbs_tour_end;
/* To the next position of the tour. */
MBS_API mbs_tour_end mbs_session_go_on_tour(mbs_session *session);

/* Velocities that satisfy the constraints, accelerations, reactions and forces at the state in hand, for the functions
 * below. Of velocities that a call left open, the nearest to those before. */
MBS_API mbs_status mbs_session_evaluate(mbs_session *session);
/* In their place velocities of the motion that the mechanism makes by hand, drivers released: on in the direction of
 * the last pull, or, where there was none, along the only freedom; so fast that the fastest of its points and mass
 * centres has 1 m/s, or, where none moves, the fastest body 1 rad/s. The state stays. MBS_LOCK_UP: there is no such
 * motion. */
MBS_API mbs_status mbs_session_take_unit_motion(mbs_session *session);
/* Arrays of the session, until its next call: of the bodies without the ground, in the order of the document, [bodies x
 * 3] x, y, angle [m, rad], or [bodies x 7] x, y, z and Euler parameters; of the points as a scene counts them [points x
 * dim], and of the mass centres [bodies x dim], positions (level 0), velocities (1), accelerations (2); the mass centre
 * of all bodies [dim], NULL where nothing has a mass; in the plane the points [bodies x 2] about which the bodies turn,
 * their instant centres, NaN of those at rest and where it is farther away than 20 extents; the reactions of the joints
 * as in the array of results; what each force element pushes its second body with, or its only one [forces x dim, N].
 * NULL: what needs mbs_session_evaluate(), or of velocities and instant centres mbs_session_take_unit_motion(), which
 * was not called since the state changed. */
MBS_API const double *mbs_session_poses(mbs_session *session);
/* Its coordinates and velocities in the document's order, as mbs_equations_at() takes them; false where it has not nq
 * and nv of them. */
MBS_API bool mbs_session_coordinates(const mbs_session *session, size_t nq, double *q, size_t nv, double *v);
MBS_API const double *mbs_session_points(mbs_session *session, int level);
MBS_API const double *mbs_session_centres(mbs_session *session, int level);
MBS_API const double *mbs_session_mass_centre(mbs_session *session);
MBS_API const double *mbs_session_instant_centres(mbs_session *session);
MBS_API const double *mbs_session_reactions(mbs_session *session);
MBS_API const double *mbs_session_forces(mbs_session *session);

#endif
