/* units.h - units in which accuracies of a model are counted. */
#ifndef MBS_UNITS_H
#define MBS_UNITS_H

#include "model/constants.h"

/* Slides among the velocities of what carries a body; they come before its turns. */
int mbs_slide_count(const mbs_model *model, int body);
/* What accuracies of lengths are counted in, for a mechanism of this extent: 1 m between 1 cm and 1 km, else the power
 * of 1000 m of which it has between 0.01 and 10. */
double mbs_length_unit(double extent);
/* What accuracies of times are counted in: 1 s where `shorter` <= 10000 s and `longer` >= 1 ms, else the one of the two
 * nearer to that. */
double mbs_time_unit(double shorter, double longer);
/* `length` for lengths, 1 for angles and pure numbers: of the coordinates [nq] (may be NULL), velocities (times a time)
 * [nv] and constraint rows [rows]. Where rows of expressions may be either: the smaller one. */
void mbs_fill_units(const mbs_model *model, double length, double *coordinates, double *velocities, double *rows);
/* The unit of a primitive's value. */
double mbs_primitive_unit(const mbs_constants *constants, mbs_primitive primitive);
/* The unit of what an input of an expression is read from: a position, a rate or an acceleration. */
double mbs_input_unit(const mbs_constants *constants, const mbs_input *input);

/* The unit of the row that follows a function of time. */
double mbs_function_unit(const mbs_constants *constants, size_t function);

#endif
