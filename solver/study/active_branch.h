/* active_branch.h - an expression on an interval: the active branches of its switches, and the interval where they
 * hold. */
#ifndef MBS_ACTIVE_BRANCH_H
#define MBS_ACTIVE_BRANCH_H

#include "equations/system.h"
#include "expression/expression.h"
#include "study/chebyshev.h"

/* Expression of a law, with its inputs at the nodes of an interval. */
typedef struct mbs_active_branch {
  const mbs_law *law;
  const mbs_expression *expression; /* expression of the law; NULL: a constant */
  double value;                     /* value of the constant */
  int input;                        /* the input to which the expression is equal; or -1 */
  size_t inputs, switches;
  bool may_be_localized;
  double *in;      /* [(MBS_CHEBYSHEV_MAX + 2) * inputs] inputs at the nodes, and at one point between them */
  double *mode;    /* [switches] held on the current interval */
  double *margins; /* [(MBS_CHEBYSHEV_MAX + 1) * switches] */
  double *sizes;   /* [switches] largest margin so far */
  double *ends;    /* [2 * inputs] */
  size_t input_capacity, switch_capacity;
} mbs_active_branch;

enum { MBS_ACTIVE_BRANCH_BETWEEN = MBS_CHEBYSHEV_MAX + 1 }; /* number of the point that is not a node */

/* Initializes it for a law with these constants. Enlarges its arrays from the arena. Returns false if memory runs
 * out. */
bool mbs_active_branch_begin(mbs_active_branch *branches, const mbs_constants *constants, const mbs_law *law,
                             mbs_arena *arena);
/* Stores the inputs at the system's present state as those at node `k`. */
void mbs_active_branch_read(mbs_active_branch *branches, const mbs_system *system, int k);
/* Stores these inputs [inputs] as those at node `k`. */
void mbs_active_branch_set_inputs(mbs_active_branch *branches, const double *inputs, int k);
/* Copies the inputs at node `from` to node `k`. */
void mbs_active_branch_repeat(mbs_active_branch *branches, int from, int k);

/* Holds the branches that are active in the middle of the interval. */
void mbs_active_branch_hold(mbs_active_branch *branches, double *slots);
/* Returns the value at node `k`, with held branches, or with the branches that are active there. */
double mbs_active_branch_value(const mbs_active_branch *branches, int k, bool held, double *slots);
/* If the expression is equal to an input, returns a pointer to its value at node 0; the values at later nodes follow
 * `inputs` numbers apart. Returns NULL otherwise. */
static inline const double *mbs_active_branch_plain(const mbs_active_branch *branches) {
  return branches->expression && branches->input >= 0 ? branches->in + branches->input : NULL;
}
/* Returns the distance that arguments of functions travel on the interval, as mbs_expression_argument_travel() bounds
 * it, from every `stride`-th node. */
double mbs_active_branch_travel(mbs_active_branch *branches, int stride, double *slots);

typedef struct mbs_branch_interval {
  double left, right; /* limits, in x, between which the held branches are active; -1, 1: the interval's ends */
  int left_switch, right_switch;  /* switches whose margins are zero at the limits; -1: none */
  double left_slope, right_slope; /* derivatives of these margins by x */
} mbs_branch_interval;

/* Finds the part of the interval where the held branches are active, from every `stride`-th node. A zero nearer than
 * `resolution` to an end of the interval counts as that end. Returns false if there are too few nodes. */
bool mbs_active_branch_ends(mbs_active_branch *branches, int stride, double resolution, double *slots,
                            mbs_branch_interval *out);
/* Returns the margin of a switch for the inputs stored at node `k`. */
double mbs_active_branch_margin(mbs_active_branch *branches, int k, int index, double *slots);

#endif
