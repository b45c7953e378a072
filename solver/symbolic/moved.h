/* moved.h - what one motion of the tree does to a point: the blocks that B, Bdot theta' and C are made of. */
#ifndef MBS_MOVED_H
#define MBS_MOVED_H

#include "symbolic/symbol.h"

/* Of a column and a point that it moves: the point's velocity and the angular velocity of its body for a rate of 1, and
 * the column's part of their rates for v' = 0. */
typedef struct mbs_moved {
  const mbs_term *velocity, *turn, *drift, *turn_drift;
} mbs_moved;

/* d leads from the pivot of the column to the point, `rate` is its rate. theory (2.5), (2.10) */
mbs_moved mbs_moved_by(mbs_symbols *symbols, size_t column, const mbs_term *d, const mbs_term *rate);
/* The mass centre of a body, which the column moves. */
mbs_moved mbs_moved_centre(mbs_symbols *symbols, size_t column, int body);
/* A point of a cut: the first body's, or (`side` 2) the second's. */
mbs_moved mbs_moved_cut(mbs_symbols *symbols, size_t column, const mbs_block *block, int side);

#endif
