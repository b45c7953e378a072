/* followed_modes.h - eigenvalues of runs beside a point, by the vectors that they have at the point: of neighbours that
 * change places none is taken for the other. */
#ifndef MBS_FOLLOWED_MODES_H
#define MBS_FOLLOWED_MODES_H

#include "simulate/linearize.h"

typedef struct mbs_followed_modes mbs_followed_modes;

/* Nothing is followed. What lasts is of the arena. NULL: no memory. */
mbs_followed_modes *mbs_followed_modes_new(size_t memory, mbs_arena *arena);
void mbs_followed_modes_free(mbs_followed_modes *modes);

/* The next linearization is that of the point; those after it are beside it. */
void mbs_followed_modes_begin(mbs_followed_modes *modes);
/* Shows a linearization, which is to last as long as its eigenvalues are asked for. False: no memory. */
bool mbs_followed_modes_show(mbs_followed_modes *modes, const mbs_linearization *linear);
/* Eigenvalue `number` of those of the point (real, imaginary), in the linearization shown last. False: it is not
 * followed, as the errors of the matrices do not tell it from others at the point, or other velocities are independent
 * there. */
bool mbs_followed_modes_value(const mbs_followed_modes *modes, size_t number, double value[2]);

/* Whether it is, at the point, a real one that meets another, or as good as that: where damping is critical a pair
 * parts into two, by the root of a change. */
bool mbs_followed_modes_is_critical(const mbs_followed_modes *modes, size_t number);

#endif
