/* dimension.h - physical dimensions of quantities, as powers of SI units, and their propagation through arithmetic.
 *
 * Angles count as a dimension of their own, so that an angular velocity differs from a frequency, and a torque (energy
 * per angle) from an energy. Next to lengths and masses they are plain numbers, as in SI. */
#ifndef MBS_DIMENSION_H
#define MBS_DIMENSION_H

#include "mbs/arena.h"

#include <stdbool.h>

typedef struct mbs_dimension {
  bool known;
  signed char m, kg, s, rad; /* powers; all 0: a dimensionless number */
} mbs_dimension;

/* The dimensions that tables use are named MBS_DIMENSION_*; UNKNOWN means that no dimension is known. */
#define MBS_DIMENSION_UNKNOWN \
  { 0 }
#define MBS_DIMENSION_NUMBER \
  { .known = true }
#define MBS_DIMENSION_LENGTH \
  { .known = true, .m = 1 }
#define MBS_DIMENSION_ANGLE \
  { .known = true, .rad = 1 }
#define MBS_DIMENSION_TIME \
  { .known = true, .s = 1 }
#define MBS_DIMENSION_FREQUENCY \
  { .known = true, .s = -1 }
#define MBS_DIMENSION_VELOCITY \
  { .known = true, .m = 1, .s = -1 }
#define MBS_DIMENSION_ANGULAR_VELOCITY \
  { .known = true, .s = -1, .rad = 1 }
#define MBS_DIMENSION_MASS \
  { .known = true, .kg = 1 }
#define MBS_DIMENSION_FORCE \
  { .known = true, .m = 1, .kg = 1, .s = -2 }
#define MBS_DIMENSION_TORQUE \
  { .known = true, .m = 2, .kg = 1, .s = -2, .rad = -1 }
#define MBS_DIMENSION_ENERGY \
  { .known = true, .m = 2, .kg = 1, .s = -2 }

/* Returns the dimension of a / s^order, that is of time derivatives. */
mbs_dimension mbs_dimension_rate(mbs_dimension a, int order);
/* Returns the dimension of a b^power; unknown if either one is unknown or if a power becomes too large. */
mbs_dimension mbs_dimension_product(mbs_dimension a, mbs_dimension b, int power);
/* Returns the dimension of the square root; unknown if a power is odd. */
mbs_dimension mbs_dimension_root(mbs_dimension a);
/* Returns the dimension of a sum: that of the terms if they are equal, otherwise unknown. */
mbs_dimension mbs_dimension_sum(mbs_dimension a, mbs_dimension b);
/* Returns a text such as "m/s^2" or "N m"; "" for dimensionless numbers and unknown dimensions; NULL if memory runs
 * out. */
const char *mbs_dimension_text(mbs_dimension a, mbs_arena *arena);

#endif
