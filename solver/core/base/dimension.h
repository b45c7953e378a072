/* dimension.h - what a number is of: powers of the units of SI, and how they go through arithmetic.
 *
 * Angles count by themselves, so that an angular velocity is told from a frequency and a torque, an energy an angle,
 * from an energy; beside lengths and masses they are plain numbers, as SI has them. */
#ifndef MBS_DIMENSION_H
#define MBS_DIMENSION_H

#include "mbs/arena.h"

#include <stdbool.h>

typedef struct mbs_dimension {
  bool known;
  signed char m, kg, s, rad; /* powers; all 0: a plain number */
} mbs_dimension;

/* The names that tables use, MBS_DIMENSION_*; UNKNOWN says nothing. */
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

/* Of a / s^order: derivatives in time. */
mbs_dimension mbs_dimension_rate(mbs_dimension a, int order);
/* Of a b^power; unknown where either is, or where powers get beyond all use. */
mbs_dimension mbs_dimension_product(mbs_dimension a, mbs_dimension b, int power);
/* Of the square root; unknown where a power is odd. */
mbs_dimension mbs_dimension_root(mbs_dimension a);
/* Of a sum, which only equal ones have; else unknown. */
mbs_dimension mbs_dimension_sum(mbs_dimension a, mbs_dimension b);
/* "m/s^2", "N m"; "" for plain numbers and what is unknown. NULL without memory. */
const char *mbs_dimension_text(mbs_dimension a, mbs_arena *arena);

#endif
