/* mbs/session.h - interactive motion of a mechanism. */
#ifndef MBS_MBS_SESSION_H
#define MBS_MBS_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/run.h"
#include "mbs/status.h"

/* An assembled mechanism that is moved interactively: dragged at a point, driven, advanced in time, or given other
 * parameter values. It starts at the start of a run of the model. A failed call restores the state before it, bit for
 * bit, and mbs_session_error() gives the reason. After a successful call the constraint residuals are at most 1e-10 in
 * scales of accuracy. Apart from mbs_session_new(), only failing calls allocate memory. A session may be used by one
 * thread at a time. */
typedef struct mbs_session mbs_session;

/* Assembles the model, which must outlive the session. `from` is a session of another version of the document, or NULL.
 * Bodies that the same joint carries in both versions, or that float in both, start at their positions in `from`, and
 * drivers at their values there. Elements are matched by name. Without `from`, all positions are those of the document.
 * Returns NULL on failure and fills `error`. */
MBS_API mbs_session *mbs_session_new(const mbs_model *model, const mbs_session *from, mbs_error *error);
/* Frees a session. */
MBS_API void mbs_session_free(mbs_session *session);
/* Returns the error of the last call; its status is MBS_OK if the call succeeded. */
MBS_API const mbs_error *mbs_session_error(const mbs_session *session);

/* Moves the mechanism onto its constraints from its current position. Fails with MBS_NOT_ASSEMBLED or
 * MBS_CONTRADICTION. */
MBS_API mbs_status mbs_session_assemble(mbs_session *session);
/* Sets a parameter, and moves the mechanism onto its constraints from its present position. Parameters that are
 * expressions of it change too. Between two steps this sets an input of the model. Fails with MBS_UNKNOWN_NAME,
 * MBS_INVALID if the structure of the model depends on the value, the errors of invalid numbers in a document,
 * MBS_NOT_ASSEMBLED or MBS_CONTRADICTION. */
MBS_API mbs_status mbs_session_set(mbs_session *session, const char *parameter, double value);
/* Moves a driver to a value [m, rad] in small steps; its function of time continues from there. Fails with
 * MBS_UNKNOWN_NAME, or with MBS_LOCK_UP if the mechanism cannot follow so far. */
MBS_API mbs_status mbs_session_drive(mbs_session *session, const char *driver, double value);
/* Drags a point of a body towards a target [dim, m], as near as the constraints permit in a few steps. The point [dim,
 * m] is given from the mass centre in the axes of its body; bodies are numbered as in scenes. Degrees of freedom that
 * need not move stay constant, those of heavy parts before those of light ones. Drivers follow (see
 * mbs_session_drive()); velocities become zero. No body moves farther than `limit` in this call, in extents of the
 * model and radians; 0: 1.5. Sets `*distance` [m] to the remaining distance from the target. Fails with MBS_LOCK_UP if
 * the body cannot move at all, and names the joint that prevents it; with MBS_OUT_OF_RANGE if the body does not exist
 * or a number is not finite. */
MBS_API mbs_status mbs_session_pull(mbs_session *session, size_t body, const double *point, const double *target,
                                    double limit, double *distance);

/* Advances the motion by `dt` [s] from the current state, with the method and the tolerance of the model; projection
 * satisfies the constraints. Forces, contacts and functions of time act as in a run of dynamics; the end time of the
 * analysis is ignored. `hooks` are called as by mbs_run(), and may be NULL. Fails as a run does, also with
 * MBS_CANCELLED, and then restores the state before the call. Multistep methods (bdf) restart in each call, and
 * allocate memory. */
MBS_API mbs_status mbs_session_step(mbs_session *session, double dt, const mbs_hooks *hooks);

/* Returns the time [s]. */
MBS_API double mbs_session_time(const mbs_session *session);
/* Returns the degrees of freedom; drivers count as constraints. */
MBS_API int mbs_session_freedoms(const mbs_session *session);
/* Returns the degrees of freedom without drivers. */
MBS_API int mbs_session_mobility(const mbs_session *session);
/* Returns the report of the model before the start of a run: the tree, the rows of constraints with those that are
 * redundant for the present numbers, degrees of freedom. */
MBS_API const mbs_report *mbs_session_report(const mbs_session *session);

/* Starts a sweep of a mechanism with one degree of freedom, drivers not counted. It moves through all positions and
 * back to the present one, in steps in which no body moves farther than `stride` (extents of the model, radians). Any
 * other call that moves the mechanism ends the sweep. Fails with MBS_OUT_OF_RANGE if the mechanism does not have one
 * degree of freedom. */
MBS_API mbs_status mbs_session_begin_tour(mbs_session *session, double stride);
typedef enum mbs_tour_end {
  MBS_TOUR_GOES_ON, /* the mechanism is at the next position */
  MBS_TOUR_CLOSED,  /* the next position is the start again; the sweep ends */
  MBS_TOUR_TURNED,  /* this direction is finished; back at the start, then the other direction */
  MBS_TOUR_OVER     /* the other direction is finished, too */
} mbs_tour_end;
/* Moves to the next position of the sweep. */
MBS_API mbs_tour_end mbs_session_go_on_tour(mbs_session *session);

/* Computes velocities that satisfy the constraints, accelerations, reactions and forces at the present state, for the
 * functions below. If a call did not determine the velocities, those nearest to the previous ones are used. */
MBS_API mbs_status mbs_session_evaluate(mbs_session *session);
/* Replaces these velocities by those of dragging, with drivers released: in the direction of the last drag, or along
 * the only degree of freedom if there was none. The fastest point or mass centre has 1 m/s; if none moves, the fastest
 * body has 1 rad/s. The state does not change. Fails with MBS_LOCK_UP if no such motion exists. */
MBS_API mbs_status mbs_session_take_unit_motion(mbs_session *session);
/* The functions below return arrays of the session, which are valid until its next call. Bodies are in the order of the
 * document, without the ground. Velocities, accelerations, instant centres, reactions and forces need
 * mbs_session_evaluate() after the last change of the state; otherwise these functions return NULL. For velocities and
 * instant centres mbs_session_take_unit_motion() also suffices. */

/* Returns poses: [bodies x 3] x, y, angle [m, rad], or [bodies x 7] x, y, z and Euler parameters. */
MBS_API const double *mbs_session_poses(mbs_session *session);
/* Copies coordinates and velocities in the document's order, as mbs_equations_at() expects them. Returns false if the
 * mechanism does not have nq coordinates and nv velocities. */
MBS_API bool mbs_session_coordinates(const mbs_session *session, size_t nq, double *q, size_t nv, double *v);
/* Returns positions (level 0), velocities (1) or accelerations (2) of the points [points x dim]. Points are numbered as
 * in scenes. */
MBS_API const double *mbs_session_points(mbs_session *session, int level);
/* Returns positions (level 0), velocities (1) or accelerations (2) of the mass centres [bodies x dim]. */
MBS_API const double *mbs_session_centres(mbs_session *session, int level);
/* Returns the mass centre of all bodies [dim], or NULL if no body has a mass. */
MBS_API const double *mbs_session_mass_centre(mbs_session *session);
/* Returns the instant centres of the bodies of a planar mechanism [bodies x 2]; NaN if a body does not move, or if the
 * centre is farther away than 20 extents. */
MBS_API const double *mbs_session_instant_centres(mbs_session *session);
/* Returns the reactions of the joints, in the layout of the result array `reactions`. */
MBS_API const double *mbs_session_reactions(mbs_session *session);
/* Returns the force of each force element on its second or only body [forces x dim, N]. */
MBS_API const double *mbs_session_forces(mbs_session *session);

#endif
