/* at_once.h - runs beside a point that are about to be asked for, made at once (together.h). Each is what it is by
 * itself. */
#ifndef MBS_AT_ONCE_H
#define MBS_AT_ONCE_H

#include "mbs/run.h"

typedef struct mbs_at_once mbs_at_once;

/* As many as there are lanes, at most. */
enum { MBS_AT_ONCE_MOST = 8 };

/* Of a model with a study that goes together, and lasts as long; what lasts is of the arena. NULL: no memory. */
mbs_at_once *mbs_at_once_new(const mbs_model *model, mbs_arena *arena);
void mbs_at_once_free(mbs_at_once *runs);

/* Those for values [count x vary_count] may be asked for, until the next call. */
void mbs_at_once_expect(mbs_at_once *runs, const double *values, size_t count, const mbs_hooks *hooks);
/* The one for values [vary_count], if it was made and succeeded: its outputs [output_count], its cost, and how far
 * redundant rows were off (point.h). */
bool mbs_at_once_run(const mbs_at_once *runs, const double *values, double *outputs, uint64_t *evaluations,
                     double *strayed);

#endif
