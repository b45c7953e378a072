/* held_coordinates.h - coordinates in `hold` that no velocity of the tree is the rate of: those of joints in the body formulation,
 * where they are primitives between bodies whose velocities are the model's own. */
#ifndef MBS_HELD_COORDINATES_H
#define MBS_HELD_COORDINATES_H

#include "equations/system.h"
#include "kernels/kernels.h"

/* The next held coordinate from number *c of model->coordinates on, into `row`; *c moves past it. False where there is
 * none. */
bool mbs_next_held(const mbs_system *system, size_t *c, mbs_input_row *row);
/* Velocities that such a row may depend on: those of two bodies, which in the body formulation are the model's own. */
enum { MBS_HELD_ENTRIES_MAX = 12 };
/* Its gradient: these velocities, and its derivatives in them; returns how many there are. */
size_t mbs_held_gradient(const mbs_model *model, const mbs_input_row *row, int velocities[MBS_HELD_ENTRIES_MAX],
                         double entries[MBS_HELD_ENTRIES_MAX]);
/* The rate of such a row for the velocities x [nv]. */
double mbs_held_rate(const mbs_model *model, const mbs_input_row *row, const double *x);
/* The units [held_count] of held coordinates where lengths count in `length`: the model's own for accuracies, its
 * extent for what is of order 1. */
void mbs_held_units(const mbs_model *model, double length, double *units);
/* Labels [held_count] of their rates, as the joint formulation has them; NULL without memory. */
const char **mbs_held_labels(const mbs_model *model, mbs_arena *arena);
/* Whether they may be independent: not those of a ball, whose four Euler parameters are three freedoms. */
bool mbs_held_apart(const mbs_model *model);

#endif
