/* Laws over vectors of four. */
#define MBS_LANES 4

#include "batch/laws_simd.h"
