/* The first position of a run. Newton's steps vanish where the gradient C' Phi of norm(Phi)^2 / 2 does, and many a
 * start of round numbers is such a place: all links on one line, a crank along the axis along which its tip is driven.
 * A start a little beside it leads on. */
#include "assemble.h"

#include "space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Attempts from disturbed starts: largest turn [rad], and slide as a share of the model's extent; coordinates that the
 * document gives are disturbed by a share of that. Small ones first: they stay near what was meant. The smallest is for
 * what is all but stretched. */
static const struct {
  double turn, slide, share_of_given;
} attempts[] = {{0.03, 0.01, 0}, {0.1, 0.03, 0},  {0.1, 0.03, 0.1}, {1e-3, 3e-4, 0}, {0.4, 0.1, 0}, {0.4, 0.1, 0.1},
                {1.2, 0.3, 0},   {1.2, 0.3, 0.1}, {2.5, 1, 0},      {2.5, 1, 0.1},   {2.5, 1, 0.5}};
/* Near where the gradient vanishes Newton's steps are many turns long. */
static const double longest_turn = 0.5, longest_slide = 0.5;
enum { ATTEMPTS = sizeof attempts / sizeof *attempts, TURN_OVERS = 5 };

size_t mbs_assemble_work(const mbs_model *model) { return mbs_correct_work(model) + 2 * model->nq + 2 * model->nv; }

/* Whether the document says where the turns (or slides) of a body, or of the joint that carries it, begin. */
static bool is_given(const mbs_model *model, int body, bool turn) {
  int carrier = model->tree_joint[body];
  if (carrier >= 0 && model->joints[carrier].initial_position_count) return true;
  const mbs_body *declared = &model->bodies[body];
  if (turn ? declared->given.angle : declared->given.position) return true;
  for (size_t j = 0; j < model->joint_count && model->body_formulation; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (joint->initial_position_count && (joint->sides.body1 == body || joint->sides.body2 == body)) return true;
  }
  return false;
}

/* Body coordinates know what `hold` keeps by where the bodies of the joint are. */
static bool is_held(const mbs_model *model, int body) {
  for (size_t j = 0; j < model->joint_count && model->body_formulation; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (model->held_joint[j] && (joint->sides.body1 == body || joint->sides.body2 == body)) return true;
  }
  return false;
}

/* The displacement [nv] of an attempt, and the longest steps [nv] from there. False where it moves nothing, or no more
 * than the attempt before it. */
static bool disturbance(const mbs_model *model, int attempt, double extent, double *dv, double *longest) {
  bool any = false;
  for (int body = 1; body <= (int)model->nB; body++) {
    int first = model->first_v[body], slides = mbs_slide_count(model, body);
    bool held = is_held(model, body);
    for (int k = first; k < model->first_v[body + 1]; k++) {
      bool turn = k >= first + slides, given = is_given(model, body, turn);
      /* Numbers in [-1, 1] spread evenly and without a pattern that a mechanism could share. */
      double number = fmod(0.6180339887498949 * (k + 1) + 0.7548776662466927 * (attempt + 1), 1) * 2 - 1;
      double size = turn ? attempts[attempt].turn : attempts[attempt].slide * extent;
      longest[k] = turn ? longest_turn : longest_slide * extent;
      if (given) size *= attempts[attempt].share_of_given;
      dv[k] = held || model->hold_v[k] ? 0 : size * number;
      any |= dv[k] != 0 && (given || attempts[attempt].share_of_given == 0);
    }
  }
  return any;
}

/* The first joint whose axes are opposite at the position in hand, or NULL. */
static const mbs_joint *opposite_joint(const mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t j = 0; j < model->joint_count && model->space->opposite; j++)
    if (model->space->opposite(system, &model->joints[j])) return &model->joints[j];
  return NULL;
}

mbs_status mbs_check_axes(mbs_system *system) {
  const mbs_joint *joint = opposite_joint(system);
  if (!joint) return MBS_OK;
  mbs_error *error = system->error;
  if (error && !error->message[0]) {
    *error = (mbs_error){.status = MBS_NOT_ASSEMBLED, .time = system->t};
    snprintf(error->element, sizeof error->element, "%s", joint->name);
    snprintf(
        error->message, sizeof error->message,
        "the vectors of '%s' end pointing opposite ways, not the same way, at t = %.9g; turn one of them round, or "
        "give its bodies an initial orientation nearer to the assembled one",
        joint->name, system->t);
  }
  return MBS_NOT_ASSEMBLED;
}

/* The start, which is the position in hand, with bodies turned over at joints whose axes are opposite. Returns the
 * first of these. */
static const mbs_joint *turn_over(mbs_system *system, double t, double *start) {
  const mbs_model *model = system->model;
  const mbs_joint *first = NULL;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (!model->space->opposite(system, joint)) continue;
    model->space->turn_over(system, joint, start);
    mbs_set_position(system, t, start); /* what one joint carries others see */
    if (!first) first = joint;
  }
  return first;
}

/* From `start` with bodies turned over at joints whose axes it, or where it led, has opposite. */
static mbs_status again_turned_over(mbs_system *system, double t, double *start, double *q, mbs_assembly *out,
                                    double *work) {
  const mbs_model *model = system->model;
  mbs_status status = MBS_NOT_ASSEMBLED;
  for (size_t round = 0; round < TURN_OVERS && status != MBS_OK; round++) {
    const mbs_joint *ended = opposite_joint(system);
    mbs_set_position(system, t, start);
    const mbs_joint *turned = turn_over(system, t, start);
    if (!turned && ended) { /* Newton itself turned it over: it shall not have to turn at all */
      model->space->turn_over(system, ended, start);
      turned = ended;
    }
    if (!turned) return status;
    if (!out->turned_over) out->turned_over = turned;
    memcpy(q, start, model->nq * sizeof *q);
    status = mbs_correct_positions(system, t, q, &out->correction, work);
    if (status == MBS_OK) status = mbs_check_axes(system);
  }
  return status;
}

static mbs_status again_disturbed(mbs_system *system, double t, const double *start, double *q, mbs_assembly *out,
                                  double *work) {
  const mbs_model *model = system->model;
  double *dv = work, *longest = dv + model->nv, *rest = longest + model->nv;
  mbs_set_position(system, t, start);
  double extent = system->model->extent;
  for (int k = 0; k < ATTEMPTS; k++) {
    if (!disturbance(model, k, extent, dv, longest)) continue;
    mbs_displace(model, start, dv, q);
    if (mbs_correct_damped(system, t, q, longest, &out->correction, rest) != MBS_OK) continue;
    if (out->correction.inexact || opposite_joint(system)) continue;
    out->disturbed = k + 1;
    return MBS_OK;
  }
  return MBS_NOT_ASSEMBLED;
}

mbs_status mbs_assemble(mbs_system *system, double t, double *q, mbs_assembly *out, double *work) {
  const mbs_model *model = system->model;
  double *start = work, *trial = start + model->nq, *rest = trial + model->nq;
  memcpy(start, q, model->nq * sizeof *q);
  *out = (mbs_assembly){.disturbed = 0};
  mbs_status first = mbs_correct_positions(system, t, q, &out->correction, rest);
  if (first == MBS_OK) first = mbs_check_axes(system);
  if (first != MBS_NOT_ASSEMBLED && first != MBS_CONTRADICTION) return first;
  mbs_fault fault = system->fault;
  mbs_error quiet = {.time = NAN}, *error = system->error;
  system->error = &quiet;
  mbs_status status = first;
  if (model->body_formulation && model->space->turn_over)
    status = again_turned_over(system, t, start, trial, out, rest);
  if (status != MBS_OK) status = again_disturbed(system, t, start, trial, out, rest);
  system->error = error;
  if (status == MBS_OK) {
    memcpy(q, trial, model->nq * sizeof *q);
    if (error) *error = (mbs_error){.time = NAN};
  }
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  if (status == MBS_OK) return MBS_OK;
  system->fault = fault;
  return first;
}
