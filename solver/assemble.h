/* assemble.h - the first position of a run: Newton from the start that is given, and from others where that fails. */
#ifndef MBS_ASSEMBLE_H
#define MBS_ASSEMBLE_H

#include "correct.h"

typedef struct mbs_assembly {
  mbs_correction correction;
  const mbs_joint *turned_over; /* the first of the joints whose bodies had to be turned over at the start, or NULL */
  int disturbed; /* the attempt, counted from 1, that began from a disturbed start and succeeded; 0: none was needed */
} mbs_assembly;

/* mbs_correct_positions() from q [nq]. In body coordinates, where axes that should be parallel end opposite, again from
 * a start in which bodies are turned over; and where Newton stays at a position that does not satisfy the constraints,
 * again from disturbed starts, always the same ones for the same model. Coordinates that `hold` names are not
 * disturbed, those that the document gives less than others. Where every attempt fails, q, the status and system->error
 * are those of the first. `work`: mbs_assemble_work() doubles. */
mbs_status mbs_assemble(mbs_system *system, double t, double *q, mbs_assembly *out, double *work);
/* MBS_NOT_ASSEMBLED, with the joint named in system->error, where axes are opposite at the position in hand. */
mbs_status mbs_check_axes(mbs_system *system);
size_t mbs_assemble_work(const mbs_model *model);

#endif
