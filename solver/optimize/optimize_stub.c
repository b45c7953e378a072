/* optimize_stub.c - replaces optimization in a program built without its libraries, such as the web page's module: it
 * fails with that reason. */
#include "mbs/optimize.h"

#include <math.h>

const char *mbs_stop_word(mbs_stop stop) {
  (void)stop;
  return "";
}

mbs_status mbs_optimize(const mbs_model *model, const mbs_hooks *hooks, mbs_optimum **out, mbs_error *error) {
  (void)model;
  (void)hooks;
  *out = NULL;
  *error = (mbs_error){.status = MBS_METHOD_NOT_BUILT,
                       .time = NAN,
                       .message = "optimization is not available in this build; use the service"};
  return MBS_METHOD_NOT_BUILT;
}

void mbs_optimum_free(mbs_optimum *optimum) { (void)optimum; }
