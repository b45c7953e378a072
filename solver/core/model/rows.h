/* rows.h - rows and labels of a class in a model. */
#ifndef MBS_ROWS_H
#define MBS_ROWS_H

#include "model/constants.h"

/* Returns the number of rows of joints. Those of drivers follow, one each, then those of touches. */
static inline size_t mbs_joint_rows(const mbs_model *model) { return model->bilateral_rows - model->driver_count; }
/* Returns the number of rows of joints and of drivers of the document. Those of added drivers follow. */
static inline size_t mbs_given_rows(const mbs_model *model) { return model->bilateral_rows - model->added_drivers; }
/* Returns the name of the joint or driver of a constraint row. */
const char *mbs_row_element(const mbs_model *model, size_t row);
/* Replaces the vectors u1, u2 of the geometry by those that the row selects. */
void mbs_row_vectors(const mbs_row *row, mbs_geometry *geometry);
/* Returns the index of the coordinate of a joint that a row describes. */
int mbs_coordinate_number(const mbs_joint_shape *shape, const mbs_row *row);
/* Returns true if a joint of the model is a gear. */
bool mbs_has_gears(const mbs_model *model);
/* Returns true if a joint's own law depends on time. */
bool mbs_has_rheonomic_joint(const mbs_model *model);
/* Returns the labels of a force element's outputs, "fx|fy|fz". */
const char *mbs_force_labels(const mbs_model *model, const mbs_force *force);

#endif
