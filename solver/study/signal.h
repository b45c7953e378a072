/* signal.h - an expression along a motion, as smooth pieces: polynomials through its values at Chebyshev nodes, on
 * intervals in which its switches (abs, if, max ...) keep their branch and that are halved until these are exact. */
#ifndef MBS_SIGNAL_H
#define MBS_SIGNAL_H

#include "run/observer.h"
#include "study/active_branch.h"

/* A signal on [a, b] as a polynomial in x = (2 t - a - b) / (b - a). */
typedef struct mbs_chebyshev_piece {
  double a, b;
  int degree;
  double values[MBS_CHEBYSHEV_MAX + 1]; /* at the nodes, exactly */
  bool held;                            /* of the branches in the middle, on whose edge the ends may be */
  double c[MBS_CHEBYSHEV_MAX + 1];
} mbs_chebyshev_piece;

typedef struct mbs_signal {
  mbs_active_branch branches; /* its expression */
  size_t first;               /* where its inputs begin among those that are read first of each piece */
  void *user;
  /* Takes the next interval; of a piece it is shown them from the left to the right. NULL: the expression is not
   * followed. */
  mbs_status (*take)(void *user, const mbs_piece *piece, const mbs_chebyshev_piece *smooth);
  const bool *finished;                 /* whether its user needs no more of it; NULL: it always does */
  bool checked;                         /* also at a place that is no node */
  double least, most;                   /* of its values so far */
  double noise;                         /* no difference below counts any more */
  int intervals;                        /* of this piece that it was tried on */
  int excess;                           /* intervals of this piece that are not exact, above those that are */
  int doubts;                           /* of this piece: halved because of a switch whose margin is no polynomial */
  double values[MBS_CHEBYSHEV_MAX + 1]; /* workspace: at the nodes of the interval in hand */
  bool open[64];                        /* workspace: whether intervals of this depth wait for it */
} mbs_signal;

/* The interval's time of x. */
static inline double mbs_chebyshev_piece_time(const mbs_chebyshev_piece *smooth, double x) {
  return mbs_time_of_place(smooth->a, smooth->b, x);
}

/* The places where signals read first of each piece: MBS_SIGNAL_PLACES of them. */
enum { MBS_SIGNAL_PLACES = MBS_CHEBYSHEV_MAX / 2 + 1 };
double mbs_signal_place(int k);

/* Nothing is known of its values yet. */
void mbs_signal_begin(mbs_signal *signal);

/* Follows the signals over a piece, each to `tolerance` of the range of its values. MBS_NOT_FINITE, with the number of
 * the signal in *which, if one has no finite value or grows without bound; *t is then the time. */
mbs_status mbs_signals_follow(mbs_signal *signals, size_t count, const mbs_piece *piece, double tolerance,
                              size_t *which, double *t);

#endif
