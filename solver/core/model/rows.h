/* rows.h - rows and labels of a class as they are in a model. */
#ifndef MBS_ROWS_H
#define MBS_ROWS_H

#include "model/constants.h"

/* Name and element of a constraint row: joint or driver. */
const char *mbs_row_element(const mbs_model *model, size_t row);
/* The vectors u1, u2 become those that the row names. */
void mbs_row_vectors(const mbs_row *row, mbs_geometry *geometry);
/* Which coordinate of a joint a row is. */
int mbs_coordinate_number(const mbs_joint_shape *shape, const mbs_row *row);
/* Labels of a force element's outputs, "fx|fy|fz". */
const char *mbs_force_labels(const mbs_model *model, const mbs_force *force);

#endif
