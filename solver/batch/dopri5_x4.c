/* The method dopri5 over vectors of four; each lane has its own time and step length. */
#define MBS_LANES 4
#define mbs_dopri5 mbs_dopri5_x4

#include "ode/dopri5.c"
