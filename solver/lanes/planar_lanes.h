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

#endif
