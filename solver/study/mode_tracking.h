/* mode_tracking.h - eigenvalues of runs beside a point, by the vectors that they have at the point: of neighbours that
 * change places none is taken for the other. */
#ifndef MBS_MODE_TRACKING_H
#define MBS_MODE_TRACKING_H

#include "simulate/linearize.h"

typedef struct mbs_mode_tracking mbs_mode_tracking;

/* Nothing is followed. What lasts is of the arena. NULL: no memory. */
mbs_mode_tracking *mbs_mode_tracking_new(size_t memory, mbs_arena *arena);
void mbs_mode_tracking_free(mbs_mode_tracking *modes);

/* The next linearization is that of the point; those after it are beside it. */
void mbs_mode_tracking_begin(mbs_mode_tracking *modes);
/* Shows a linearization, which is to last as long as its eigenvalues are asked for. False: no memory. */
bool mbs_mode_tracking_update(mbs_mode_tracking *modes, const mbs_linearization *linear);
/* Eigenvalue `number` of those of the point (real, imaginary), in the linearization shown last. False: it is not
 * followed, as the errors of the matrices do not tell it from others at the point, or other velocities are independent
 * there. */
bool mbs_mode_tracking_value(const mbs_mode_tracking *modes, size_t number, double value[2]);

/* Whether it is, at the point, a real one that meets another, or as good as that: where damping is critical a pair
 * parts into two, by the root of a change. */
bool mbs_mode_tracking_is_critical(const mbs_mode_tracking *modes, size_t number);

#endif
