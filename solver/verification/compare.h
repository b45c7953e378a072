/* compare.h - the differences between two runs of a mechanism. */
#ifndef MBS_COMPARE_H
#define MBS_COMPARE_H

#include "mbs/verification.h"
#include "model/model.h"

/* Finds the largest differences of the bodies' motions and of the joints' reactions. The texts in `out` last as long as
 * `first`. theory (17.17) */
void mbs_compare(const mbs_model *model, const mbs_result *first, const mbs_result *second, mbs_comparison *out);
/* Returns true if both runs start in the same positions. Sets `distance` to the difference of the starts, in scales of
 * positions. */
bool mbs_start_alike(const mbs_model *model, const mbs_result *first, const mbs_result *second, double *distance);

#endif
