/* The method dop853 over vectors of eight, a lane with a time and a step of its own. */
#define MBS_LANES 8
#define mbs_dop853 mbs_dop853_x8

#include "ode/dop853.c"
