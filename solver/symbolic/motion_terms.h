/* motion_terms.h - the effect of one motion of the tree on a point: the terms of which B, Bdot theta' and C consist. */
#ifndef MBS_MOTION_TERMS_H
#define MBS_MOTION_TERMS_H

#include "symbolic/symbol.h"

/* The terms of a column and a point that it moves: the point's velocity and its body's angular velocity for a rate of
 * 1, and the column's contribution to the accelerations of both for v' = 0. */
typedef struct mbs_motion_terms {
  const mbs_term *velocity, *turn, *drift, *turn_drift;
} mbs_motion_terms;

/* Returns the terms of a point that the column moves. Vector d leads to the point from the column's pivot, point P2 of
 * its joint; `rate` is the time derivative of d. theory (2.5), (2.10) */
mbs_motion_terms mbs_motion_terms_of_point(mbs_symbols *symbols, size_t column, const mbs_term *d,
                                           const mbs_term *rate);
/* Returns the terms of the mass centre of a body that the column moves. */
mbs_motion_terms mbs_motion_terms_of_centre(mbs_symbols *symbols, size_t column, int body);
/* Returns the terms of a point of a cut: that on the first body or, with `side` 2, on the second. */
mbs_motion_terms mbs_motion_terms_of_cut(mbs_symbols *symbols, size_t column, const mbs_block *block, int side);

#endif
