/* Lanes of four numbers, for processors with AVX2. */
#define MBS_LANES 4
#define OF_WIDTH(name) name##_4

#include "lanes/lanes_of_width.h"
