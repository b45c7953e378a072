/* hermite.h - the polynomial through values and derivatives, as weights of the data.
 *
 * The same weights serve every component of a state: p(t) = sum_i sum_k w_ik f_i^(k). */
#ifndef MBS_HERMITE_H
#define MBS_HERMITE_H

#include <stddef.h>

enum { MBS_HERMITE_MAX = 8 }; /* data of all nodes together */

/* Weights of the data f(t_i), f'(t_i), ... (`per_node` of each of `nodes` distinct times, together at most
 * MBS_HERMITE_MAX) in the value and in the slope at t of the polynomial of least degree that has them:
 * value, slope [nodes * per_node], node by node; either may be NULL. */
void mbs_hermite_weights(size_t nodes, size_t per_node, const double *times, double t, double *value, double *slope);

#endif
