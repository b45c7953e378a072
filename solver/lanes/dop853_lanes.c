/* The method dop853 over vectors, a lane with a time and a step of its own. */
#define MBS_LANES 4
#define mbs_dop853 mbs_dop853_lanes

#include "integrators/dop853.c"
