/* check_states.c - chooses the states at which answers are evaluated. A model always has the same states: the random
 * generator has a fixed seed. */
#include "symbolic/answers/answer.h"

#include "initial/correct.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ASSEMBLED = 2, OPEN = 3, ATTEMPTS = 8, STATES_MAX = 2 + ASSEMBLED + OPEN };

typedef struct chooser {
  mbs_check_work *work;
  const mbs_model *model;
  mbs_run_state *run;
  double *q0, *q, *v, *q_scale, *v_scale; /* internal order */
  uint64_t seed;
} chooser;

static double next(chooser *c) {
  c->seed = c->seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(c->seed >> 11) / 9007199254740992.0 * 2 - 1;
}

/* Sets scales of lengths, from the size of the mechanism, and of angles. */
static void set_scales(chooser *c) {
  const mbs_tree_columns *tree = &c->work->equations->work->tree;
  for (size_t k = 0; k < c->model->nq; k++) c->q_scale[k] = 1;
  for (size_t k = 0; k < c->model->nv; k++) c->v_scale[k] = 1;
  for (size_t k = 0; k < tree->column_count; k++) {
    const mbs_tree_column *column = &tree->columns[k];
    if (column->kind != MBS_MOTION_SLIDE && column->kind != MBS_MOTION_PLACE) continue;
    int within = column->first - c->model->first_v[column->body];
    for (int i = 0; i < column->size; i++) {
      c->q_scale[c->model->first_q[column->body] + within + i] = c->model->constants->extent;
      c->v_scale[column->first + i] = c->model->constants->extent;
    }
  }
}

static bool open_chooser(chooser *c, mbs_check_work *work) {
  const mbs_model *model = work->model;
  size_t nq = model->nq + 1, nv = model->nv + 1;
  double *memory = mbs_arena_alloc(work->arena, 3 * nq + 2 * nv, sizeof *memory);
  *c = (chooser){.work = work, .model = model, .run = &work->equations->work->inspection->run->state, .seed = 20240607};
  work->states = mbs_arena_alloc(work->arena, STATES_MAX, sizeof *work->states);
  if (!memory || !work->states) return false;
  c->q0 = memory;
  c->q = c->q0 + nq;
  c->q_scale = c->q + nq;
  c->v = c->q_scale + nq;
  c->v_scale = c->v + nv;
  set_scales(c);
  return true;
}

/* Stores the state at which the equations were evaluated. */
static bool keep(chooser *c, bool assembled, bool given) {
  mbs_check_work *work = c->work;
  const mbs_equations *equations = work->equations;
  size_t nq = c->model->nq, nv = c->model->nv;
  double *q = mbs_arena_alloc(work->arena, nq + nv + 1, sizeof *q);
  if (!q) return false;
  memcpy(q, equations->q, nq * sizeof *q);
  memcpy(q + nq, equations->v, nv * sizeof *q);
  work->states[work->state_count++] = (mbs_check_state){
      .t = equations->t, .residual = equations->residual, .q = q, .v = q + nq, .assembled = assembled, .given = given};
  return true;
}

static void scatter(chooser *c, double by) {
  for (size_t k = 0; k < c->model->nq; k++) c->q[k] = c->q0[k] + by * c->q_scale[k] * next(c);
  for (size_t k = 0; k < c->model->nv; k++) c->v[k] = c->v_scale[k] * next(c);
  c->model->kernels->normalize(c->model, c->q);
}

static double time_of(const chooser *c, int number) {
  double span = c->model->t_end > c->model->t_start ? c->model->t_end - c->model->t_start : 1;
  return c->model->t_start + 0.137 * number * span;
}

/* Chooses a state near the start that satisfies the constraints; at another time if drivers move. */
static bool choose_assembled(chooser *c, int number, double by) {
  mbs_correction found;
  double t = time_of(c, number);
  scatter(c, by);
  if (mbs_correct_positions(c->run->system, t, c->q, &found, c->run->workspace) != MBS_OK) return false;
  if (mbs_correct_velocities(c->run->system, t, c->q, c->v, &found, c->run->workspace) != MBS_OK) return false;
  return mbs_equations_evaluate(c->work->equations, t, c->q, c->v) == MBS_OK;
}

static bool finite_state(const chooser *c) {
  for (size_t m = 0; m < c->work->equations->matrix_count; m++)
    if (!isfinite(mbs_check_largest(&c->work->equations->matrices[m]))) return false;
  return true;
}

static bool choose_open(chooser *c, int number) {
  scatter(c, 0.3);
  return mbs_equations_evaluate(c->work->equations, time_of(c, number), c->q, c->v) == MBS_OK;
}

static bool choose_start(chooser *c) {
  mbs_error error;
  bool assembled = mbs_equations_start(c->work->equations, &error) == MBS_OK && c->model->correct;
  memcpy(c->q0, assembled ? c->run->q : c->model->constants->q0, c->model->nq * sizeof *c->q0);
  assembled = assembled || c->work->equations->residual < 1e-9 * c->model->constants->extent;
  return !finite_state(c) || keep(c, assembled, false);
}

static mbs_status choose_given(chooser *c, const mbs_check_options *options, mbs_error *error) {
  const mbs_check_state *start = c->work->state_count ? &c->work->states[0] : NULL;
  const double *q = options->q || !start ? options->q : start->q, *v = options->v || !start ? options->v : start->v;
  mbs_status status = mbs_equations_at(c->work->equations, options->t, q, v, error);
  if (status != MBS_OK) return status;
  bool assembled = c->work->equations->residual < 1e-8 * fmin(1, c->model->constants->extent);
  return keep(c, assembled, true) ? MBS_OK : MBS_NO_MEMORY;
}

mbs_status mbs_check_choose_states(mbs_check_work *work, const mbs_check_options *options, mbs_error *error) {
  chooser c;
  work->state_count = 0;
  if (!open_chooser(&c, work) || !choose_start(&c)) return MBS_NO_MEMORY;
  mbs_status status = options->given ? choose_given(&c, options, error) : MBS_OK;
  if (status != MBS_OK) return status;
  for (int attempt = 1, kept = 0; attempt <= ATTEMPTS && kept < ASSEMBLED; attempt++) {
    if (!choose_assembled(&c, attempt > ATTEMPTS / 2 ? 0 : attempt, attempt > ATTEMPTS / 2 ? 0.02 : 0.1)) continue;
    if (!finite_state(&c)) continue;
    if (!keep(&c, true, false)) return MBS_NO_MEMORY;
    kept++;
  }
  for (int attempt = 1, kept = 0; attempt <= ATTEMPTS && kept < OPEN; attempt++) {
    if (!choose_open(&c, attempt > ATTEMPTS / 2 ? 0 : attempt) || !finite_state(&c)) continue;
    if (!keep(&c, work->model->bilateral_rows == 0, false)) return MBS_NO_MEMORY;
    kept++;
  }
  work->check->states = work->states;
  work->check->state_count = work->state_count;
  return MBS_OK;
}
