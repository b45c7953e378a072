/* units.h - scales of lengths and times for the accuracies of a model. */
#ifndef MBS_UNITS_H
#define MBS_UNITS_H

#include "model/constants.h"

/* Returns the number of slides among the velocities of the joint that carries a body; they come before its
 * rotations. */
int mbs_slide_count(const mbs_model *model, int body);
/* Returns the scale of lengths for a mechanism of this extent: 1 m between 1 cm and 1 km, else the power of 1000 m in
 * which the extent is between 0.01 and 10. */
double mbs_length_unit(double extent);
/* Returns the scale of times: 1 s if `shorter` <= 10000 s and `longer` >= 1 ms, else the one of the two nearer to
 * that. */
double mbs_time_unit(double shorter, double longer);
/* Fills the scales of coordinates [nq] (may be NULL), velocities (per time) [nv] and constraint rows [rows]: `length`
 * for lengths, 1 for angles and numbers. Rows of expressions that may be either have the smaller one. */
void mbs_fill_units(const mbs_model *model, double length, double *coordinates, double *velocities, double *rows);
/* Returns the scale of a primitive's value. */
double mbs_primitive_unit(const mbs_constants *constants, mbs_primitive primitive);
/* Returns the scale of an input of an expression: of a position, a rate or an acceleration. */
double mbs_input_unit(const mbs_constants *constants, const mbs_input *input);

/* Returns the scale of the row that prescribes a function of time. */
double mbs_function_unit(const mbs_constants *constants, size_t function);

#endif
