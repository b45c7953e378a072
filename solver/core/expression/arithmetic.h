/* arithmetic.h - small functions called by the rows of instructions.def and functions.def. */
#ifndef MBS_ARITHMETIC_H
#define MBS_ARITHMETIC_H

#include "base/sines.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns x y, but 0 if either is exactly 0, even if the other one is not finite: a quantity that does not change has
 * no rate, for any slope of its function. */
static inline double scaled(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }

/* Sine and cosine, as in lanes, where laws compute sines of vectors (base/sines.h). */
static inline double sine_of(double x) {
  double s, c;
  mbs_sine_and_cosine(x, &s, &c);
  return s;
}

static inline double cosine_of(double x) {
  double s, c;
  mbs_sine_and_cosine(x, &s, &c);
  return c;
}

static inline bool is_true(double x) { return x != 0 && !isnan(x); }

/* Selects the held branch of switch k, or without a held mode that of the guard: `above` for guard >= 0. */
static inline double pick(const double *mode, int k, double guard, double above, double below) {
  if (mode != NULL) {
    return mode[k] != 0 ? above : below;
  }
  return guard >= 0 ? above : guard < 0 ? below : guard;
}

/* Returns x^n for an integer n, |n| <= 66, by squaring: derivatives are exact also at x = 0 and for x < 0. */
static inline double whole_power(double x, double n) {
  double power = 1;
  for (unsigned left = (unsigned)fabs(n); left != 0; left >>= 1) {
    power = (left & 1U) != 0 ? power * x : power;
    x *= x;
  }
  return n < 0 ? 1 / power : power;
}

/* s(u) = u^3 (6 u^2 - 15 u + 10) on [0, 1], 0 below, 1 above; s' = 30 u^2 (1 - u)^2; s'' = 60 u (1 - u) (1 - 2 u). */
static inline double quintic(double u) { return u <= 0 ? 0 : u >= 1 ? 1 : u * u * u * (10 + u * (6 * u - 15)); }
static inline double quintic_slope(double u) { return u <= 0 || u >= 1 ? 0 : 30 * (u * (1 - u)) * (u * (1 - u)); }
static inline double quintic_curve(double u) { return u <= 0 || u >= 1 ? 0 : 60 * u * (1 - u) * (1 - 2 * u); }

#endif
