/* multistart.h - positions beside the one where a model begins, always the same ones for the same model. */
#ifndef MBS_MULTISTART_H
#define MBS_MULTISTART_H

#include "initial/initial_guess.h"

/* How many there are. */
int mbs_multistart_count(void);
/* Number k of them, from 0, into q [nq]; false where it is as one before it. Bodies are moved along the tree, each with
 * what it carries; driven turns are put where their drivers have them at t. Coordinates that `hold` names are not
 * moved, those that the document gives less than others at first. `workspace`: [nv]. */
bool mbs_multistart_point(const mbs_initial_guess *guesses, mbs_system *system, double t, int k, double *q,
                          double *workspace);
/* Steps [nv] of mbs_correct_damped() that stay near. */
void mbs_short_steps(const mbs_constants *constants, double *longest);

#endif
