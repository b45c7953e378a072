/* Laws of forces that read what depends on these forces. Newton's method with differences:
 *
 *     (1 - dg/dz) dz = g(z) - z
 *
 * Laws are usually affine in accelerations and reactions, where one step is exact. The slopes are kept while steps
 * converge. */
#include "equations/feedback.h"

#include "base/message.h"
#include "base/norms.h"
#include "equations/forces.h"
#include "equations/law.h"
#include "equations/solve.h"
#include "equations/teeth.h"
#include "equations/touches.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_MAX = 50 };
/* Change of the values, as a share of their size, that ends the iteration; chosen: some units of rounding. */
static const double feedback_goal = 1e-13;
/* Steps that do not reduce the change stop by rounding if it is below this share; chosen: far above rounding. */
static const double feedback_rounding = 1e-9;
/* Step of the differences, as a share of the size of the values; chosen: affine laws lose no digits. */
static const double feedback_step = 1e-3;
/* Slopes are computed again if a step leaves more than this share of the change; chosen. */
static const double feedback_slow = 0.1;

bool mbs_feedback_open(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_arena *arena = system->arena;
  const size_t n = model->feedback_count;
  system->feedback = NULL;
  if (n == 0) return true;
  mbs_feedback *self = system->feedback = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return false;
  *self = (mbs_feedback){.values = mbs_arena_alloc(arena, n, sizeof(double)),
                         .found = mbs_arena_alloc(arena, n, sizeof(double)),
                         .missing = mbs_arena_alloc(arena, n, sizeof(double)),
                         .slopes = mbs_arena_alloc(arena, n * n, sizeof(double)),
                         .A = mbs_arena_alloc(arena, n * n, sizeof(double)),
                         .workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(n, n) + n * (n + 2), sizeof(double))};
  return self->values && self->found && self->missing && self->slopes && self->A && self->workspace;
}

void mbs_feedback_read(mbs_system *system) {
  system->model->kernels->accelerations(system);
  mbs_read_reactions(system);
  if (system->touches) mbs_touches_show(system);
  mbs_forces_show(system);
}

/* Fails with the elements whose laws depend on one another. */
static mbs_status fail_loop(mbs_system *system, const char *why) {
  const mbs_model *model = system->model;
  mbs_error *error = system->error;
  char names[200] = "";
  size_t used = 0;
  if (!error || error->message[0]) return MBS_ALGEBRAIC_LOOP;
  for (size_t i = 0; i < model->feedback_count && used < sizeof names; i++)
    if (i == 0 || model->feedback[i].element != model->feedback[i - 1].element)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.60s'", used ? ", " : "",
                               model->feedback[i].element);
  error->time = system->t;
  snprintf(error->element, sizeof error->element, "%s", model->feedback[0].element);
  mbs_message(error->message, sizeof error->message,
              "the laws of %s depend on accelerations or reactions that depend on them, and have %s at t = %.9g; put a "
              "state between them",
              names, why, system->t);
  return MBS_ALGEBRAIC_LOOP;
}

/* Solves the equations for the values z, and computes g. */
static mbs_status values_for(mbs_system *system, bool factored, double *out) {
  const mbs_model *model = system->model;
  const mbs_status status = mbs_accelerate_given(system, factored);
  if (status != MBS_OK) return status;
  mbs_feedback_read(system);
  for (size_t i = 0; i < model->feedback_count; i++) {
    out[i] = mbs_law_current(system, model->feedback[i].law);
    if (!isfinite(out[i])) return MBS_NOT_FINITE;
  }
  return MBS_OK;
}

/* Computes 1 - dg/dz by differences with a step. Sets `*regular` to false if it is singular within rounding. */
static mbs_status find_slopes(mbs_system *system, double step, bool *regular) {
  mbs_feedback *self = system->feedback;
  const size_t n = system->model->feedback_count;
  double scale = 1;
  for (size_t j = 0; j < n; j++) {
    const double before = self->values[j];
    self->values[j] += step;
    const mbs_status status = values_for(system, true, self->missing);
    self->values[j] = before;
    if (status != MBS_OK) return status;
    for (size_t i = 0; i < n; i++) self->slopes[j * n + i] = (i == j) - (self->missing[i] - self->found[i]) / step;
  }
  for (size_t i = 0; i < n; i++) {
    double row = 1;
    for (size_t j = 0; j < n; j++) row += fabs(self->slopes[j * n + i]);
    scale *= row;
  }
  *regular = fabs(mbs_determinant(n, self->slopes, self->workspace)) > mbs_pivot_floor * scale;
  return MBS_OK;
}

/* theory (7.36) */
mbs_status mbs_feedback_accelerate(mbs_system *system) {
  mbs_feedback *self = system->feedback;
  const size_t n = system->model->feedback_count;
  double last = INFINITY;
  bool regular = true, known = false;
  memset(self->values, 0, n * sizeof *self->values); /* the result does not depend on earlier states */
  for (int k = 0; k < STEPS_MAX; k++) {
    double change = 0;
    mbs_status status = values_for(system, k > 0, self->found);
    if (status != MBS_OK) return status;
    const double size = fmax(mbs_largest(self->found, n), mbs_largest(self->values, n));
    for (size_t i = 0; i < n; i++) change = fmax(change, fabs(self->found[i] - self->values[i]));
    if (known && (change <= feedback_goal * size || (change >= last && change <= feedback_rounding * size)))
      return MBS_OK;
    if (size == 0) return MBS_OK;
    if (!known || change > feedback_slow * last) {
      status = find_slopes(system, feedback_step * size, &regular);
      if (status != MBS_OK) return status;
      if (!regular) return fail_loop(system, "no unique solution");
      known = true;
    }
    last = change;
    for (size_t i = 0; i < n; i++) self->missing[i] = self->found[i] - self->values[i];
    memcpy(self->A, self->slopes, n * n * sizeof *self->A);
    if (!mbs_linear_solve(n, self->A, self->missing, self->workspace)) return fail_loop(system, "no unique solution");
    for (size_t i = 0; i < n; i++) self->values[i] += self->missing[i];
  }
  return fail_loop(system, "no solution that was found");
}
