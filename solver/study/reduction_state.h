/* reduction_state.h - what is kept of a motion for an output, while the motion goes on. */
#ifndef MBS_REDUCTION_STATE_H
#define MBS_REDUCTION_STATE_H

#include "study/reduction_gradient.h"

/* How near to zero an expression comes that has not passed it. */
typedef struct mbs_approach {
  double t, value, nearest_t, nearest; /* of `when` now, and where it was nearest to zero since */
  bool nearing;
} mbs_approach;

typedef struct mbs_reduction_state {
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
  mbs_reduction_gradient slopes;
  double touched; /* how near to zero `when` turned back before its last zero */
  double passed;  /* when it had the last of all its zeros; NaN: there was none */
  mbs_approach approach;
} mbs_reduction_state;

/* ---- reduction_state.c ---- */
/* The expression in the state that the system holds; MBS_NOT_FINITE, which is told. */
mbs_status mbs_reduction_state_read(mbs_reduction_state *output, const mbs_system *system, double t);
/* The same at an instant of a piece. */
mbs_status mbs_reduction_state_read_at(mbs_reduction_state *output, const mbs_piece *piece, double t);
/* Tells that the expression has no finite value at t: MBS_NOT_FINITE. */
mbs_status mbs_reduction_state_not_finite(const mbs_reduction_state *output, double t);

/* ---- extremes.c ---- */
/* What an extreme takes of each interval, as mbs_signal has it. */
mbs_status mbs_reduction_state_update_extreme(void *user, const mbs_piece *piece, const mbs_chebyshev_piece *smooth);
/* A value that may be the extreme. */
void mbs_reduction_state_consider(mbs_reduction_state *output, double t, double value);
/* Whether a signal changes by no more than rounding: all its values are extremes, of which the first counts. */
bool mbs_reduction_state_is_constant(const mbs_reduction_state *output);
/* Whether the instant that is kept is one inside the motion, not at one of its ends. */
bool mbs_reduction_state_is_inside(const mbs_reduction_state *output);
/* Whether the extreme is one at another instant, too, with other derivatives. */
bool mbs_reduction_state_is_ambiguous(const mbs_reduction_state *output);

/* ---- zero_crossings.c ---- */
/* Before a motion. */
void mbs_reduction_state_begin_zeros(mbs_reduction_state *output);
/* What an output at a zero of `when` takes of each interval, as mbs_signal has it. */
mbs_status mbs_reduction_state_update_zeros(void *user, const mbs_piece *piece, const mbs_chebyshev_piece *smooth);
/* Whether the zero is touched, or nearly so before it is passed. */
bool mbs_reduction_state_touches(const mbs_reduction_state *output);
/* How near `when` came to the zero that did not come. */
void mbs_reduction_state_describe_approach(const mbs_reduction_state *output, char *text, size_t size);

#endif
