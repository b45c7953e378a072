/* The method dopri5 over vectors of four, a lane with a time and a step of its own. */
#define MBS_LANES 4
#define mbs_dopri5 mbs_dopri5_x4

#include "ode/dopri5.c"
