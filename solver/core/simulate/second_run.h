/* second_run.h - a second run of a model, for comparison with the first. */
#ifndef MBS_SECOND_RUN_H
#define MBS_SECOND_RUN_H

#include "mbs/run.h"
#include "model/model.h"

/* The share of a run in the progress that its host sees. */
typedef struct mbs_progress_part {
  const mbs_hooks *host; /* may be NULL */
  double from, share;
  uint64_t evaluations; /* evaluations before the run */
  bool cancelled;       /* the host cancelled the run */
} mbs_progress_part;

/* Returns the hooks of such a run, without that for rows. `part` must outlive it. */
mbs_hooks mbs_part_hooks(mbs_progress_part *part);
/* Copies `from` for a second run, within the limits of `model` that the first run left. Returns false if it left
 * nothing. */
bool mbs_second_model(const mbs_model *from, const mbs_model *model, const mbs_report *first, mbs_model *out);
/* Reduces the tolerances to a tenth, the step to a half. */
void mbs_refine(mbs_model *model);
/* Limits the steps of a second run within its limits, so that it also samples where the first run made long steps. The
 * limit is the span divided by the number of steps of the first run, or by a few hundred if that is more; it is at most
 * half of the document's limit. */
void mbs_bound_steps(mbs_model *model, const mbs_report *first);
/* The least relative tolerance of a refined run. Chosen: rounding leaves no further digits. */
static const double mbs_least_tolerance = 1e-13;
/* Sets the relative tolerance to `rtol` and reduces the absolute tolerance by the same factor; but not below the
 * rounding error of states of size 1, unless the model's is. */
void mbs_refine_to(mbs_model *model, double rtol);

#endif
