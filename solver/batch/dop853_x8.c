/* The method dop853 over vectors of eight; each lane has its own time and step length. */
#define MBS_LANES 8
#define mbs_dop853 mbs_dop853_x8

#include "ode/dop853.c"
