/* cubic.h - cubic splines, stored as values and slopes at the knots (piecewise cubic Hermite form). */
#ifndef MBS_CUBIC_H
#define MBS_CUBIC_H

#include <stdbool.h>
#include <stddef.h>

/* Number of doubles of workspace that the functions below need for n knots. */
size_t mbs_cubic_workspace(size_t n);

/* Computes the slopes [n] of the spline through (x, y) [n], n >= 2, x ascending, with not-a-knot end conditions: its
 * third derivative is continuous at the second and at the last but one knot. For n = 3 it is the parabola, for n = 2
 * the line. Returns false if the system is singular. */
bool mbs_cubic_not_a_knot(size_t n, const double *x, const double *y, double *slopes, double *workspace);
/* Computes the slopes [n + 1] of the periodic spline, with period x[n] - x[0], through (x, y) [n + 1], n >= 3, y[n] =
 * y[0]. */
bool mbs_cubic_periodic(size_t n, const double *x, const double *y, double *slopes, double *workspace);

/* Returns the index i of the interval [x[i], x[i + 1]], among n knots, that contains `at` or is nearest to it. */
size_t mbs_cubic_interval(size_t n, const double *x, double at);
/* Computes f = c[0] + s (c[1] + s (c[2] + s c[3])) at distance s from the start of an interval of length h. */
void mbs_cubic_coefficients(double h, double y0, double y1, double slope0, double slope1, double c[4]);
/* Computes the value and the first and second derivatives at distance s from the start of an interval of length h. */
void mbs_cubic_value(double h, double y0, double y1, double slope0, double slope1, double s, double out[3]);

/* ---- cubic_slopes.c ---- */

/* Compute the slopes [n] of curves through (x, y) [n], n >= 2, x ascending, with a continuous first derivative: that of
 * Akima, and one that is monotone where the points are (PCHIP). A periodic one has y[n - 1] = y[0]. */
void mbs_cubic_akima(size_t n, const double *x, const double *y, bool periodic, double *slopes);
void mbs_cubic_monotone(size_t n, const double *x, const double *y, bool periodic, double *slopes);

/* ---- cubic_features.c ---- */

/* Stores the positions of the extrema of the spline's second derivative in extremes [n], in ascending order, followed
 * by INFINITY. */
void mbs_cubic_find_extremes(size_t n, const double *x, const double *y, const double *slopes, double *extremes);
/* Returns the distance from `at` to the extremum that follows the next `passed` ones. */
double mbs_cubic_longest(size_t n, const double *extremes, double at, size_t passed);

#endif
