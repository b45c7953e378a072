/* Evaluates an output at a state of the motion. */
#include "study/reduction_state.h"

#include "base/message.h"
#include "equations/law.h"
#include "run/run_errors.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

mbs_status mbs_reduction_state_not_finite(const mbs_reduction_state *output, const mbs_system *system, double t) {
  mbs_error *error = output->error;
  const mbs_law *const laws[] = {output->of, output->output->has_when ? &output->output->when : NULL};
  for (int k = 0; k < 2; k++)
    if (laws[k] && mbs_law_fails_outside(system, laws[k], output->output->name, error)) return MBS_OUTSIDE_TABLE;
  *error = (mbs_error){.status = MBS_NOT_FINITE, .time = t};
  mbs_message(error->message, sizeof error->message, "the output '%s' has no finite value at t = %.9g",
              output->output->name, t);
  return MBS_NOT_FINITE;
}

mbs_status mbs_reduction_state_read(mbs_reduction_state *output, const mbs_system *system, double t) {
  assert(output->of != NULL);
  output->value = mbs_law_value(system, output->of);
  output->known = true;
  return isfinite(output->value) ? MBS_OK : mbs_reduction_state_not_finite(output, system, t);
}

mbs_status mbs_reduction_state_read_at(mbs_reduction_state *output, const mbs_piece *piece, double t) {
  mbs_status status = piece->set_state(piece->context, fmin(fmax(t, piece->t), piece->t1));
  mbs_reduction_gradient_set_time(&output->slopes, t);
  return status == MBS_OK ? mbs_reduction_state_read(output, piece->system, t) : status;
}
