/* Lanes of eight numbers, for processors with AVX-512: planar mechanisms. */
#define MBS_LANES 8
#define OF_WIDTH(name) name##_8
#define STEPS_OF(name) name##_8

#include "lanes/planar_lanes.h"

#include "lanes/lanes_of_width.h"
