/* Lanes of four numbers, for processors with AVX2: planar mechanisms. */
#define MBS_LANES 4
#define OF_WIDTH(name) name##_x4
#define STEPS_OF(name) name##_x4

#include "batch/planar_lanes.h"

#include "batch/lanes_simd.h"
