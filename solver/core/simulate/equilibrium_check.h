/* equilibrium_check.h - checks if a state is an equilibrium, and notes motion that an equilibrium ignores. */
#ifndef MBS_EQUILIBRIUM_CHECK_H
#define MBS_EQUILIBRIUM_CHECK_H

#include "simulate/linearize.h"

/* Notes motion that an equilibrium ignores: of a driver, or another constraint that depends on time, if it moves or
 * accelerates at t_start; otherwise of velocities that the document gives. Call it before drivers are held, at the
 * position run->q with run->v zero. */
void mbs_note_held_motion(mbs_run_state *run);

/* Sets *at_rest if the linearized state (run->q, run->v) is an equilibrium: nothing moves there, and forces are
 * balanced, or nothing can move. If it is not, or if laws depend on time, the coefficients of the linear equations may
 * change with time: adds the note "not_steady" for that, also in a quiet run, and sets *at_rest to false. Returns
 * MBS_INVALID if eigenvalues depend on an arbitrary choice of coordinates (along_motion.h), as in body coordinates, or
 * the status of an evaluation that fails. */
mbs_status mbs_check_equilibrium(mbs_run_state *run, mbs_linearization *linear, bool *at_rest);

/* Returns MBS_INVALID, with an error, if the linear equations about a relative equilibrium depend on an arbitrary
 * choice of coordinates, as in body coordinates. */
mbs_status mbs_check_basis(mbs_run_state *run, mbs_linearization *linear);

#endif
