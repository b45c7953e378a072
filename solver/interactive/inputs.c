/* Inputs of the document that the host sets between two steps. A force that reads one jumps there, like one that reads
 * a sampled value. Where drivers read inputs, the mechanism is moved onto the constraints of the new ones. */
#include "equations/externals.h"
#include "equations/state.h"
#include "interactive/session.h"
#include "run/run_errors.h"

#include <math.h>
#include <string.h>

/* Returns true if a function of time reads inputs. */
static bool reads_inputs(const mbs_model *model, const mbs_function *function) {
  bool reads = false;
  for (size_t i = 0; function->law && i < function->law->input_count; i++)
    reads |= model->inputs[function->law->inputs[i]].kind == MBS_INPUT_EXTERNAL;
  for (size_t p = 0; p < function->part_count; p++) reads |= reads_inputs(model, &function->parts[p]);
  return reads;
}

bool mbs_session_open_inputs(mbs_session *session) {
  const mbs_model *model = session->model;
  const size_t count = model->external_count;
  session->inputs.before = mbs_arena_alloc(session->arena, count + 1, sizeof *session->inputs.before);
  session->inputs.given = mbs_arena_alloc(session->arena, count + 1, sizeof *session->inputs.given);
  for (size_t f = 0; f < model->function_count && count > 0; f++)
    session->inputs.drive |= reads_inputs(model, &model->functions[f]);
  return session->inputs.before && session->inputs.given;
}

size_t mbs_model_inputs(const mbs_model *model) { return model->external_count; }

const char *mbs_model_input(const mbs_model *model, size_t index, double *start) {
  *start = model->constants->external_starts[index];
  return model->externals[index].name;
}

size_t mbs_model_parameters(const mbs_model *model) { return model->parameter_count; }

const char *mbs_model_parameter(const mbs_model *model, size_t index, double *value, const char **unit) {
  const mbs_parameter *parameter = &model->parameters[index];
  *value = parameter->value;
  *unit = parameter->si_unit ? parameter->si_unit : "";
  return parameter->name;
}

mbs_status mbs_session_set_inputs(mbs_session *session, const double *values) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  for (size_t i = 0; i < model->external_count; i++) {
    if (isfinite(values[i])) continue;
    const bool playing = session->playing;
    mbs_session_begin(session);
    session->playing = playing;
    return mbs_session_end(session,
                           mbs_run_fail(&session->run, MBS_NOT_FINITE, session->now.t, model->externals[i].name,
                                        "the input '%s' must be a finite number", model->externals[i].name));
  }
  const size_t size = model->external_count * sizeof *values;
  session->inputs.set = true;
  if (!session->inputs.changed) memcpy(session->inputs.before, system->externals, size);
  mbs_externals_set(system, values, session->now.t);
  session->inputs.changed = session->inputs.drive || memcmp(session->inputs.before, values, size) != 0;
  session->reading = MBS_READS_NOTHING;
  return MBS_OK;
}

mbs_status mbs_session_take_inputs(mbs_session *session, const double **given) {
  mbs_system *system = session->run.system;
  const size_t count = session->model->external_count;
  *given = NULL;
  if (!session->inputs.changed) return MBS_OK;
  session->inputs.changed = false;
  if (session->inputs.drive) {
    mbs_session_hold(session);
    session->now.rates_open = true;
    if (mbs_session_project(session, true)) return MBS_OK;
    memcpy(session->now.q, session->before.q, session->model->nq * sizeof *session->now.q);
    return mbs_session_correct(session);
  }
  if (!session->playing) return MBS_OK;
  memcpy(session->inputs.given, system->externals, count * sizeof *session->inputs.given);
  memcpy(system->externals, session->inputs.before, count * sizeof *system->externals);
  *given = session->inputs.given;
  return MBS_OK;
}
