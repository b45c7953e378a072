/* extent.h - how large a mechanism is. */
#ifndef MBS_EXTENT_H
#define MBS_EXTENT_H

#include "model/model.h"

/* Fills model->extent, length and time; false: no memory. */
bool mbs_measure_extent(mbs_model *model);

#endif
