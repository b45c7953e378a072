/* cubic.h - cubic splines by their slopes at the knots: between two of them the cubic with these values and slopes. */
#ifndef MBS_CUBIC_H
#define MBS_CUBIC_H

#include <stdbool.h>
#include <stddef.h>

/* Doubles of workspace that the functions below need for n knots. */
size_t mbs_cubic_workspace(size_t n);

/* Slopes [n] of the spline through (x, y) [n], n >= 2, x ascending, whose third derivative is continuous at the second
 * knot and the last but one (not-a-knot); n = 3: the parabola, n = 2: the line. False where the system is singular. */
bool mbs_cubic_not_a_knot(size_t n, const double *x, const double *y, double *slopes, double *workspace);
/* Slopes [n + 1] of the closed spline of period x[n] - x[0] through (x, y) [n + 1], n >= 3, y[n] = y[0]. */
bool mbs_cubic_periodic(size_t n, const double *x, const double *y, double *slopes, double *workspace);

/* Number of the interval [x[i], x[i + 1]] of n knots that `at` lies in, or is nearest to. */
size_t mbs_cubic_interval(size_t n, const double *x, double at);
/* Value, first and second derivative at s from the start of an interval of length h. */
void mbs_cubic_value(double h, double y0, double y1, double slope0, double slope1, double s, double out[3]);

/* ---- cubic_features.c ---- */

/* Stores the places of the extremes of a spline's second derivative in extremes [n], ascending, then INFINITY. */
void mbs_cubic_find_extremes(size_t n, const double *x, const double *y, const double *slopes, double *extremes);
/* Returns the distance from `at` to the extreme after the next `passed` ones. */
double mbs_cubic_longest(size_t n, const double *extremes, double at, size_t passed);

#endif
