/* Lanes of eight numbers, for processors with AVX-512: planar mechanisms. */
#define MBS_LANES 8
#define OF_WIDTH(name) name##_x8
#define STEPS_OF(name) name##_x8

#include "batch/planar_lanes.h"

#include "batch/lanes_simd.h"
