/* Runs that are compared are integrated more exactly than the study's, and by a method of high order: what they are
 * apart by is to be the parameter's doing. */
#include "derivatives/stencil_runs.h"

#include "base/message.h"
#include "base/methods.h"
#include "derivatives/stencils.h"
#include "study/abreast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of the runs, and of those of stiff methods. */
static const double tolerance = 1e-13, stiff_tolerance = 1e-10;
/* Runs beside the point may cost so many times what the one at the point costs. */
static const double costlier = 200;
/* Where redundant constraints hold at the point, to this share of the mechanism, and by more than so much of what they
 * are from it not beside it, the parameter contradicts them: narrower stencils only hide it. */
static const double strayed_share = 1e-9, strayed_growth = 0.25;

/* A study that uses a method for stiff equations has those of dop853 all the same where they cost no more than so many
 * times its own. */
static const double explicit_cost = 50;

static bool is_stiff(const mbs_model *model) { return model->method && mbs_method_is_stiff(model->method); }

/* The exact solution does not depend on how it is integrated. */
static void refine(const mbs_model *from, bool stiff, mbs_model *model) {
  model->rtol = from->rtol;
  model->atol = from->atol;
  mbs_refine_to(model, stiff ? stiff_tolerance : tolerance);
  model->method = stiff ? from->method : "dop853";
  model->fixed_step = 0;
  if (model->constraints == MBS_BAUMGARTE || model->constraints == MBS_NONE) model->constraints = MBS_PROJECTION;
  model->alpha = model->beta = 0;
  model->limits.evaluations = 0;
}

bool mbs_stencil_runs_open(mbs_stencil_runs *runs, const mbs_model *model, mbs_arena *arena) {
  *runs = (mbs_stencil_runs){.study = model, .model = *model, .parameters = model->plan->vary_count};
  refine(model, is_stiff(model), &runs->model);
  runs->point = mbs_arena_alloc(arena, runs->parameters, sizeof *runs->point);
  runs->values = mbs_arena_alloc(arena, runs->parameters, sizeof *runs->values);
  runs->events = mbs_arena_new(model->limits.memory);
  runs->runs = mbs_point_runs_new(&runs->model, arena);
  runs->modes = mbs_followed_modes_new(model->limits.memory, arena);
  if (!(runs->point && runs->values && runs->events && runs->runs && runs->modes)) return false;
  if (!mbs_runs_go_together(&runs->model)) return true;
  runs->at_once = mbs_at_once_new(&runs->model, arena);
  return runs->at_once != NULL;
}

void mbs_stencil_runs_close(mbs_stencil_runs *runs) {
  mbs_point_runs_free(runs->runs);
  mbs_at_once_free(runs->at_once);
  mbs_followed_modes_free(runs->modes);
  mbs_arena_free(runs->events);
}

void mbs_stencil_runs_begin(mbs_stencil_runs *runs, const double *values, size_t meant, uint64_t evaluations,
                            const mbs_hooks *hooks) {
  runs->evaluations = evaluations;
  runs->model.limits.evaluations = 0;
  runs->made = 0;
  mbs_stencil_runs_expect(runs, NULL, 0); /* those of before had other tolerances, perhaps */
  runs->meant = meant;
  runs->part = (mbs_progress_part){.host = hooks};
  runs->hooks = mbs_part_hooks(&runs->part);
  memcpy(runs->point, values, runs->parameters * sizeof *values);
  memcpy(runs->values, values, runs->parameters * sizeof *values);
}

bool mbs_stencil_run_ends_all(mbs_status status) {
  return status == MBS_CANCELLED || status == MBS_TIMED_OUT || status == MBS_NO_MEMORY;
}

bool mbs_stencil_runs_move(const mbs_stencil_runs *runs) {
  return runs->model.type == MBS_DYNAMICS && !runs->model.plan->starts;
}

/* Whether constraints that are redundant at the point contradict one another in a run. */
static bool contradicts(const mbs_stencil_runs *self, double strayed) {
  return strayed > self->strayed + fmax(strayed_share, strayed_growth * self->strayed);
}

/* What the hooks are told of the runs from here on, so many of all that are meant. */
static void set_progress(mbs_stencil_runs *runs, size_t count) {
  if (runs->made + count > runs->meant) runs->meant = runs->made + count;
  const double share = (1 - MBS_STENCILS_AFTER) / (double)runs->meant;
  runs->part.share = share * (double)count;
  runs->part.from = MBS_STENCILS_AFTER + share * (double)runs->made;
  runs->part.evaluations = runs->evaluations;
}

void mbs_stencil_runs_expect(mbs_stencil_runs *runs, const double *values, size_t count) {
  if (!runs->at_once) return;
  set_progress(runs, count);
  mbs_at_once_expect(runs->at_once, values, count, &runs->hooks);
}

mbs_status mbs_stencil_run(mbs_stencil_runs *runs, double *outputs) {
  mbs_error error;
  mbs_status status = MBS_OK;
  uint64_t evaluations;
  double strayed;
  set_progress(runs, 1);
  runs->made++;
  if (!runs->at_once || !mbs_at_once_run(runs->at_once, runs->values, outputs, &evaluations, &strayed)) {
    status = mbs_point_run(runs->runs, runs->values, &runs->hooks, outputs, &error);
    evaluations = mbs_point_evaluations(runs->runs);
    strayed = mbs_point_strayed(runs->runs);
  }
  runs->evaluations += evaluations;
  if (status == MBS_OK && contradicts(runs, strayed)) {
    status = error.status = MBS_CONTRADICTION;
    mbs_message(
        error.message, sizeof error.message,
        "redundant constraints agree at this value, but contradict one another at neighbouring values (residual %.3g)",
        strayed);
  }
  if (status != MBS_OK) runs->failure = error;
  return status;
}

/* The run at the point by dop853 where that serves, else by a method for stiff equations. */
static mbs_status run_stiff(mbs_stencil_runs *runs, double *outputs) {
  const uint64_t before = runs->evaluations;
  refine(runs->study, false, &runs->model);
  runs->model.limits.evaluations = (uint64_t)(explicit_cost * (double)(before + 1000));
  const mbs_status status = mbs_stencil_run(runs, outputs);
  if (status == MBS_OK || mbs_stencil_run_ends_all(status)) return status;
  refine(runs->study, true, &runs->model);
  return mbs_stencil_run(runs, outputs);
}

mbs_status mbs_stencil_run_point(mbs_stencil_runs *runs, double *outputs) {
  runs->strayed = INFINITY;
  mbs_followed_modes_begin(runs->modes);
  mbs_point_follow_modes(runs->runs, runs->modes);
  const bool stiff = is_stiff(runs->study) && mbs_stencil_runs_move(runs);
  mbs_status status = stiff ? run_stiff(runs, outputs) : mbs_stencil_run(runs, outputs);
  runs->strayed = mbs_point_strayed(runs->runs);
  runs->usual = mbs_point_evaluations(runs->runs);
  runs->model.limits.evaluations = (uint64_t)(costlier * (double)(runs->usual + 1000));
  return status;
}
