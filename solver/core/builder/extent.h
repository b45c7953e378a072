/* extent.h - the size of a mechanism. */
#ifndef MBS_EXTENT_H
#define MBS_EXTENT_H

#include "model/constants.h"

/* Computes extent, length and time, and the sizes of the bodies. */
void mbs_measure_extent(mbs_constants *constants);

#endif
