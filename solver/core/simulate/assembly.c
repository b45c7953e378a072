/* Assembly: one row, the corrected start and its forces. */
#include "run/overflow_check.h"
#include "run/record.h"
#include "run/run.h"
#include "run/start.h"
#include "run/sticking.h"
#include "run/touch_checks.h"
#include "simulate/analyses.h"

mbs_status mbs_run_assembly(mbs_run_state *run) {
  mbs_status status = mbs_run_start(run);
  if (status == MBS_OK) status = mbs_run_settle_laws(run, run->model->t_start);
  if (status == MBS_OK) status = mbs_report_sticking(run, false);
  if (status == MBS_OK) status = mbs_run_record(run, 0, run->model->t_start, run->q, run->v);
  return status == MBS_OK ? mbs_run_require_finite(run, 0, run->model->t_start) : status;
}
