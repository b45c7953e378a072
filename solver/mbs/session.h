/* mbs/session.h - interactive motion of a mechanism, one step per call. */
#ifndef MBS_MBS_SESSION_H
#define MBS_MBS_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/run.h"
#include "mbs/status.h"

/* An assembled mechanism that each call moves: it drags a point, moves a driver, advances time, or changes parameters.
 * It begins at the start of a run of the model. A call that fails leaves the session unchanged, bit for bit, and
 * mbs_session_error() returns the reason. After a call that succeeds the constraints hold to 1e-10 in scales of
 * accuracy. Apart from mbs_session_new(), only calls that fail allocate memory. One thread uses a session at a time. */
typedef struct mbs_session mbs_session;

/* Assembles the model, which must last as long as the session. `from` is a session of another version of the
 * document: bodies that the same joint carries in both, or that float in both, begin at their positions in `from`,
 * and drivers at their values there (matched by name). NULL: the positions of the document. Returns NULL on failure
 * and fills `error`. */
MBS_API mbs_session *mbs_session_new(const mbs_model *model, const mbs_session *from, mbs_error *error);
/* Frees a session. */
MBS_API void mbs_session_free(mbs_session *session);
/* Returns the error of the last call; its status is MBS_OK if the call succeeded. */
MBS_API const mbs_error *mbs_session_error(const mbs_session *session);

/* Moves the mechanism onto its constraints from its current position. Fails with MBS_NOT_ASSEMBLED or
 * MBS_CONTRADICTION. */
MBS_API mbs_status mbs_session_assemble(mbs_session *session);
/* Sets a parameter, with those that are expressions of it, and moves the mechanism onto its constraints from its
 * current position. Between two steps this sets an input of the model. Fails with MBS_UNKNOWN_NAME; with MBS_INVALID if
 * the structure of the model depends on the value; with the error of a number that the document must not have; with
 * MBS_NOT_ASSEMBLED or MBS_CONTRADICTION. */
MBS_API mbs_status mbs_session_set(mbs_session *session, const char *parameter, double value);
/* Moves a driver to a value [m, rad] in small steps; its function of time continues from there. Fails with
 * MBS_UNKNOWN_NAME, or with MBS_LOCK_UP if the mechanism cannot follow so far. */
MBS_API mbs_status mbs_session_drive(mbs_session *session, const char *driver, double value);
/* Drags a point of a body towards a target [dim, m], as near as the constraints permit in a few steps. `point` [dim, m]
 * is given in body axes from the mass centre; bodies are numbered as in scenes. Degrees of freedom that need not move
 * keep their values, those of heavy parts before those of light ones. Drivers follow (see mbs_session_drive());
 * velocities become zero. No body moves farther than `limit` in this call, in extents of the model and radians; 0: 1.5.
 * Sets `*distance` [m] to the remaining distance from the target. Fails with MBS_LOCK_UP if the body cannot move at
 * all, and names the joint that holds it; with MBS_OUT_OF_RANGE if there is no such body or a number is not finite. */
MBS_API mbs_status mbs_session_drag(mbs_session *session, size_t body, const double *point, const double *target,
                                    double limit, double *distance);

/* Advances the motion by `dt` [s] from the current state, with the method and the tolerance of the model; projection
 * satisfies the constraints. Forces, contacts and functions of time act as in a run of dynamics; the end time of the
 * analysis has no effect. `hooks` are called as by mbs_run(), and may be NULL. Fails as a run does, also with
 * MBS_CANCELLED; the state is then that before the call. Multistep methods (bdf) restart in each call, and allocate
 * memory. */
MBS_API mbs_status mbs_session_step(mbs_session *session, double dt, const mbs_hooks *hooks);

/* Returns the number of inputs of a model, and the name and the start value of one. */
MBS_API size_t mbs_model_inputs(const mbs_model *model);
MBS_API const char *mbs_model_input(const mbs_model *model, size_t index, double *start);
/* Returns the number of parameters of a model, and the name, the value and the SI unit ("": none) of one. */
MBS_API size_t mbs_model_parameters(const mbs_model *model);
MBS_API const char *mbs_model_parameter(const mbs_model *model, size_t index, double *value, const char **unit);
/* Sets all inputs of the model that the analysis gives no values over time [number of inputs]. They hold until the next
 * call. Fails with MBS_NOT_FINITE. Drivers that read inputs move to them at the start of the next step. */
MBS_API mbs_status mbs_session_set_inputs(mbs_session *session, const double *values);

/* Prepares the functions below; call it once, after mbs_session_new(). Returns false if memory runs out. */
MBS_API bool mbs_session_open_states(mbs_session *session);
/* Returns the size of a state in bytes. */
MBS_API size_t mbs_session_state_size(mbs_session *session);
/* Copies the state between two steps, inputs included. */
MBS_API void mbs_session_save(mbs_session *session, void *state);
/* Returns to a state that this session saved, or another one of the same document and values of parameters. Steps from
 * it have the same bits each time. */
MBS_API void mbs_session_load(mbs_session *session, const void *state);

/* Opens the result arrays of the model, for its number of reporting times. Returns false if memory runs out. */
MBS_API bool mbs_session_open_record(mbs_session *session);
/* Fills the first row of the arrays from the current state. Fails as mbs_session_evaluate() does, and with
 * MBS_NOT_FINITE. */
MBS_API mbs_status mbs_session_record(mbs_session *session);
/* Returns these arrays, and sets their number. */
MBS_API const mbs_array *mbs_session_arrays(const mbs_session *session, size_t *count);

/* Returns the time [s]. */
MBS_API double mbs_session_time(const mbs_session *session);
/* Returns the degrees of freedom of positions; drivers count as constraints. */
MBS_API int mbs_session_freedoms(const mbs_session *session);
/* Returns the degrees of freedom of velocities without drivers. */
MBS_API int mbs_session_mobility(const mbs_session *session);
/* Returns the part of a run's report that is known before the run begins: the tree, the rows of constraints with those
 * that are redundant for the current numbers, degrees of freedom. */
MBS_API const mbs_report *mbs_session_report(const mbs_session *session);

/* Begins a sweep of a mechanism with one degree of freedom, not counting drivers: it visits the positions one after
 * another and returns to the current one, in steps in which no body moves farther than `stride` (extents of the model,
 * radians). Another call that moves the mechanism ends the sweep. Fails with MBS_OUT_OF_RANGE if the mechanism does not
 * have one degree of freedom. */
MBS_API mbs_status mbs_session_sweep_begin(mbs_session *session, double stride);
typedef enum mbs_sweep_result {
  MBS_SWEEP_MOVED,    /* the mechanism is at the next position */
  MBS_SWEEP_CLOSED,   /* the next position is the start again: the positions form a closed curve */
  MBS_SWEEP_REVERSED, /* direction ends; the mechanism is at the start again and continues in the other direction */
  MBS_SWEEP_DONE      /* end of the other direction */
} mbs_sweep_result;
/* Moves to the next position of the sweep. */
MBS_API mbs_sweep_result mbs_session_sweep_next(mbs_session *session);

/* Computes velocities that satisfy the constraints, accelerations, reactions and forces at the current state, for the
 * functions below. If a call left the velocities undetermined, uses those nearest to the velocities before that
 * call. */
MBS_API mbs_status mbs_session_evaluate(mbs_session *session);
/* Replaces these velocities by those of a unit motion with drivers released: in the direction of the last drag, or
 * along the only degree of freedom if there was none. The fastest point or mass centre has 1 m/s; if none moves, the
 * fastest body has 1 rad/s. The state does not change. Fails with MBS_LOCK_UP if there is no such motion. */
MBS_API mbs_status mbs_session_take_unit_motion(mbs_session *session);
/* The functions below return arrays of the session, which are valid until its next call. Bodies are in the order of
 * the document, without the ground. Velocities, accelerations, instant centres, reactions and forces need
 * mbs_session_evaluate() (velocities and instant centres: or mbs_session_take_unit_motion()) since the last change
 * of the state; without it these functions return NULL. */

/* Returns poses: [bodies x 3] x, y, angle [m, rad], or [bodies x 7] x, y, z and Euler parameters. */
MBS_API const double *mbs_session_poses(mbs_session *session);
/* Copies coordinates and velocities in the document's order, as mbs_equations_at() expects them. Returns false if the
 * mechanism does not have nq coordinates and nv velocities. */
MBS_API bool mbs_session_coordinates(const mbs_session *session, size_t nq, double *q, size_t nv, double *v);
/* Returns positions (level 0), velocities (1) or accelerations (2) of the points [points x dim], numbered as in
 * scenes. */
MBS_API const double *mbs_session_points(mbs_session *session, int level);
/* Returns positions, velocities or accelerations of the mass centres [bodies x dim]. */
MBS_API const double *mbs_session_centres(mbs_session *session, int level);
/* Returns the mass centre of all bodies [dim], or NULL if no body has a mass. */
MBS_API const double *mbs_session_mass_centre(mbs_session *session);
/* Returns the instant centres of the bodies of a planar mechanism [bodies x 2]; NaN for a body at rest, and if the
 * centre is farther away than 20 extents. */
MBS_API const double *mbs_session_instant_centres(mbs_session *session);
/* Returns the reactions of the joints, in the layout of the result array `reactions`. */
MBS_API const double *mbs_session_reactions(mbs_session *session);
/* Returns the force of each force element on its second or only body [forces x dim, N]. */
MBS_API const double *mbs_session_forces(mbs_session *session);

#endif
