/* hermite.h - Hermite interpolation: weights of values and derivatives at the nodes.
 *
 * The same weights serve every component of a state: p(t) = sum_i sum_k w_ik f_i^(k). */
#ifndef MBS_HERMITE_H
#define MBS_HERMITE_H

#include <stddef.h>

enum { MBS_HERMITE_MAX = 8 }; /* data at all nodes, in total */

/* Computes weights for the value and the slope at t of the polynomial of least degree through the data f(t_i), f'(t_i),
 * ... There are `per_node` data at each of `nodes` distinct times, at most MBS_HERMITE_MAX in total. Writes `value` and
 * `slope` [nodes * per_node], node by node; either may be NULL. */
void mbs_hermite_weights(size_t nodes, size_t per_node, const double *times, double t, double *value, double *slope);

#endif
