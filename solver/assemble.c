/* The first position of a run. Newton's steps vanish where the gradient C' Phi of norm(Phi)^2 / 2 does, and many a
 * start of round numbers is such a place: all links on one line, a crank along the axis along which its tip is driven.
 * A start a little beside it leads on. */
#include "assemble.h"

#include "space.h"

#include <math.h>
#include <string.h>

/* Attempts from disturbed starts: largest turn [rad], and slide as a share of the model's extent; coordinates that the
 * document gives are disturbed by a share of that. Small ones first: they stay near what was meant, but not the smallest, where Newton's
 * steps are still long. */
static const struct {
  double turn, slide, share_of_given;
} attempts[] = {{0.03, 0.01, 0}, {0.1, 0.03, 0},  {0.1, 0.03, 0.1}, {1e-3, 3e-4, 0}, {0.4, 0.1, 0}, {0.4, 0.1, 0.1},
                {1.2, 0.3, 0},   {1.2, 0.3, 0.1}, {2.5, 1, 0},      {2.5, 1, 0.1},   {2.5, 1, 0.5}};
/* Near where the gradient vanishes Newton's steps are many turns long. */
static const double longest_turn = 0.5, longest_slide = 0.5;
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

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

/* Slides among the velocities of what carries a body; they come before its turns. */
static int slide_count(const mbs_model *model, int body) {
  int carrier = model->tree_joint[body], count = 0;
  if (carrier < 0) return model->dim;
  const mbs_joint_shape *shape = model->joints[carrier].shape;
  for (size_t k = 0; k < shape->coordinate_count; k++) count += !mbs_is_turn(shape->coordinates[k].measure);
  return count;
}

/* The displacement [nv] of an attempt, and the longest steps [nv] from there. False where it moves nothing, or no more
 * than the attempt before it. */
static bool disturbance(const mbs_model *model, int attempt, double extent, double *dv, double *longest) {
  bool any = false;
  for (int body = 1; body <= (int)model->nB; body++) {
    int first = model->first_v[body], slides = slide_count(model, body);
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

mbs_status mbs_assemble(mbs_system *system, double t, double *q, mbs_assembly *out, double *work) {
  const mbs_model *model = system->model;
  double *start = work, *trial = start + model->nq, *dv = trial + model->nq, *longest = dv + model->nv,
         *rest = longest + model->nv;
  memcpy(start, q, model->nq * sizeof *q);
  out->disturbed = 0;
  mbs_status status = mbs_correct_positions(system, t, q, &out->correction, rest);
  if (status != MBS_NOT_ASSEMBLED && status != MBS_CONTRADICTION) return status;
  mbs_fault fault = system->fault;
  mbs_error quiet = {0}, *error = system->error;
  system->error = &quiet;
  mbs_set_position(system, t, start);
  double extent = mbs_extent(system);
  for (int k = 0; k < ATTEMPTS; k++) {
    if (!disturbance(model, k, extent, dv, longest)) continue;
    mbs_displace(model, start, dv, trial);
    if (mbs_correct_damped(system, t, trial, longest, &out->correction, rest) != MBS_OK) continue;
    memcpy(q, trial, model->nq * sizeof *q);
    out->disturbed = k + 1;
    status = MBS_OK;
    break;
  }
  system->error = error;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  if (status == MBS_OK && error) *error = (mbs_error){.time = NAN};
  if (status != MBS_OK) system->fault = fault;
  return status;
}
