/* reduction_state.h - running state of the reduction for one output. */
#ifndef MBS_REDUCTION_STATE_H
#define MBS_REDUCTION_STATE_H

#include "study/reduction_gradient.h"

/* Nearest approach of an expression to zero without a zero. */
typedef struct mbs_approach {
  double t, value, nearest_t, nearest; /* `when` now, and its value nearest to zero since the last zero */
  bool nearing;
} mbs_approach;

typedef struct mbs_reduction_state {
  const mbs_model *model;
  mbs_error *error; /* receives the error that ends the run */
  const mbs_planned_output *output;
  const mbs_law *of; /* expression; NULL: a quantity of modes */
  const mbs_signal *signal;
  bool known; /* the value is known */
  double value;
  double time;     /* time of the extreme */
  bool flat;       /* the second derivative at the extreme is zero */
  double sum;      /* integral so far */
  double at;       /* given instant */
  double side;     /* sign of `when` so far; 0: none yet */
  size_t passages; /* zeros of `when` so far, in the direction that counts */
  mbs_reduction_gradient slopes;
  double touched; /* smallest |when| at which it turned back before its last zero */
  double passed;  /* time of its last zero in any direction; NaN: none */
  mbs_approach approach;
} mbs_reduction_state;

/* ---- reduction_state.c ---- */
/* Evaluates the expression at the system's present state. Returns MBS_NOT_FINITE, with `error` filled, if it is not
 * finite. */
mbs_status mbs_reduction_state_read(mbs_reduction_state *output, const mbs_system *system, double t);
/* Evaluates the expression at an instant of a piece. */
mbs_status mbs_reduction_state_read_at(mbs_reduction_state *output, const mbs_piece *piece, double t);
/* Reports that the expression has no finite value at t, whose state the system has. Returns MBS_NOT_FINITE, or
 * MBS_OUTSIDE_TABLE because of a table without a value. */
mbs_status mbs_reduction_state_not_finite(const mbs_reduction_state *output, const mbs_system *system, double t);

/* ---- extremes.c ---- */
/* Updates an extreme with an interval; a callback of mbs_signal. */
mbs_status mbs_reduction_state_update_extreme(void *user, const mbs_piece *piece, const mbs_chebyshev_piece *smooth);
/* Considers a value that may be the extreme. */
void mbs_reduction_state_consider(mbs_reduction_state *output, double t, double value);
/* Returns true if the signal is constant up to rounding. All its values are then extremes, and the first one counts. */
bool mbs_reduction_state_is_constant(const mbs_reduction_state *output);
/* Returns true if the stored instant is inside the motion, not at one of its ends. */
bool mbs_reduction_state_is_inside(const mbs_reduction_state *output);
/* Returns true if another instant has the same extreme value but other derivatives. */
bool mbs_reduction_state_is_ambiguous(const mbs_reduction_state *output);

/* ---- zero_crossings.c ---- */
/* Resets the search for zeros before a motion. */
void mbs_reduction_state_begin_zeros(mbs_reduction_state *output);
/* Updates an output at a zero of `when` with an interval; a callback of mbs_signal. */
mbs_status mbs_reduction_state_update_zeros(void *user, const mbs_piece *piece, const mbs_chebyshev_piece *smooth);
/* Returns true if `when` touches zero, or nearly touches it before it crosses. */
bool mbs_reduction_state_touches(const mbs_reduction_state *output);
/* Describes how near `when` was to the zero that did not occur. */
void mbs_reduction_state_describe_approach(const mbs_reduction_state *output, char *text, size_t size);

#endif
