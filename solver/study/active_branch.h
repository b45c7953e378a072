/* active_branch.h - an expression on an interval: which of its branches holds there, and up to where. */
#ifndef MBS_ACTIVE_BRANCH_H
#define MBS_ACTIVE_BRANCH_H

#include "equations/system.h"
#include "expression/expression.h"
#include "study/chebyshev.h"

/* The expression of a law with room for its inputs at the nodes of an interval. */
typedef struct mbs_active_branch {
  const mbs_law *law;
  const mbs_expression *expression; /* NULL: a constant */
  double value;                     /* that one */
  int input;                        /* that it is, no more; or -1 */
  size_t inputs, switches;
  bool may_be_localized;
  double *in;      /* [(MBS_CHEBYSHEV_MAX + 2) * inputs] at the nodes, and at one place between */
  double *mode;    /* [switches] held on the interval in hand */
  double *margins; /* [(MBS_CHEBYSHEV_MAX + 1) * switches] */
  double *sizes;   /* [switches] the largest margin so far */
  double *ends;    /* [2 * inputs] */
  size_t input_capacity, switch_capacity;
} mbs_active_branch;

enum { MBS_ACTIVE_BRANCH_BETWEEN = MBS_CHEBYSHEV_MAX + 1 }; /* the number of the place that is no node */

/* For a law with these numbers; room is taken from the arena as it grows. False: no memory. */
bool mbs_active_branch_begin(mbs_active_branch *branches, const mbs_constants *constants, const mbs_law *law,
                             mbs_arena *arena);
/* Keeps the inputs of the state that the system holds as those at node `k`. */
void mbs_active_branch_read(mbs_active_branch *branches, const mbs_system *system, int k);
/* Keeps these inputs [inputs] as those at node `k`. */
void mbs_active_branch_give(mbs_active_branch *branches, const double *inputs, int k);
/* Keeps those at node `from` as those at node `k`, too. */
void mbs_active_branch_repeat(mbs_active_branch *branches, int from, int k);

/* Holds the branches of the middle of the interval. */
void mbs_active_branch_hold(mbs_active_branch *branches, double *slots);
/* The value at node `k`, held, or as the switches are there. */
double mbs_active_branch_value(const mbs_active_branch *branches, int k, bool held, double *slots);
/* Of an expression that is an input and no more, that input at node 0, of the next `inputs` further on; else NULL. */
static inline const double *mbs_active_branch_plain(const mbs_active_branch *branches) {
  return branches->expression && branches->input >= 0 ? branches->in + branches->input : NULL;
}
/* How far the arguments of functions move on the interval, by every `stride`-th node: mbs_expression_moves(). */
double mbs_active_branch_moves(mbs_active_branch *branches, int stride, double *slots);

typedef struct mbs_branch_interval {
  double left, right; /* x between which the branch in the middle holds: -1, 1 where it does to the interval's ends */
  int left_switch, right_switch;  /* whose margins are zero there; -1: none */
  double left_slope, right_slope; /* of these, by x */
} mbs_branch_interval;

/* Up to where the branches that are held are the right ones, by every `stride`-th node; zeros nearer than `resolution`
 * to an end of the interval are that end. False: too few nodes to tell. */
bool mbs_active_branch_ends(mbs_active_branch *branches, int stride, double resolution, double *slots,
                            mbs_branch_interval *out);
/* The margin of a switch by the inputs kept as those at `k`. */
double mbs_active_branch_margin(mbs_active_branch *branches, int k, int index, double *slots);

#endif
