/* sobol.h - Sobol's sequence of points that fill a cube evenly, computed by index (Sobol, USSR Computational
 * Mathematics 7, 1967). */
#ifndef MBS_SOBOL_H
#define MBS_SOBOL_H

#include "model/plan.h"

enum { MBS_SOBOL_BITS = 52 };

/* Returns component `dimension` of point `index`, as this number of binary digits after the point. */
uint64_t mbs_sobol_bits(size_t dimension, uint64_t index);

#endif
