/* The method dopri5 over vectors of eight; each lane has its own time and step length. */
#define MBS_LANES 8
#define mbs_dopri5 mbs_dopri5_x8

#include "ode/dopri5.c"
