/* kept.h - what is kept of a motion for an output, while the motion goes on. */
#ifndef MBS_KEPT_H
#define MBS_KEPT_H

#include "study/take_slopes.h"

/* How near to zero an expression comes that has not passed it. */
typedef struct mbs_approach {
  double t, value, nearest_t, nearest; /* of `when` now, and where it was nearest to zero since */
  bool nearing;
} mbs_approach;

typedef struct mbs_kept {
  const mbs_model *model;
  mbs_error *error; /* where it is told what ends the run */
  const mbs_planned_output *output;
  const mbs_law *of; /* NULL: a quantity of modes */
  const mbs_signal *signal;
  bool known; /* it has its value */
  double value;
  double time;     /* of the extreme */
  bool flat;       /* the second derivative there is zero */
  double sum;      /* of the integral so far */
  double at;       /* the instant that is given */
  double side;     /* the sign of `when` so far; 0: it had none */
  size_t passages; /* zeros of `when` so far, those of its direction */
  mbs_take_slopes slopes;
  double touched; /* how near to zero `when` turned back before its last zero */
  double passed;  /* when it had the last of all its zeros; NaN: there was none */
  mbs_approach approach;
} mbs_kept;

/* ---- kept.c ---- */
/* The expression in the state that the system holds; MBS_NOT_FINITE, which is told. */
mbs_status mbs_kept_read(mbs_kept *output, const mbs_system *system, double t);
/* The same at an instant of a piece. */
mbs_status mbs_kept_read_at(mbs_kept *output, const mbs_piece *piece, double t);
/* Tells that the expression has no finite value at t: MBS_NOT_FINITE. */
mbs_status mbs_kept_not_finite(const mbs_kept *output, double t);

/* ---- extremes.c ---- */
/* What an extreme takes of each interval, as mbs_signal has it. */
mbs_status mbs_kept_take_extreme(void *user, const mbs_piece *piece, const mbs_smooth *smooth);
/* A value that may be the extreme. */
void mbs_kept_consider(mbs_kept *output, double t, double value);
/* Whether a signal changes by no more than rounding: all its values are extremes, of which the first counts. */
bool mbs_kept_is_still(const mbs_kept *output);
/* Whether the instant that is kept is one inside the motion, not at one of its ends. */
bool mbs_kept_is_inside(const mbs_kept *output);
/* Whether the extreme is one at another instant, too, with other derivatives. */
bool mbs_kept_is_contested(const mbs_kept *output);

/* ---- passages.c ---- */
/* Before a motion. */
void mbs_kept_begin_passages(mbs_kept *output);
/* What an output at a zero of `when` takes of each interval, as mbs_signal has it. */
mbs_status mbs_kept_take_zeros(void *user, const mbs_piece *piece, const mbs_smooth *smooth);
/* Whether the zero is touched, or nearly so before it is passed. */
bool mbs_kept_touches(const mbs_kept *output);
/* How near `when` came to the zero that did not come. */
void mbs_kept_tell_approach(const mbs_kept *output, char *text, size_t size);

#endif
