/* mode_shapes.h - the modes of a linearization as displacements of the bodies. */
#ifndef MBS_MODE_SHAPES_H
#define MBS_MODE_SHAPES_H

#include "mbs/result.h"
#include "run/run.h"

/* Adds `mode_shapes` to the result: for each mode of the array `modes` [modes x nv x 2], V = B v at the run's state.
 * Returns false if memory runs out. */
bool mbs_add_mode_shapes(mbs_run_state *run, const mbs_array *modes);

#endif
