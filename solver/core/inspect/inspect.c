/* inspect.c - opens an inspection: a run that stays at its initial state, and its description. */
#include "inspect/inspect.h"

#include "initial/assemble.h"
#include "run/report.h"

#include <math.h>

/* Creates a system, a set of constants to bind, and their sizes. */
static bool open_numbers(mbs_inspection *inspection) {
  mbs_inspected_run *run = inspection->run;
  const mbs_model *model = run->state.model;
  size_t before = mbs_arena_used(run->arena);
  run->constants = mbs_constants_new(model, run->arena);
  size_t between = mbs_arena_used(run->arena);
  run->state.system = mbs_system_new(model, run->arena);
  inspection->model_bytes = mbs_arena_used(model->arena);
  inspection->constants_bytes = between - before;
  inspection->system_bytes = mbs_arena_used(run->arena) - between;
  return run->constants && run->state.system;
}

static bool open_run(mbs_inspection *inspection) {
  mbs_inspected_run *run = inspection->run;
  mbs_run_state *state = &run->state;
  const mbs_model *model = state->model;
  state->result = mbs_arena_alloc(run->arena, 1, sizeof *state->result);
  state->workspace = mbs_arena_alloc(run->arena, mbs_assemble_workspace(model), sizeof *state->workspace);
  state->q = mbs_arena_alloc(run->arena, model->nq + 1, sizeof *state->q);
  state->v = mbs_arena_alloc(run->arena, model->nv + 1, sizeof *state->v);
  if (!state->result || !state->workspace || !state->q || !state->v || !open_numbers(inspection)) return false;
  state->result->arena = run->arena;
  state->system->error = state->error = &run->error;
  if (model->type == MBS_DYNAMICS && model->constraints == MBS_BAUMGARTE) {
    state->system->alpha = model->alpha;
    state->system->beta = model->beta;
  }
  for (size_t k = 0; k < model->nq; k++) state->q[k] = model->constants->q0[k];
  for (size_t k = 0; k < model->nv; k++) state->v[k] = model->constants->v0[k];
  return mbs_report_open(model, state->result);
}

mbs_inspection *mbs_inspect(const mbs_model *model) {
  mbs_arena *arena = mbs_arena_new(model->limits.memory);
  if (!arena) return NULL;
  mbs_inspection *inspection = mbs_arena_alloc(arena, 1, sizeof *inspection);
  mbs_inspected_run *run = mbs_arena_alloc(arena, 1, sizeof *run);
  if (inspection && run) {
    run->arena = arena;
    run->state = (mbs_run_state){.model = model, .t_reached = model->t_start, .t_failed = NAN};
    inspection->run = run;
    bool complete = open_run(inspection);
    if (complete) inspection->report = &run->state.result->report;
    if (complete && mbs_inspect_structure(inspection) && mbs_inspect_order(inspection)) return inspection;
  }
  mbs_arena_free(arena);
  return NULL;
}

void mbs_inspection_free(mbs_inspection *inspection) {
  if (inspection) mbs_arena_free(inspection->run->arena);
}
