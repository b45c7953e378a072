/* mode_tracking.h - eigenvalues of runs near a point, identified by their eigenvectors at the point. Eigenvalues that
 * change their order are not confused. */
#ifndef MBS_MODE_TRACKING_H
#define MBS_MODE_TRACKING_H

#include "simulate/linearize.h"

typedef struct mbs_mode_tracking mbs_mode_tracking;

/* Creates an object that tracks nothing. Allocates from `arena`. Returns NULL if memory runs out. */
mbs_mode_tracking *mbs_mode_tracking_new(size_t memory, mbs_arena *arena);
void mbs_mode_tracking_free(mbs_mode_tracking *modes);

/* Makes the next linearization the reference point. Later ones are near it. */
void mbs_mode_tracking_begin(mbs_mode_tracking *modes);
/* Passes a linearization, which must live as long as its eigenvalues are requested. Returns false if memory runs
 * out. */
bool mbs_mode_tracking_update(mbs_mode_tracking *modes, const mbs_linearization *linear);
/* Computes eigenvalue `number` of the point (real, imaginary) in the last linearization. Returns false if it is not
 * tracked: errors of the matrices do not separate it from others at the point, or other velocities are independent
 * now. */
bool mbs_mode_tracking_value(const mbs_mode_tracking *modes, size_t number, double value[2]);

/* Returns true if the eigenvalue is real at the point and meets another one, up to rounding. At critical damping a pair
 * separates into two, by the square root of a change. */
bool mbs_mode_tracking_is_critical(const mbs_mode_tracking *modes, size_t number);

#endif
