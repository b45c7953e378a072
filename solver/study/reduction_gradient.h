/* reduction_gradient.h - derivatives, by parameter p_j, of reductions of an expression g along a motion with tangents:
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
  size_t count, room;       /* number of parameters, 0: no tangents; capacity of the arrays */
  double *row, *other;      /* [count] derivatives; derivatives at a tie */
  double *doubts;           /* [count] uncertainty of `row` */
  double noise, noise_when; /* rounding level of the expression, and of `when` */
  bool stale;               /* `row` does not belong to the stored instant */
  double time;              /* the stored instant */
  size_t ties;              /* number of other instants in this piece with the same extreme value */
  double tie_times[MBS_TIES_MAX];
  double rate;            /* rate of the expression whose zero is the instant */
  bool ambiguous;         /* a tie has different derivatives */
  double ambiguous_value; /* value of the extreme at that tie */
} mbs_reduction_gradient;

/* Sets the rounding levels, once for a model. */
void mbs_reduction_gradient_init(mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                 const mbs_constants *constants, mbs_arena *arena);
/* Resets it before a run. Returns false if memory runs out. */
bool mbs_reduction_gradient_begin(mbs_reduction_gradient *slopes, size_t count, mbs_arena *arena);

/* Stores an instant. */
static inline void mbs_reduction_gradient_set_time(mbs_reduction_gradient *slopes, double t) {
  slopes->stale = slopes->count > 0;
  slopes->time = t;
  slopes->ties = 0;
}

/* Adds an instant whose value equals the extreme up to the errors. */
static inline void mbs_reduction_gradient_add_tie(mbs_reduction_gradient *slopes, double t) {
  if (slopes->count && slopes->ties < MBS_TIES_MAX) slopes->tie_times[slopes->ties++] = t;
}

/* Computes the derivatives after a piece of the motion, for the instants stored in it. `value` is the extreme so far;
 * `inside`: the instant is not an end of the motion; `time_uncertainty` is that of the instant [s]. Returns a status
 * other than MBS_OK if the tangents do not determine the derivatives. */
mbs_status mbs_reduction_gradient_update(mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                         const mbs_piece *piece, bool inside, double value, double time_uncertainty);
/* Adds an interval to the integral of an expression, or of its square. The expression has the branches in `mode`
 * [switches] there; NULL: it has no branches. */
mbs_status mbs_reduction_gradient_integrate(mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                            const mbs_piece *piece, const mbs_chebyshev_piece *smooth,
                                            const double *mode);

#endif
