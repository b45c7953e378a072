/* sobol.h - Sobol's sequence, whose points fill a cube evenly, each by its index (Sobol, USSR Computational Mathematics
 * 7, 1967). */
#ifndef MBS_SOBOL_H
#define MBS_SOBOL_H

#include "model/plan.h"

enum { MBS_SOBOL_BITS = 52 };

/* Component `dimension` of the point number `index`, as so many bits after the point. */
uint64_t mbs_sobol_bits(size_t dimension, uint64_t index);

#endif
