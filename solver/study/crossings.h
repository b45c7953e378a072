/* crossings.h - whether an expression whose sign changes passes through zero there, or goes to infinity. */
#ifndef MBS_CROSSINGS_H
#define MBS_CROSSINGS_H

#include "run/observer.h"

/* Between two instants of a piece, or at one of them, an expression changes its sign. */
typedef struct mbs_crossing {
  double low, high;     /* in: around the change, low <= high; out: as near to it as times can be told apart [s] */
  double before, after; /* the values there, of different signs; in and out */
  bool pole;            /* out: on both sides the expression grows without bound towards the change */
} mbs_crossing;

/* Halves [low, high] by the sign of the law's own value, and compares values nearer to what is left with those farther
 * away: |w| on both sides more than four times as large at 2^-36 of the piece as at 2^-26 of it makes a pole. At an end
 * of the piece the value beyond it, `before` or `after`, stands for that side. */
mbs_status mbs_crossing_judge(const mbs_piece *piece, const mbs_law *law, mbs_crossing *crossing);

#endif
