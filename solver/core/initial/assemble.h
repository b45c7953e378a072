/* assemble.h - the first position of a run: of those that are found the nearest to the guesses of the document. */
#ifndef MBS_ASSEMBLE_H
#define MBS_ASSEMBLE_H

#include "initial/correct.h"

typedef struct mbs_assembly {
  mbs_correction correction;
  const mbs_joint *turned_over; /* the first of the joints whose bodies had to be turned over at the start, or NULL */
  int other_start; /* the one, counted from 1, that led to the nearest solution; 0: the start that is given */
  bool nearer;     /* the start that is given led to a solution, too, which is farther from the guesses */
} mbs_assembly;

/* Finds a position that satisfies the constraints, of several the nearest to the guesses q [nq] (assemble.c says how it
 * is looked for; a nearer one may be missed). In body coordinates, where axes that should be parallel end opposite,
 * also from a start in which bodies are turned over; and from other starts, always the same ones for the same model.
 * Coordinates that `hold` names are kept. Where every attempt fails, q, out->correction, the status and system->error
 * are those of the first; MBS_NO_MEMORY. `workspace`: mbs_assemble_workspace() doubles. */
mbs_status mbs_assemble(mbs_system *system, double t, double *q, mbs_assembly *out, double *workspace);
/* MBS_NOT_ASSEMBLED, with the joint named in system->error, where axes are opposite at the position in hand. */
mbs_status mbs_check_axes(mbs_system *system);
size_t mbs_assemble_workspace(const mbs_model *model);

#endif
