/* error_scales.h - scales of a run: of rows of expressions, of quantities of order 1, of errors. */
#ifndef MBS_ERROR_SCALES_H
#define MBS_ERROR_SCALES_H

#include "equations/system.h"

/* Computes the magnitudes of order 1 in this model, the extent for lengths and 1 for angles, for the velocities [nv]
 * and the constraint rows [rows]. Rows that classes compute themselves may be either; they have the smaller one. */
void mbs_scales(const mbs_system *system, double *velocities, double *rows);
/* Measures the scales of the rows of expressions: their change at q for velocities of one scale. */
void mbs_measure_row_units(mbs_system *system, double t, const double *q);
/* Computes the scales of absolute errors of coordinates and velocities, units [nq + nv + nz]. They are the scales of
 * accuracy; for velocities divided by a time scale that follows from the span of the run and its motion at the start
 * (t_start, q, v). */
void mbs_fill_error_scales(mbs_system *system, const double *q, const double *v, double *units);
/* Returns the reference speed, in scales, for the rounding of velocities: one scale per time scale, or where that is
 * slow the largest of v [nv], up to 1. */
double mbs_speed_floor(const mbs_system *system, const double *v);

#endif
