/* Laws over vectors of eight. */
#define MBS_LANES 8

#include "batch/laws_simd.h"
