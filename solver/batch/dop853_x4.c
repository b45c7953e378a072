/* The method dop853 over vectors of four; each lane has its own time and step length. */
#define MBS_LANES 4
#define mbs_dop853 mbs_dop853_x4

#include "ode/dop853.c"
