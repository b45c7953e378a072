/* reduction_gradient.h - derivatives of the reductions of a motion with tangents, of an expression g along y(t) by p_j:
 *
 *   at an instant t               dg = g_y s_j + g_p
 *   at a zero t* of w             dt* = -dw / w',   d(g(t*)) = dg + g' dt*
 *   of the instant of an extreme  dt* = -dg' / g''
 *   of an integral                the integral of dg, and of 2 g dg. */
#ifndef MBS_REDUCTION_GRADIENT_H
#define MBS_REDUCTION_GRADIENT_H

#include "model/plan.h"
#include "run/observer.h"
#include "study/signal.h"

enum { MBS_TIES_MAX = 8 };

typedef struct mbs_reduction_gradient {
  size_t count, room;       /* of parameters; 0: there are no tangents */
  double *row, *other;      /* [count] the derivatives; those of a tie */
  double *doubts;           /* [count] how much of `row` is in doubt */
  double noise, noise_when; /* values of the expression, and of `when`, that are rounding */
  bool stale;               /* another instant is kept than that of `row` */
  double time;              /* the one that is kept */
  size_t ties;              /* in the piece in hand: other instants that an extreme is taken at */
  double tie_times[MBS_TIES_MAX];
  double rate;            /* of the expression whose zero is the instant */
  bool ambiguous;         /* a tie has other derivatives */
  double ambiguous_value; /* the value that it was about */
} mbs_reduction_gradient;

/* Once for a model: what of its values is rounding. */
void mbs_reduction_gradient_init(mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                 const mbs_constants *constants, mbs_arena *arena);
/* Before a run. False: no memory. */
bool mbs_reduction_gradient_begin(mbs_reduction_gradient *slopes, size_t count, mbs_arena *arena);

/* An instant is kept from now on. */
static inline void mbs_reduction_gradient_set_time(mbs_reduction_gradient *slopes, double t) {
  slopes->stale = slopes->count > 0;
  slopes->time = t;
  slopes->ties = 0;
}

/* A value is as extreme as the one that is kept, within what tells them apart. */
static inline void mbs_reduction_gradient_add_tie(mbs_reduction_gradient *slopes, double t) {
  if (slopes->count && slopes->ties < MBS_TIES_MAX) slopes->tie_times[slopes->ties++] = t;
}

/* After a piece of the motion, in which instants may have been kept: the value that an extreme has by now is `value`;
 * `inside` the motion, not at one of its ends, at an instant that is uncertain by `time_uncertainty` [s]. Returns
 * another status than MBS_OK if the tangents do not determine it. */
mbs_status mbs_reduction_gradient_update(mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                         const mbs_piece *piece, bool inside, double value, double time_uncertainty);
/* Adds an interval to an integral of an expression, or of its square. */
mbs_status mbs_reduction_gradient_integrate(mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                            const mbs_piece *piece, const mbs_chebyshev_piece *smooth);

#endif
