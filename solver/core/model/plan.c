/* Values of the points of a plan. */
#include "model/plan.h"

#include <math.h>

/* Returns the value at this share of a range, whose width may overflow. */
double mbs_vary_between(const mbs_vary *vary, double share) {
  const double width = vary->high - vary->low;
  return isfinite(width) ? vary->low + width * share : (1 - share) * vary->low + share * vary->high;
}

double mbs_vary_value(const mbs_vary *vary, size_t k) {
  if (vary->kind == MBS_VARY_NOMINAL) return vary->low;
  if (vary->kind == MBS_VARY_VALUES) return vary->values[k];
  if (k == 0) return vary->low;
  if (k + 1 == vary->count) return vary->high;
  const double share = (double)k / (double)(vary->count - 1);
  if (!vary->logarithmic) return mbs_vary_between(vary, share);
  const double ratio = vary->high / vary->low;
  return isnormal(ratio) ? vary->low * pow(ratio, share) : pow(vary->low, 1 - share) * pow(vary->high, share);
}
