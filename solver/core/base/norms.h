/* norms.h - maximum norms, the sum of squares, and the test for finite numbers. */
#ifndef MBS_NORMS_H
#define MBS_NORMS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the largest absolute value of n numbers; infinity if one is NaN. */
double mbs_largest(const double *x, size_t n);
/* Returns the largest absolute value of n numbers, each divided by its unit; infinity if one is NaN. */
double mbs_largest_in_units(const double *x, const double *units, size_t n);
/* Returns the sum of the squares of n numbers. */
double mbs_sum_of_squares(const double *x, size_t n);
/* Returns whether all n numbers are finite. */
bool mbs_finite(const double *x, size_t n);

#endif
