/* held.h - coordinates in `hold` that no velocity of the tree is the rate of: those of joints in the body formulation,
 * where they are measures between bodies whose velocities are the model's own. */
#ifndef MBS_HELD_H
#define MBS_HELD_H

#include "space.h"

/* The next held coordinate from number *c of model->coordinates on, into `row`; *c moves past it. False where there is
 * none. */
bool mbs_next_held(const mbs_system *system, size_t *c, mbs_channel_row *row);
/* The rate of such a row for the velocities x [nv]. */
double mbs_held_rate(const mbs_model *model, const mbs_channel_row *row, const double *x);
/* Labels [held_count] of their rates, as the joint formulation has them; NULL without memory. */
const char **mbs_held_labels(const mbs_model *model, mbs_arena *arena);
/* Whether they may be independent: not those of a ball, whose four Euler parameters are three freedoms. */
bool mbs_held_apart(const mbs_model *model);

#endif
