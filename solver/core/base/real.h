/* real.h - the number type of the kernels. The same source is compiled for one mechanism (double) and, with GCC vector
 * types, for several mechanisms of the same structure at once, one per lane. A kernel branches on structure, never on a
 * value; where it must test a value, it tests whether any lane satisfies the condition. */
#ifndef MBS_REAL_H
#define MBS_REAL_H

#include "base/sines.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef MBS_LANES

typedef double mbs_real;

/* The name of a function that is compiled once for each number type, for the current type. */
#define MBS_OVER(name) name

/* The constant 1, for initializers. */
#define MBS_ONE 1

static inline mbs_real mbs_cos(mbs_real x) { return cos(x); }
static inline mbs_real mbs_sin(mbs_real x) { return sin(x); }
static inline mbs_real mbs_sqrt(mbs_real x) { return sqrt(x); }
static inline mbs_real mbs_nearbyint(mbs_real x) { return nearbyint(x); }
static inline mbs_real mbs_atan2(mbs_real y, mbs_real x) { return atan2(y, x); }
static inline mbs_real mbs_hypot(mbs_real x, mbs_real y) { return hypot(x, y); }
static inline void mbs_sine_of(mbs_real x, mbs_real *sine, mbs_real *cosine) { mbs_sine_and_cosine(x, sine, cosine); }
/* Computes sines and cosines of angles [MBS_SINES_ROOM(count)]; a small number of angles is faster one by one. */
static inline void mbs_sines_of(size_t count, mbs_real *angles, mbs_real *sines, mbs_real *cosines) {
  if (count >= MBS_SINES_WORTH) {
    for (size_t i = count; i < MBS_SINES_ROOM(count); i++) angles[i] = 1;
    mbs_sines(count, angles, sines, cosines);
    return;
  }
  for (size_t i = 0; i < count; i++) mbs_sine_and_cosine(angles[i], &sines[i], &cosines[i]);
}
/* Returns whether one > other is false in any lane. */
static inline bool mbs_any_not_above(mbs_real one, mbs_real other) { return !(one > other); }
/* |x| is mbs_size(). These return, in each lane, test > 0 ? one : other, and likewise for test == 0 and for test ==
 * NaN. */
static inline mbs_real mbs_if_positive(mbs_real test, mbs_real one, mbs_real other) { return test > 0 ? one : other; }
static inline mbs_real mbs_if_zero(mbs_real test, mbs_real one, mbs_real other) { return test == 0 ? one : other; }
static inline mbs_real mbs_if_none(mbs_real test, mbs_real one, mbs_real other) { return isnan(test) ? one : other; }
static inline mbs_real mbs_larger(mbs_real one, mbs_real other) { return one > other ? one : other; }
static inline mbs_real mbs_smaller(mbs_real one, mbs_real other) { return one < other ? one : other; }
static inline mbs_real mbs_size(mbs_real x) { return fabs(x); }

#else

typedef double mbs_real __attribute__((vector_size(8 * MBS_LANES)));
typedef int64_t mbs_mask __attribute__((vector_size(8 * MBS_LANES)));

#if MBS_LANES == 4
#define MBS_OVER(name) name##_x4
#define MBS_ONE \
  { 1, 1, 1, 1 }
#else
#define MBS_OVER(name) name##_x8
#define MBS_ONE \
  { 1, 1, 1, 1, 1, 1, 1, 1 }
#endif

static inline mbs_real mbs_each(double (*f)(double), mbs_real x) {
  for (int k = 0; k < MBS_LANES; k++) x[k] = f(x[k]);
  return x;
}
static inline mbs_real mbs_cos(mbs_real x) { return mbs_each(cos, x); }
static inline mbs_real mbs_sin(mbs_real x) { return mbs_each(sin, x); }
static inline mbs_real mbs_sqrt(mbs_real x) { return mbs_each(sqrt, x); }
static inline mbs_real mbs_nearbyint(mbs_real x) { return mbs_each(nearbyint, x); }
static inline mbs_real mbs_atan2(mbs_real y, mbs_real x) {
  for (int k = 0; k < MBS_LANES; k++) x[k] = atan2(y[k], x[k]);
  return x;
}
static inline mbs_real mbs_hypot(mbs_real x, mbs_real y) {
  for (int k = 0; k < MBS_LANES; k++) x[k] = hypot(x[k], y[k]);
  return x;
}
/* The numbers of all lanes are contiguous. */
static inline void mbs_sines_of(size_t count, mbs_real *angles, mbs_real *sines, mbs_real *cosines) {
  mbs_sines(MBS_LANES * count, (const double *)angles, (double *)sines, (double *)cosines);
}
static inline void mbs_sine_of(mbs_real x, mbs_real *sine, mbs_real *cosine) { mbs_sines_of(1, &x, sine, cosine); }
static inline mbs_real mbs_select(mbs_mask mask, mbs_real one, mbs_real other) {
  return (mbs_real)((mask & (mbs_mask)one) | (~mask & (mbs_mask)other));
}
static inline mbs_real mbs_if_positive(mbs_real test, mbs_real one, mbs_real other) {
  return mbs_select(test > 0, one, other);
}
static inline mbs_real mbs_if_zero(mbs_real test, mbs_real one, mbs_real other) {
  return mbs_select(test == 0, one, other);
}
static inline mbs_real mbs_if_none(mbs_real test, mbs_real one, mbs_real other) {
  return mbs_select(test != test, one, other);
}
static inline mbs_real mbs_larger(mbs_real one, mbs_real other) { return mbs_select(one > other, one, other); }
static inline mbs_real mbs_smaller(mbs_real one, mbs_real other) { return mbs_select(one < other, one, other); }
static inline mbs_real mbs_size(mbs_real x) {
  const mbs_mask sign = (mbs_mask){0} + INT64_MIN;
  return (mbs_real)(~sign & (mbs_mask)x);
}
static inline bool mbs_any_not_above(mbs_real one, mbs_real other) {
  for (int k = 0; k < MBS_LANES; k++)
    if (!(one[k] > other[k])) return true;
  return false;
}

#endif

/* A number with the same value in all lanes. */
#define MBS_ALL(x) ((mbs_real){0} + (x))

#endif
