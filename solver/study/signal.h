/* signal.h - an expression along a motion as smooth pieces: polynomials through its values at Chebyshev nodes. The
 * switches of the expression (abs, if, max ...) keep their branches on each interval. Intervals are halved until the
 * polynomials are exact. */
#ifndef MBS_SIGNAL_H
#define MBS_SIGNAL_H

#include "run/observer.h"
#include "study/active_branch.h"

/* A signal on [a, b] as a polynomial in x = (2 t - a - b) / (b - a). */
typedef struct mbs_chebyshev_piece {
  double a, b;
  int degree;
  double values[MBS_CHEBYSHEV_MAX + 1]; /* exact values at the nodes */
  bool held;                            /* branches of the middle were held; the ends may be on their limits */
  double c[MBS_CHEBYSHEV_MAX + 1];
} mbs_chebyshev_piece;

typedef struct mbs_signal {
  mbs_active_branch branches; /* expression of the signal */
  size_t first;               /* index of its first input among the first reads of each piece */
  void *user;
  /* Receives the intervals of a piece from left to right. NULL: the expression is not followed. */
  mbs_status (*update)(void *user, const mbs_piece *piece, const mbs_chebyshev_piece *smooth);
  const bool *finished;                 /* set when no further intervals are needed; NULL: never */
  bool checked;                         /* the polynomial is also checked at a point that is not a node */
  double least, most;                   /* range of its values so far */
  double noise;                         /* smaller differences are noise */
  int intervals;                        /* intervals tried in this piece */
  int excess;                           /* inexact intervals minus exact ones in this piece */
  int doubts;                           /* halvings in this piece because a margin is not a polynomial */
  double values[MBS_CHEBYSHEV_MAX + 1]; /* workspace: values at the nodes of the current interval */
  bool open[64]; /* workspace [depth]: the signal still needs the current interval that was halved so often */
} mbs_signal;

/* Returns the time at x of the interval. */
static inline double mbs_chebyshev_piece_time(const mbs_chebyshev_piece *smooth, double x) {
  return mbs_time_of_place(smooth->a, smooth->b, x);
}

/* Number of places at which signals are read first in each piece. mbs_signal_place() returns place k. */
enum { MBS_SIGNAL_PLACES = MBS_CHEBYSHEV_MAX / 2 + 1 };
double mbs_signal_place(int k);

/* Resets the range and noise of a signal. */
void mbs_signal_begin(mbs_signal *signal);

/* Follows the signals over a piece, each to `tolerance` of the range of its values. Returns MBS_NOT_FINITE if a signal
 * has no finite value or grows without bound; sets *which to its number and *t to the time. */
mbs_status mbs_signals_follow(mbs_signal *signals, size_t count, const mbs_piece *piece, double tolerance,
                              size_t *which, double *t);

#endif
