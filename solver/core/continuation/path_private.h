/* path_private.h - what following a path and passing its singular positions share. */
#ifndef MBS_PATH_PRIVATE_H
#define MBS_PATH_PRIVATE_H

#include "continuation/path.h"

/* A start with pivots of C below this share of their usual ratio, or of that at the first support point, may be so near to a
 * loss of rank that it is left as a start where rank is lost. Chosen. */
static const double mbs_near_start_share = 0.05;

/* Solves for the state at node->t from what the node has as a start. */
mbs_status mbs_path_solve(mbs_path *path, mbs_path_node *node);
/* A start for the state at node->t: the path as it was between two nodes, prolonged. */
void mbs_path_predict(const mbs_path *path, const mbs_path_node *one, const mbs_path_node *two, mbs_path_node *node);
/* A regular interval from `from` on. */
mbs_status mbs_path_step(mbs_path *path);
/* How far two states are from lying on one smooth path, in units: the residual of Hermite's rule of fourth order,
 *   q1 - q0 - h/2 (q0' + q1') - h^2/12 (q0'' - q1'').  */
double mbs_path_defect(const mbs_path *path, const mbs_path_node *one, const mbs_path_node *two);
/* The largest difference of two positions [nq], in units. */
double mbs_path_distance(const mbs_path *path, const double *one, const double *two);
/* What a gap between two states may be. */
double mbs_path_allowed(const mbs_path *path, const mbs_path_node *one, const mbs_path_node *two);
void mbs_path_copy(const mbs_path *path, const mbs_path_node *from, mbs_path_node *to);
/* How long until C loses its rank if its determinant goes on as from `one` to `two`; infinity where it grows. */
double mbs_path_time_left(const mbs_path_node *one, const mbs_path_node *two);
/* The order p with which the determinant vanishes as (t* - t)^p, where the time left, (t* - t) / p, was `left` at a
 * node and is `next_left` at next_t: 2 and more where several loops lose their rank together, 1/2 where the path
 * ends. */
double mbs_path_order(const mbs_path_node *node, double left, double next_t, double next_left);

/* Whether a singular position lies ahead of `from` that the path passes. If so its interval ends beyond it and the
 * crossing stands; otherwise `examined` says how far nothing is passed. */
mbs_status mbs_crossing_detect(mbs_path *path);
/* From `from`, a singular position at which the path begins. */
mbs_status mbs_crossing_start(mbs_path *path);
/* The crossing's state at t. */
void mbs_crossing_state(const mbs_path *path, double t, double *q, double *v, double *a);

#endif
