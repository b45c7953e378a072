/* held_coordinates.h - held joint coordinates in the body formulation. They are primitives between bodies; the bodies'
 * velocities are the generalized velocities, which the rates of held coordinates are not. */
#ifndef MBS_HELD_COORDINATES_H
#define MBS_HELD_COORDINATES_H

#include "equations/system.h"
#include "kernels/kernels.h"

/* Finds the next held coordinate from index *c of model->coordinates on, and stores it in `row`; *c is then the index
 * after it. Returns false if there is none. */
bool mbs_held_coordinate_next(const mbs_system *system, size_t *c, mbs_input_row *row);
/* Largest number of velocities on which the row of a held coordinate depends: those of two bodies. */
enum { MBS_HELD_ENTRIES_MAX = 12 };
/* Computes the gradient of a held coordinate: its velocities, and the derivatives in them. Returns their number. */
size_t mbs_held_coordinate_gradient(const mbs_model *model, const mbs_input_row *row,
                                    int velocities[MBS_HELD_ENTRIES_MAX], double entries[MBS_HELD_ENTRIES_MAX]);
/* Returns the rate of a held coordinate for the velocities x [nv]. */
double mbs_held_coordinate_rate(const mbs_model *model, const mbs_input_row *row, const double *x);
/* Computes the scales [held_count] of held coordinates for the length scale `length`: the model's own for accuracies,
 * its extent for magnitudes of order 1. */
void mbs_held_coordinate_scales(const mbs_model *model, double length, double *units);
/* Returns labels [held_count] of the rates of held coordinates, as in the joint formulation. Returns NULL if memory
 * runs out. */
const char **mbs_held_coordinate_labels(const mbs_model *model, mbs_arena *arena);
/* Returns true if the held coordinates may be independent. The four Euler parameters of a ball are not: they have three
 * degrees of freedom. */
bool mbs_held_coordinates_independent(const mbs_model *model);

#endif
