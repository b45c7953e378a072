/* path_private.h - functions that path.c and singularity_crossing.c share. */
#ifndef MBS_PATH_PRIVATE_H
#define MBS_PATH_PRIVATE_H

#include "continuation/path.h"

/* Limits of the pivots of C for a singular start. Such a start is tried below this share of their usual ratio. It is
 * accepted if they are below this share of the pivots at the first support point. Chosen. */
static const double mbs_near_start_share = 0.05;

/* Corrects the state at node->t, starting from the values in the node. */
mbs_status mbs_path_solve(mbs_path *path, mbs_path_node *node);
/* Predicts the state at node->t by interpolation, or extrapolation, from the nodes `one` and `two`. */
void mbs_path_predict(const mbs_path *path, const mbs_path_node *one, const mbs_path_node *two, mbs_path_node *node);
/* Computes a regular interval that begins at `from`. */
mbs_status mbs_path_step(mbs_path *path);
/* Returns how far two states are from lying on one smooth path, scaled: the residual of Hermite's rule of fourth order,
 *
 *   q1 - q0 - h/2 (q0' + q1') - h^2/12 (q0'' - q1''). */
double mbs_path_defect(const mbs_path *path, const mbs_path_node *one, const mbs_path_node *two);
/* Returns the largest difference of two positions [nq], scaled. */
double mbs_path_distance(const mbs_path *path, const double *one, const double *two);
/* Returns the largest defect allowed between two states. */
double mbs_path_allowed(const mbs_path *path, const mbs_path_node *one, const mbs_path_node *two);
void mbs_path_copy(const mbs_path *path, const mbs_path_node *from, mbs_path_node *to);
/* Extrapolates the time [s] from `two` until C loses its rank from the determinants at `one` and `two`; infinity if the
 * determinant grows. */
double mbs_path_time_left(const mbs_path_node *one, const mbs_path_node *two);
/* Returns the order p with which the determinant vanishes as (t* - t)^p. The time left, (t* - t) / p, was `left` at the
 * node and is `next_left` at next_t. The order is 2 or more if several loops lose their rank at one instant, and 1/2
 * where the path ends. */
double mbs_path_order(const mbs_path_node *node, double left, double next_t, double next_left);

/* Detects a singular position after `from` that the path crosses. If there is one, activates the crossing, whose
 * interval ends beyond that position. Otherwise sets `examined`. */
mbs_status mbs_crossing_detect(mbs_path *path);
/* Starts a path at `from`, a singular position. Activates a crossing from there, or makes a regular step if the start
 * is not near enough to a loss of rank. */
mbs_status mbs_crossing_start(mbs_path *path);
/* Computes the state of the active crossing at time t. */
void mbs_crossing_state(const mbs_path *path, double t, double *q, double *v, double *a);

#endif
