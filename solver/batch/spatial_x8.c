/* Lanes of eight numbers, for processors with AVX-512: spatial mechanisms. */
#define MBS_LANES 8
#define OF_WIDTH(name) spatial_##name##_x8
#define STEPS_OF(name) name##_x8

#include "batch/spatial_lanes.h"

#include "batch/lanes_simd.h"
