/* assemble.h - the first position of a run: the solution nearest to the guesses of the document. */
#ifndef MBS_ASSEMBLE_H
#define MBS_ASSEMBLE_H

#include "initial/correct.h"

typedef struct mbs_assembly {
  mbs_correction correction;
  const mbs_joint *aligned_joint; /* first joint whose bodies were flipped for the start, or NULL */
  int other_start; /* index, from 1, of the additional start that led to the nearest solution; 0: the given start */
  bool nearer;     /* the given start led to a solution, too, which is farther from the guesses */
} mbs_assembly;

/* Finds a position that satisfies the constraints, nearest to the guesses q [nq] among those found (assemble.c
 * describes the search, which may miss a nearer one). It also tries additional starts, the same ones in every run of a
 * model. In body coordinates, if axes that should be parallel become opposite, it tries a start in which bodies are
 * turned over. Coordinates in `hold` do not change. If every attempt fails, q, out->correction, the status and
 * system->error are those of the first; or MBS_NO_MEMORY. `workspace`: mbs_assemble_workspace() doubles. */
mbs_status mbs_assemble(mbs_system *system, double t, double *q, mbs_assembly *out, double *workspace);
/* Returns MBS_NOT_ASSEMBLED, with the joint named in system->error, if axes are opposite at the current position. */
mbs_status mbs_check_axes(mbs_system *system);
size_t mbs_assemble_workspace(const mbs_model *model);

#endif
