/* Points of a study. Point `index` is a function of the plan and the index alone. Drawn values use the inverse of their
 * distribution. theory (19.1) */
#include "study/design.h"

#include "study/quantile.h"
#include "study/random.h"
#include "study/sobol.h"

#include <math.h>

/* Purposes of random bits. */
enum { STREAM_VALUE = 0, STREAM_CELL = 1, STREAM_SHIFT = 2 };

/* Returns a number between 0 and 1, the value of the distribution function of parameter `place`. theory (19.2),
 * (19.3) */
static double drawn_share(const struct mbs_plan *plan, uint32_t place, size_t index) {
  if (plan->design == MBS_DESIGN_RANDOM)
    return mbs_random_uniform(mbs_random_bits(plan->seed, index, place, STREAM_VALUE));
  if (plan->design == MBS_DESIGN_SOBOL) {
    /* bits of the point, some inverted depending on the seed */
    const uint64_t shift = mbs_random_bits(plan->seed, 0, place, STREAM_SHIFT);
    return mbs_random_uniform((mbs_sobol_bits(place, index) << (64 - MBS_SOBOL_BITS)) ^ shift);
  }
  /* a position within one of as many cells as there are runs */
  const uint64_t cell = mbs_random_permutation(plan->seed, place, plan->runs, index);
  const double within = mbs_random_uniform(mbs_random_bits(plan->seed, index, place, STREAM_CELL));
  const double share = ((double)cell + within) / (double)plan->runs;
  return fmin(share, 1 - 0x1p-53);
}

static double drawn_value(const mbs_vary *vary, double share) {
  if (vary->kind == MBS_VARY_NORMAL) return vary->mean + vary->deviation * mbs_normal_quantile(share);
  return mbs_vary_between(vary, share);
}

void mbs_design_point(const struct mbs_plan *plan, size_t index, double *values) {
  uint32_t drawn = 0;
  size_t rest = index;
  for (size_t i = plan->vary_count; i-- > 0;) {
    const mbs_vary *vary = &plan->vary[i];
    /* the last parameter varies fastest */
    values[i] = mbs_vary_value(vary, plan->design == MBS_DESIGN_LIST ? index : rest % vary->count);
    rest /= vary->count;
  }
  for (size_t i = 0; i < plan->vary_count && plan->design > MBS_DESIGN_LIST; i++) {
    const mbs_vary *vary = &plan->vary[i];
    if (vary->kind != MBS_VARY_NOMINAL) values[i] = drawn_value(vary, drawn_share(plan, drawn++, index));
  }
}
