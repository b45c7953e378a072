/* Lanes of eight numbers, for processors with AVX-512. */
#define MBS_LANES 8
#define OF_WIDTH(name) name##_8

#include "lanes/lanes_of_width.h"
