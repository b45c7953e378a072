/* Lanes of four numbers, for processors with AVX2: spatial mechanisms. */
#define MBS_LANES 4
#define OF_WIDTH(name) spatial_##name##_x4
#define STEPS_OF(name) name##_x4

#include "batch/spatial_lanes.h"

#include "batch/lanes_simd.h"
