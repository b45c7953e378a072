/* planar_lanes.h - the planar kernels over vectors, as lanes.c calls them; private to lanes/. */
#ifndef MBS_PLANAR_LANES_H
#define MBS_PLANAR_LANES_H

#include "lanes/lanes.h"

/* Numbers in a mbs_block_constants, a planar_constants and a planar_body. */
size_t mbs_lane_block_size(void);
size_t mbs_lane_kernel_size(void);
size_t mbs_lane_body_size(void);

/* The kernels' own workspace, whose arrays are those of `lanes`; false: no memory. */
bool mbs_planar_lanes_open(mbs_lanes *lanes, mbs_arena *arena);
void mbs_planar_lanes_use(mbs_lanes *lanes, const mbs_lane_numbers *numbers);
void mbs_planar_lanes_positions(mbs_lanes *lanes);
void mbs_planar_lanes_velocities(mbs_lanes *lanes);
void mbs_planar_lanes_rows(mbs_lanes *lanes, int want);
void mbs_planar_lanes_residual_forces(mbs_lanes *lanes);
void mbs_planar_lanes_times(mbs_lanes *lanes, const double *x);
void mbs_planar_lanes_transposed(mbs_lanes *lanes, const double *y);
/* What solves with M and S, as arrays: those of M, its pivots, Z, the pivots of S, its factors, those of the recursive
 * back end (NULL: it has none). */
enum { MBS_LANE_FACTORS = 6 };
size_t mbs_planar_lanes_factors(const mbs_lanes *lanes, double *factors[MBS_LANE_FACTORS]);
/* The largest of x [rows] in units, of each lane; infinite where one is no number. */
void mbs_planar_lanes_largest_row(const mbs_lanes *lanes, const double *x, double out[MBS_LANE_COUNT]);
/* The largest velocity in units, of each lane; not less than `least`. */
void mbs_planar_lanes_fastest(const mbs_lanes *lanes, const double least[MBS_LANE_COUNT], double out[MBS_LANE_COUNT]);
/* missing [rows] = -Phi, or rhsV - rates. */
void mbs_planar_lanes_miss_positions(mbs_lanes *lanes);
void mbs_planar_lanes_miss_velocities(mbs_lanes *lanes);
/* x [nv] += M^-1 C' S^-1 missing, of the lanes that move; spoils missing. */
void mbs_planar_lanes_move(mbs_lanes *lanes, double *x, const bool moves[MBS_LANE_COUNT]);

/* Steps: see lanes.h. */
bool mbs_planar_lanes_open_steps(mbs_lanes *lanes, const char *method, size_t states, mbs_arena *arena, size_t *stages);

#endif
