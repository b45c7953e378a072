/* The first position of a run. A mechanism can be assembled in several ways, and the document's guesses say which one
 * is meant: the nearest to them (guesses.h).
 *
 * 1. Newton's steps from the guesses. If full steps converge and all together lead less than a quarter turn away, their
 *    end is the solution.
 * 2. Otherwise they may have passed solutions by, and further starts around the guesses are tried, by damped steps,
 *    while these starts are nearer than the nearest solution so far. Of all solutions the nearest is taken; but another
 *    place of the branch where Newton's steps ended, which differs by a motion of the mechanism, is not.
 * 3. Turns that the way there added are taken away again, where no row counts them.
 *
 * Newton's steps vanish where the gradient C' Phi of norm(Phi)^2 / 2 does, and many a start of round numbers is such a
 * place: all links on one line, a crank along the axis along which its tip is driven. The further starts lead on. */
#include "initial/assemble.h"

#include "base/message.h"
#include "base/suballocate.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "initial/initial_guess.h"
#include "initial/multistart.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shares of a distance: a place is nearer than a solution, also after a step along freedoms, or than a branch with
 * freedoms. */
static const double of_solution = 0.999, of_branch = 0.95;
/* Smallest step along degrees of freedom that is a motion and not rounding, as a share of a short step. */
static const double least_motion = 1e-6;
enum { TURN_OVERS = 5, STEPS_ALONG = 12, HALVINGS = 3 };

size_t mbs_assemble_workspace(const mbs_model *model) {
  return mbs_correct_workspace(model) + 4 * model->nq + 2 * model->nv;
}

/* Returns the first joint whose axes are opposite at the current position, or NULL. */
static const mbs_joint *opposite_joint(const mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t j = 0; j < model->joint_count && model->kernels->opposite; j++)
    if (model->kernels->opposite(system, &model->joints[j])) return &model->joints[j];
  return NULL;
}

mbs_status mbs_check_axes(mbs_system *system) {
  const mbs_joint *joint = opposite_joint(system);
  if (!joint) return MBS_OK;
  mbs_error *error = system->error;
  if (error && !error->message[0]) {
    *error = (mbs_error){.status = MBS_NOT_ASSEMBLED, .time = system->t};
    snprintf(error->element, sizeof error->element, "%s", joint->name);
    mbs_message(
        error->message, sizeof error->message,
        "the vectors of '%s' point in opposite directions, not in the same one, at t = %.9g; reverse one of them, "
        "or give its bodies an initial orientation nearer to the assembled one",
        joint->name, system->t);
  }
  return MBS_NOT_ASSEMBLED;
}

/* Flips bodies of the start, which is the current position, at joints whose axes are opposite. Returns the first of
 * these joints, or NULL. */
static const mbs_joint *align_axes(mbs_system *system, double t, double *start) {
  const mbs_model *model = system->model;
  const mbs_joint *first = NULL;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (!model->kernels->opposite(system, joint)) continue;
    model->kernels->align_axes(system, joint, start);
    mbs_set_position(system, t, start); /* later joints are checked with the bodies that this one carries */
    if (!first) first = joint;
  }
  return first;
}

/* Repeats the correction from `start` with bodies flipped at joints whose axes are opposite there, or at its end. */
static mbs_status again_turned_over(mbs_system *system, double t, double *start, double *q, mbs_assembly *out,
                                    double *workspace) {
  const mbs_model *model = system->model;
  mbs_status status = MBS_NOT_ASSEMBLED;
  for (size_t round = 0; round < TURN_OVERS && status != MBS_OK; round++) {
    const mbs_joint *ended = opposite_joint(system);
    mbs_set_position(system, t, start);
    const mbs_joint *turned = align_axes(system, t, start);
    if (!turned && ended) { /* Newton itself turned it over: it shall not have to turn at all */
      model->kernels->align_axes(system, ended, start);
      turned = ended;
    }
    if (!turned) return status;
    if (!out->aligned_joint) out->aligned_joint = turned;
    memcpy(q, start, model->nq * sizeof *q);
    status = mbs_correct_positions(system, t, q, &out->correction, workspace);
    if (status == MBS_OK) status = mbs_check_axes(system);
  }
  return status;
}

/* Search over solutions, of which the nearest to the guesses is kept. */
typedef struct search {
  mbs_system *system;
  double t;
  mbs_initial_guess guesses;
  double *nearest; /* [nq] */
  double distance; /* distance of `nearest`, or of the nearest position of its branch; infinity: there is none */
  double share;    /* share of `distance` below which a solution counts as nearer */
  mbs_assembly *out;
} search;

/* Removes full revolutions of a solution q [nq] if the rows still hold without them. */
static void take_turns_back(search *self, double *q, mbs_correction *correction, double *workspace) {
  const mbs_model *model = self->system->model;
  mbs_correction settled = *correction;
  if (!mbs_guess_unwrap_angles(&self->guesses, self->system, self->t, q) || correction->inexact) return;
  if (mbs_correct_positions(self->system, self->t, q, &settled, workspace) == MBS_OK) { /* rounding of long angles */
    *correction = settled;
    return;
  }
  memcpy(q, self->guesses.wound, model->nq * sizeof *q);
  mbs_set_position(self->system, self->t, q);
}

/* Keeps a solution q [nq], the current position, if it is nearer than the nearest one so far. `correction` led there
 * from the start of number `other_start`, or from the guesses: 0. */
static void offer(search *self, mbs_correction correction, int other_start, double *q, double *workspace) {
  take_turns_back(self, q, &correction, workspace);
  double distance = mbs_guess_distance(&self->guesses, self->system);
  if (!(distance < self->share * self->distance)) return;
  self->out->correction = correction;
  self->out->other_start = other_start;
  self->distance = distance;
  self->share = of_solution;
  memcpy(self->nearest, q, self->system->model->nq * sizeof *q);
}

/* Takes a step from q [nq] along the degrees of freedom towards the guesses. Returns false if no step leads nearer.
 * theory (9.8) */
static bool step_along(search *self, double *q, double *workspace) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  double *rest = workspace, *dv = mbs_suballocate(&rest, model->nv), *longest = mbs_suballocate(&rest, model->nv),
         *trial = mbs_suballocate(&rest, model->nq), share = 1;
  mbs_set_position(system, self->t, q);
  /* dv = (1 - C+ C) delta_0, at most as long as a short step */
  mbs_guess_direction(&self->guesses, system, self->t, q, dv);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  if (!mbs_allowed_motion(system, dv, rest)) return false;
  mbs_short_steps(system->constants, longest);
  for (size_t k = 0; k < model->nv; k++) {
    share = fmin(share, longest[k] / fmax(fabs(dv[k]), longest[k]));
    if (fabs(dv[k]) > least_motion * longest[k]) self->share = of_branch;
  }
  for (size_t k = 0; k < model->nv; k++) dv[k] *= share;
  for (int halving = 0; halving < HALVINGS; halving++) {
    mbs_correction correction = {0};
    /* q + dv, back onto the constraints */
    mbs_displace(model, q, dv, trial);
    for (size_t k = 0; k < model->nv; k++) dv[k] /= 2;
    if (mbs_correct_damped(system, self->t, trial, longest, &correction, rest) != MBS_OK) continue;
    double distance = mbs_guess_distance(&self->guesses, system);
    if (opposite_joint(system) || !(distance < of_solution * self->distance)) continue;
    self->distance = distance;
    memcpy(q, trial, model->nq * sizeof *q);
    return true;
  }
  return false;
}

/* Measures the branch of Newton's own solution, self->nearest, which need not be the nearest of its branch: other
 * solutions must be nearer than the nearest position of the branch. */
static void measure_branch(search *self, double *q, double *workspace) {
  memcpy(q, self->nearest, self->system->model->nq * sizeof *q);
  for (int k = 0; k < STEPS_ALONG && step_along(self, q, workspace); k++) continue;
}

static void search_around(search *self, double *q, double *workspace) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  double *rest = workspace, *longest = mbs_suballocate(&rest, model->nv);
  mbs_short_steps(system->constants, longest);
  for (int k = 0; k < mbs_multistart_count(); k++) {
    mbs_correction correction = {0};
    if (!mbs_multistart_point(&self->guesses, system, self->t, k, q, rest)) continue;
    mbs_set_position(system, self->t, q);
    if (mbs_guess_is_farther(&self->guesses, system, self->distance)) continue;
    if (mbs_correct_damped(system, self->t, q, longest, &correction, rest) != MBS_OK) continue;
    if (!correction.inexact && !opposite_joint(system)) offer(self, correction, k + 1, q, rest);
  }
}

/* Searches from the guesses `start` and from other starts, after Newton ended at q with the status `first`. */
static mbs_status search_nearest(search *self, mbs_status first, double *start, double *q, double *workspace) {
  mbs_system *system = self->system;
  mbs_assembly *out = self->out;
  mbs_status status = first;
  if (!mbs_guess_open(&self->guesses, system, self->t, start)) return MBS_NO_MEMORY;
  if (first != MBS_OK && system->model->body_formulation && system->model->kernels->align_axes)
    status = again_turned_over(system, self->t, start, q, out, workspace);
  bool found = status == MBS_OK, settled = found && (out->correction.inexact || !out->correction.wandered);
  mbs_set_position(system, self->t, q);
  if (found) offer(self, out->correction, 0, q, workspace);
  if (found && !settled) measure_branch(self, q, workspace);
  if (!settled) search_around(self, q, workspace);
  out->nearer = found && out->other_start;
  if (out->other_start) out->aligned_joint = NULL;
  return isfinite(self->distance) ? MBS_OK : first;
}

mbs_status mbs_assemble(mbs_system *system, double t, double *q, mbs_assembly *out, double *workspace) {
  const mbs_model *model = system->model;
  double *rest = workspace, *start = mbs_suballocate(&rest, model->nq), *trial = mbs_suballocate(&rest, model->nq),
         *nearest = mbs_suballocate(&rest, model->nq);
  memcpy(start, q, model->nq * sizeof *q);
  *out = (mbs_assembly){.other_start = 0};
  mbs_status first = mbs_correct_positions(system, t, q, &out->correction, rest);
  if (first == MBS_OK) first = mbs_check_axes(system);
  if (first == MBS_OK && !out->correction.wandered) return MBS_OK;
  if (first != MBS_OK && first != MBS_NOT_ASSEMBLED && first != MBS_CONTRADICTION) return first;
  search self = {.system = system, .t = t, .nearest = nearest, .distance = INFINITY, .share = of_solution, .out = out};
  const mbs_correction reached = out->correction;
  mbs_fault fault = system->fault;
  mbs_error quiet = {.time = NAN}, *error = system->error;
  system->error = &quiet;
  memcpy(trial, q, model->nq * sizeof *q);
  mbs_status status = search_nearest(&self, first, start, trial, rest);
  system->error = error;
  if (status == MBS_OK) {
    memcpy(q, nearest, model->nq * sizeof *q);
    if (error) *error = (mbs_error){.time = NAN};
  }
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  if (status != MBS_OK) {
    system->fault = fault;
    out->correction = reached;
  }
  return status;
}
