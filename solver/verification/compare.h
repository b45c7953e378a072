/* compare.h - how far two runs of a mechanism are apart. */
#ifndef MBS_COMPARE_H
#define MBS_COMPARE_H

#include "mbs/verification.h"
#include "model/model.h"

/* The largest differences of the bodies' motions and of the joints' reactions, into `out`, whose texts live as long as
 * `first`. theory (17.17) */
void mbs_compare(const mbs_model *model, const mbs_result *first, const mbs_result *second, mbs_comparison *out);
/* Whether they start in the same positions; else `distance` is how far apart, in what positions are measured by. */
bool mbs_start_alike(const mbs_model *model, const mbs_result *first, const mbs_result *second, double *distance);

#endif
