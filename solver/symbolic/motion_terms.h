/* motion_terms.h - what one motion of the tree does to a point: the blocks that B, Bdot theta' and C are made of. */
#ifndef MBS_MOTION_TERMS_H
#define MBS_MOTION_TERMS_H

#include "symbolic/symbol.h"

/* Of a column and a point that it moves: the point's velocity and the angular velocity of its body for a rate of 1, and
 * the column's part of their rates for v' = 0. */
typedef struct mbs_motion_terms {
  const mbs_term *velocity, *turn, *drift, *turn_drift;
} mbs_motion_terms;

/* d leads from the pivot of the column to the point, `rate` is its rate. theory (2.5), (2.10) */
mbs_motion_terms mbs_motion_terms_of_point(mbs_symbols *symbols, size_t column, const mbs_term *d,
                                           const mbs_term *rate);
/* The mass centre of a body, which the column moves. */
mbs_motion_terms mbs_motion_terms_of_centre(mbs_symbols *symbols, size_t column, int body);
/* A point of a cut: the first body's, or (`side` 2) the second's. */
mbs_motion_terms mbs_motion_terms_of_cut(mbs_symbols *symbols, size_t column, const mbs_block *block, int side);

#endif
