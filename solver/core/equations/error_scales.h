/* error_scales.h - units of a run: of rows of expressions, of what is of order 1, of errors. */
#ifndef MBS_ERROR_SCALES_H
#define MBS_ERROR_SCALES_H

#include "equations/system.h"

/* What is of order 1 in this model: its extent for lengths, 1 for angles; of the velocities [nv] and of the constraint
 * rows [rows]. Rows that classes compute themselves may be either: the smaller one. */
void mbs_units(const mbs_system *system, double *velocities, double *rows);
/* The units of the rows of expressions: by how much they change at q where velocities are one unit long. */
void mbs_measure_row_units(mbs_system *system, double t, const double *q);
/* What absolute errors of the coordinates and velocities count in, units [nq + nv + nz]: the units of accuracy, of
 * velocities over the unit of time that the span of the run and its motion at the start (t_start, q, v) agree on. */
void mbs_fill_error_scales(mbs_system *system, const double *q, const double *v, double *units);
/* The speed, in units, of which rounding leaves a share: one unit in the unit of time, or where that is slow the
 * largest of v [nv], up to 1. */
double mbs_speed_floor(const mbs_system *system, const double *v);

#endif
