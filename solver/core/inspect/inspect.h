/* inspect.h - the input of an inspection, and the functions of this directory that fill it. */
#ifndef MBS_INSPECT_H
#define MBS_INSPECT_H

#include "mbs/inspect.h"
#include "run/run.h"

/* A run that is evaluated only at its initial state. */
typedef struct mbs_inspected_run {
  mbs_arena *arena; /* memory of the whole inspection */
  mbs_run_state state;
  mbs_error error;          /* set if the state reports an error */
  mbs_constants *constants; /* constants to bind */
} mbs_inspected_run;

/* Both return false if memory runs out. */
bool mbs_inspect_structure(mbs_inspection *inspection); /* tree, rows, sparsity patterns */
bool mbs_inspect_order(mbs_inspection *inspection);     /* stages, laws, numbers */

#endif
