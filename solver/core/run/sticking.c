/* Decides which laws stick at a given state. */
#include "run/sticking.h"

#include "equations/sliding.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "run/touch_modes.h"

mbs_status mbs_run_settle_laws(mbs_run_state *run, double t) {
  mbs_system *system = run->system;
  const mbs_status touched = mbs_touches_settle(run, t, run->q, run->v, NULL);
  if (touched != MBS_OK || system->sliding->most == 0) return touched;
  mbs_sliding_forget(system);
  mbs_switches_settle(system, t, run->q, run->v, NULL, NULL);
  mbs_status status = mbs_sliding_settle(system, t, run->q, run->v, system->z, mbs_run_report_sliding, run);
  return status == MBS_STEP_TOO_SMALL ? mbs_run_fail_nested(run, (size_t)system->sliding->nested, t) : status;
}
