/* evaluate.c - evaluates the start of a run and its individual parts, for callers that measure time. */
#include "base/message.h"
#include "inspect/inspect.h"

#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/law.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "run/start.h"

#include <stdio.h>

static void explain(const mbs_fault *fault, mbs_status status, mbs_error *error) {
  error->status = status;
  if (error->message[0] || fault->status != status) return;
  snprintf(error->element, sizeof error->element, "%s", fault->element);
  mbs_message(error->message, sizeof error->message, "'%s': %s", fault->element, fault->what);
}

mbs_status mbs_inspect_start(mbs_inspection *inspection, mbs_error *error) {
  mbs_inspected_run *run = inspection->run;
  run->error = (mbs_error){.time = run->state.model->t_start};
  mbs_status status = mbs_run_start(&run->state);
  if (status == MBS_OK) return MBS_OK;
  explain(&run->state.system->fault, status, &run->error);
  *error = run->error;
  return status;
}

static mbs_status evaluate_sensors(mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t s = 0; s < model->sensor_count; s++) mbs_law_value(system, &model->sensors[s].law);
  return MBS_OK;
}

static mbs_status bind(mbs_constants *constants) {
  mbs_diagnostics list = {0};
  mbs_status status = mbs_bind(constants, NULL, &list);
  mbs_diagnostics_free(&list);
  return status;
}

static mbs_status evaluate_part(mbs_inspected_run *run, mbs_part part) {
  mbs_system *system = run->state.system;
  double t = run->state.model->t_start;
  switch (part) {
  case MBS_PART_POSITIONS: mbs_set_position(system, t, run->state.q); return system->fault.status;
  case MBS_PART_VELOCITIES: mbs_set_velocity(system, run->state.v); return MBS_OK;
  case MBS_PART_CONSTRAINTS:
    if (run->state.model->rows) mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHS);
    return MBS_OK;
  case MBS_PART_ACCELERATIONS: return mbs_accelerate(system);
  case MBS_PART_EVALUATION: return mbs_evaluate(system, t, run->state.q, run->state.v);
  case MBS_PART_SENSORS: return evaluate_sensors(system);
  case MBS_PART_BINDING: return bind(run->constants);
  case MBS_PART_COUNT: break;
  }
  return MBS_INVALID;
}

mbs_status mbs_inspect_evaluate(mbs_inspection *inspection, mbs_part part, size_t times) {
  mbs_inspected_run *run = inspection->run;
  mbs_status status = MBS_OK;
  run->error = (mbs_error){.time = run->state.model->t_start};
  bool after_all = part == MBS_PART_SENSORS;
  if (part < MBS_PART_EVALUATION || after_all) {
    mbs_part end = after_all ? MBS_PART_EVALUATION : part;
    for (int before = MBS_PART_POSITIONS; before < (int)end && status == MBS_OK; before++)
      status = evaluate_part(run, (mbs_part)before);
  }
  for (size_t k = 0; k < times && status == MBS_OK; k++) status = evaluate_part(run, part);
  return status;
}
