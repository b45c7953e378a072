/* take_slopes.h - derivatives of what is kept of a motion that has tangents: of an expression g along y(t), by p_j,
 *
 *   at an instant t               dg = g_y s_j + g_p
 *   at a zero t* of w             dt* = -dw / w',   d(g(t*)) = dg + g' dt*
 *   of the instant of an extreme  dt* = -dg' / g''
 *   of an integral                the integral of dg, and of 2 g dg. */
#ifndef MBS_TAKE_SLOPES_H
#define MBS_TAKE_SLOPES_H

#include "model/plan.h"
#include "run/observer.h"
#include "study/signal.h"

enum { MBS_RIVALS_MAX = 8 };

typedef struct mbs_take_slopes {
  size_t count, room;           /* of parameters; 0: there are no tangents */
  double *row, *other;          /* [count] the derivatives; those of a rival */
  double *doubts;               /* [count] how much of `row` is in doubt */
  double nothing, nothing_when; /* values of the expression, and of `when`, that are rounding */
  bool stale;                   /* another instant is kept than that of `row` */
  double time;                  /* the one that is kept */
  size_t rivals;                /* in the piece in hand: other instants that an extreme is taken at */
  double rival_times[MBS_RIVALS_MAX];
  double rate;    /* of the expression whose zero is the instant */
  bool contested; /* a rival has other derivatives */
  double contest; /* the value that it was about */
} mbs_take_slopes;

/* Once for a model: what of its values is rounding. */
void mbs_take_slopes_judge(mbs_take_slopes *slopes, const mbs_planned_output *output, const mbs_constants *constants,
                           mbs_arena *arena);
/* Before a run. False: no memory. */
bool mbs_take_slopes_begin(mbs_take_slopes *slopes, size_t count, mbs_arena *arena);

/* An instant is kept from now on. */
static inline void mbs_take_slopes_keep(mbs_take_slopes *slopes, double t) {
  slopes->stale = slopes->count > 0;
  slopes->time = t;
  slopes->rivals = 0;
}

/* A value is as extreme as the one that is kept, within what tells them apart. */
static inline void mbs_take_slopes_rival(mbs_take_slopes *slopes, double t) {
  if (slopes->count && slopes->rivals < MBS_RIVALS_MAX) slopes->rival_times[slopes->rivals++] = t;
}

/* After a piece of the motion, in which instants may have been kept: the value that an extreme has by now is `value`;
 * `inside` the motion, not at one of its ends, at an instant that is in doubt by `blur` [s]. Any status but MBS_OK: the
 * tangents do not tell. */
mbs_status mbs_take_slopes_make(mbs_take_slopes *slopes, const mbs_planned_output *output, const mbs_piece *piece,
                                bool inside, double value, double blur);
/* Adds an interval to an integral of an expression, or of its square. */
mbs_status mbs_take_slopes_integrate(mbs_take_slopes *slopes, const mbs_planned_output *output, const mbs_piece *piece,
                                     const mbs_smooth *smooth);

#endif
