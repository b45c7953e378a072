/* inspect.h - what an inspection is filled from, and by which part of this room. */
#ifndef MBS_INSPECT_H
#define MBS_INSPECT_H

#include "mbs/inspect.h"
#include "run/run.h"

/* A run that never goes beyond its start. */
typedef struct mbs_inspected_run {
  mbs_arena *arena; /* of all of the inspection */
  mbs_run_state state;
  mbs_error error;          /* where the state says what went wrong */
  mbs_constants *constants; /* to bind */
} mbs_inspected_run;

/* False: no memory. */
bool mbs_inspect_structure(mbs_inspection *inspection); /* tree, rows, patterns */
bool mbs_inspect_order(mbs_inspection *inspection);     /* stages, laws, numbers */

#endif
