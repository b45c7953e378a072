/* rest.h - what an answer about a state of rest leaves out, and whether a state is one. */
#ifndef MBS_REST_H
#define MBS_REST_H

#include "analyses/linearize.h"

/* A note on motion that an equilibrium leaves out: of a driver, or another constraint that depends on time, which moves
 * or accelerates at t_start, or else of velocities that the document gives. Before drivers are held, at the position
 * run->q with run->v zero. */
void mbs_note_held_motion(mbs_run_state *run);

/* A note on what moves at the state (run->q, run->v) that was linearized about, or else on forces that are not balanced
 * there. None where nothing can move. An evaluation may fail; its status. */
mbs_status mbs_note_unrest(mbs_run_state *run, const mbs_linearization *linear);

#endif
