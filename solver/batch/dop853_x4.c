/* The method dop853 over vectors of four, a lane with a time and a step of its own. */
#define MBS_LANES 4
#define mbs_dop853 mbs_dop853_x4

#include "ode/dop853.c"
