/* The method dopri5 over vectors of eight, a lane with a time and a step of its own. */
#define MBS_LANES 8
#define mbs_dopri5 mbs_dopri5_x8

#include "ode/dopri5.c"
