/* equations.c - opens and closes the equations of a model. */
#include "base/message.h"
#include "symbolic/derivation.h"

#include "kernels/kernels.h"

#include <stdio.h>
#include <string.h>

/* Limit of memory [bytes]: several times the need of the largest shipped model. */
static const size_t memory_limit = (size_t)1 << 30;

static double *numbers(mbs_equations_work *work, size_t count) {
  double *memory = mbs_arena_alloc(work->arena, count + 1, sizeof *memory);
  if (!memory) work->algebra.failed = true;
  return memory;
}

static bool open_arrays(mbs_equations *equations) {
  mbs_equations_work *work = equations->work;
  const mbs_model *model = work->model;
  size_t bodies = (size_t)model->kernels->width * model->nB;
  work->motions = mbs_arena_alloc(work->arena, model->nB + 1, sizeof *work->motions);
  work->user_q = numbers(work, model->nq);
  work->user_v = numbers(work, model->nv);
  work->unit = numbers(work, model->nv);
  work->moving = mbs_arena_alloc(work->arena, model->nv + 1, sizeof *work->moving);
  work->B = numbers(work, bodies * model->nv);
  work->beta = numbers(work, bodies);
  work->C = numbers(work, model->rows * model->nv);
  work->D = numbers(work, model->rows * bodies);
  if (mbs_derives(work, "M")) work->M = numbers(work, model->nv * model->nv);
  if (mbs_has_euler_jacobian(model) && mbs_derives(work, "Jac_p"))
    work->Jac_p = numbers(work, (model->rows + model->nB) * 7 * model->nB);
  equations->q = work->user_q;
  equations->v = work->user_v;
  return work->motions && work->moving && !work->algebra.failed;
}

static bool open_work(mbs_equations *equations, const mbs_model *model) {
  mbs_equations_work *work = equations->work;
  work->model = model;
  work->algebra = (mbs_algebra){.arena = work->arena, .dim = model->kernels->dim};
  work->inspection = mbs_inspect(model);
  return work->inspection && mbs_tree_columns_open(&work->tree, model->constants, false, work->arena) &&
         mbs_tree_columns_open(&work->bodies, model->constants, true, work->arena) &&
         mbs_symbols_open(&work->symbols, &work->algebra, &work->tree) &&
         mbs_symbols_open(&work->body_symbols, &work->algebra, &work->bodies) && open_arrays(equations);
}

bool mbs_derives(const mbs_equations_work *work, const char *name) {
  const char *at = work->only;
  const size_t length = strlen(name);
  while (at && *at) {
    size_t end = strcspn(at, ",");
    if (end == length && strncmp(at, name, length) == 0) return true;
    at += end + (at[end] == ',');
  }
  return !work->only;
}

mbs_equations *mbs_equations_new(const mbs_model *model) { return mbs_equations_new_of(model, NULL); }

mbs_equations *mbs_equations_new_of(const mbs_model *model, const char *only) {
  mbs_arena *arena = mbs_arena_new(memory_limit);
  mbs_equations *equations = arena ? mbs_arena_alloc(arena, 1, sizeof *equations) : NULL;
  mbs_equations_work *work = arena ? mbs_arena_alloc(arena, 1, sizeof *work) : NULL;
  if (!equations || !work) {
    mbs_arena_free(arena);
    return NULL;
  }
  work->arena = arena;
  work->only = only ? mbs_arena_text(arena, only) : NULL;
  equations->work = work;
  if (only && !work->only) {
    mbs_equations_free(equations);
    return NULL;
  }
  if (open_work(equations, model) && mbs_derive(equations) && mbs_find_similar_rows(equations) &&
      mbs_describe(equations))
    return equations;
  mbs_equations_free(equations);
  return NULL;
}

void mbs_equations_free(mbs_equations *equations) {
  if (!equations) return;
  mbs_equations_work *work = equations->work;
  mbs_symbols_close(&work->symbols);
  mbs_symbols_close(&work->body_symbols);
  mbs_inspection_free(work->inspection);
  mbs_arena_free(work->arena);
}

mbs_status mbs_equations_start(mbs_equations *equations, mbs_error *error) {
  mbs_equations_work *work = equations->work;
  const mbs_run_state *state = &work->inspection->run->state;
  mbs_status status = mbs_inspect_start(work->inspection, error);
  const mbs_constants *constants = work->model->constants;
  bool started = status == MBS_OK;
  mbs_status evaluated = mbs_equations_evaluate(equations, work->model->t_start, started ? state->q : constants->q0,
                                                started ? state->v : constants->v0);
  return started ? evaluated : status;
}

mbs_status mbs_equations_at(mbs_equations *equations, double t, const double *q, const double *v, mbs_error *error) {
  mbs_equations_work *work = equations->work;
  const mbs_model *model = work->model;
  mbs_run_state *state = &work->inspection->run->state;
  for (size_t k = 0; k < model->nq && q; k++) state->q[model->user_q[k]] = q[k];
  for (size_t k = 0; k < model->nv && v; k++) state->v[model->user_v[k]] = v[k];
  model->kernels->normalize(model, state->q);
  mbs_status status = mbs_equations_evaluate(equations, t, state->q, state->v);
  const mbs_fault *fault = &state->system->fault;
  if (status == MBS_OK) return MBS_OK;
  *error = (mbs_error){.status = status, .time = t};
  snprintf(error->element, sizeof error->element, "%s", fault->element ? fault->element : "");
  mbs_message(error->message, sizeof error->message, "'%s': %s", error->element, fault->what ? fault->what : "");
  return status;
}

const char *mbs_equations_written(mbs_equations *equations, const mbs_term *term, mbs_notation notation) {
  mbs_algebra *algebra = &equations->work->algebra;
  switch (notation) {
  case MBS_NOTATION_TEXT: return mbs_term_text(algebra, term);
  case MBS_NOTATION_LATEX: return mbs_term_latex(algebra, term);
  case MBS_NOTATION_MATHML: break;
  }
  return mbs_term_mathml(algebra, term);
}
