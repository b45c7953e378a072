/* second_run.h - another run of a model, which the first one is compared with. */
#ifndef MBS_SECOND_RUN_H
#define MBS_SECOND_RUN_H

#include "mbs/run.h"
#include "model/model.h"

/* The part of the progress that a run is, as its host sees it. */
typedef struct mbs_progress_part {
  const mbs_hooks *host; /* may be NULL */
  double from, share;
  uint64_t evaluations; /* before it */
  bool cancelled;       /* by the host */
} mbs_progress_part;

/* The hooks of such a run, which is given no rows. `part` must outlive it. */
mbs_hooks mbs_part_hooks(mbs_progress_part *part);
/* `from`, to be run a second time, within what the first run left of the limits of `model`; false where that is
 * nothing. */
bool mbs_second_model(const mbs_model *from, const mbs_model *model, const mbs_report *first, mbs_model *out);
/* A tenth of the tolerances, half the step. */
void mbs_refine(mbs_model *model);
/* Bounds the steps of a model that is run a second time within its limits, so that it looks where the first run made
 * longer ones: as many equal steps as the first run took or a few hundred more would have this length, and no more than
 * half of the bound that the document gives. */
void mbs_bound_steps(mbs_model *model, const mbs_report *first);
/* The least relative tolerance of a run that is refined. Chosen: rounding leaves no more digits. */
static const double mbs_least_tolerance = 1e-13;
/* The relative tolerance `rtol`, and an absolute one that is smaller by as much as that is; but not below what rounding
 * leaves of states of size 1, unless the model's is. */
void mbs_refine_to(mbs_model *model, double rtol);

#endif
