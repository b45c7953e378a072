/* norms.h - largest absolute values; whether numbers are any. */
#ifndef MBS_NORMS_H
#define MBS_NORMS_H

#include <stdbool.h>
#include <stddef.h>

/* Largest absolute value of n numbers; infinity if one is NaN. */
double mbs_largest(const double *x, size_t n);
/* Largest absolute value of n numbers, each in its unit; infinity if one is NaN. */
double mbs_largest_in_units(const double *x, const double *units, size_t n);
/* Whether n numbers are neither infinite nor NaN. */
bool mbs_finite(const double *x, size_t n);

#endif
