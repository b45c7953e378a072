/* multistart.h - additional starts near the given one, the same in every run of a model. */
#ifndef MBS_MULTISTART_H
#define MBS_MULTISTART_H

#include "initial/initial_guess.h"

/* Returns the number of additional starts. */
int mbs_multistart_count(void);
/* Computes start number k, from 0, into q [nq]. Returns false if it equals an earlier one. Bodies are moved along the
 * tree, with their descendants; driven angles have the values of their drivers at t. Held coordinates are not moved;
 * coordinates with a value in the document are moved less than others at first. `workspace`: [nv]. */
bool mbs_multistart_point(const mbs_initial_guess *guesses, mbs_system *system, double t, int k, double *q,
                          double *workspace);
/* Computes limits [nv] for mbs_correct_damped() that keep its steps short. */
void mbs_short_steps(const mbs_constants *constants, double *longest);

#endif
