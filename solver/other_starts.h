/* other_starts.h - positions beside the one where a model begins, always the same ones for the same model. */
#ifndef MBS_OTHER_STARTS_H
#define MBS_OTHER_STARTS_H

#include "guesses.h"

/* How many there are. */
int mbs_other_start_count(void);
/* Number k of them, from 0, into q [nq]; false where it is as one before it. Bodies are moved along the tree, each with
 * what it carries; coordinates that `hold` names are not moved, those that the document gives less than others at
 * first. */
bool mbs_other_start(const mbs_guesses *guesses, const mbs_model *model, int k, double *q, double *work);
/* Steps [nv] of mbs_correct_damped() that stay near. */
void mbs_short_steps(const mbs_model *model, double *longest);

#endif
