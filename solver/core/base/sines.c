/* sines.c - sines and cosines of several angles at once, with vectors as wide as the processor supports, by the method
 * of fdlibm (Sun Microsystems, 1993): x = n pi/2 + y, with pi/2 in two parts, and polynomials on |y| <= pi/4,
 *
 *   sin(y) = y + S_1 y^3 + ... + S_6 y^13,   cos(y) = 1 - y^2/2 + C_1 y^4 + ... + C_6 y^14,
 *
 * where y has two parts as well if n is not 0. A single angle is computed by the same operations in the same order, so
 * that a run in lanes is identical to the bit to a separate run. Angles near multiples of pi/4, and tiny and large
 * angles, are passed to the C library one by one, in vectors as well. */
#include "base/sines.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double S1 = -1.66666666666666324348e-01, S2 = 8.33333333332248946124e-03, S3 = -1.98412698298579493134e-04,
                    S4 = 2.75573137070700676789e-06, S5 = -2.50507602534068634195e-08, S6 = 1.58969099521155010221e-10;
static const double C1 = 4.16666666666666019037e-02, C2 = -1.38888888888741095749e-03, C3 = 2.48015872894767294178e-05,
                    C4 = -2.75573143513906633035e-07, C5 = 2.08757232129817482790e-09, C6 = -1.13596475577881948265e-11;
/* 2/pi, and the first 33 bits of pi/2 with the remainder */
static const double share = 6.36619772367581382433e-01, quarter = 1.57079632673412561417e+00,
                    quarter_tail = 6.07710050650619224932e-11;
/* Adding and subtracting this number rounds to the nearest integer. */
static const double to_integer = 6755399441055744.0;
/* Angles below `tiny` and above `large` are handled by the C library; likewise y below the fraction `near_zero` of x or
 * close to pi/4, where fdlibm may use another part of pi/2 or another n. */
static const double tiny = 1e-7, large = 1e5, near_zero = 4e-5, near_edge = 0.78539;

/* Functions for each vector width, from one source. */
#define WIDTH 2
#define TARGET
#define OF_WIDTH(name) name##_2
#include "base/sines_simd.h"
#if defined(__x86_64__)
#undef WIDTH
#undef TARGET
#undef OF_WIDTH
#define WIDTH 4
#define TARGET __attribute__((target("avx2")))
#define OF_WIDTH(name) name##_4
#include "base/sines_simd.h"
#undef WIDTH
#undef TARGET
#undef OF_WIDTH
#define WIDTH 8
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define OF_WIDTH(name) name##_8
#include "base/sines_simd.h"
#endif

void mbs_sines(size_t count, const double *angles, double *sines, double *cosines) {
#if defined(__x86_64__)
  if (count % 8 == 0 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    take_8(count, angles, sines, cosines);
    return;
  }
  if (__builtin_cpu_supports("avx2")) {
    take_4(count, angles, sines, cosines);
    return;
  }
#endif
  take_2(count, angles, sines, cosines);
}

/* Does the computation of take_some() for a single angle. */
void mbs_sine_and_cosine(double x, double *sine, double *cosine) {
  const double size = fabs(x);
  if (size < near_edge && (size > tiny || (x == 0 && !signbit(x)))) {
    const double z = x * x, w = z * z, half = 0.5 * z, first = 1.0 - half;
    const double by_sine = S2 + z * (S3 + z * S4) + z * w * (S5 + z * S6);
    const double by_cosine = z * (C1 + z * (C2 + z * C3)) + w * w * (C4 + z * (C5 + z * C6));
    *sine = x + z * x * (S1 + z * by_sine);
    *cosine = first + (((1.0 - first) - half) + z * by_cosine);
    return;
  }
  /* n, y = x - n pi/2 and its tail */
  const double shifted = x * share + to_integer, n = shifted - to_integer;
  const double r = x - n * quarter, less = n * quarter_tail, y = r - less, tail = (r - y) - less, beside = fabs(y);
  if (!(size >= near_edge && size < large && beside > near_zero * size && beside < near_edge)) {
    *sine = sin(x);
    *cosine = cos(x);
    return;
  }
  const double z = y * y, w = z * z, half = 0.5 * z, first = 1.0 - half, v = z * y;
  const double by_sine = S2 + z * (S3 + z * S4) + z * w * (S5 + z * S6);
  const double by_cosine = z * (C1 + z * (C2 + z * C3)) + w * w * (C4 + z * (C5 + z * C6));
  const double sin_y = y - ((z * (0.5 * tail - v * by_sine) - tail) - v * S1);
  const double cos_y = first + (((1.0 - first) - half) + (z * by_cosine - y * tail));
  /* the result by n modulo 4: (s, c), (c, -s), (-s, -c), (-c, s) */
  uint64_t turns, s, c;
  memcpy(&turns, &shifted, sizeof turns);
  const double one = turns & 1 ? cos_y : sin_y, other = turns & 1 ? sin_y : cos_y;
  memcpy(&s, &one, sizeof s);
  memcpy(&c, &other, sizeof c);
  s ^= (turns & 2) << 62;
  c ^= ((turns + 1) & 2) << 62;
  memcpy(sine, &s, sizeof s);
  memcpy(cosine, &c, sizeof c);
}
