/* equilibrium_check.h - what an answer about a state of rest leaves out, and whether a state is one. */
#ifndef MBS_EQUILIBRIUM_CHECK_H
#define MBS_EQUILIBRIUM_CHECK_H

#include "simulate/linearize.h"

/* A note on motion that an equilibrium leaves out: of a driver, or another constraint that depends on time, which moves
 * or accelerates at t_start, or else of velocities that the document gives. Before drivers are held, at the position
 * run->q with run->v zero. */
void mbs_note_held_motion(mbs_run_state *run);

/* Whether the state (run->q, run->v) that was linearized about is one of rest: nothing moves there, and forces are
 * balanced, or nothing can move. If not, the report says so, that of a quiet run, too; or, where eigenvalues depend on
 * a choice of coordinates that nobody made (basis_dependence.h), as in body coordinates, MBS_INVALID. An evaluation may
 * fail; its status. */
mbs_status mbs_check_equilibrium(mbs_run_state *run, mbs_linearization *linear, bool *at_rest);

#endif
