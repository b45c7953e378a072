/* Rows of touches, and accelerations with friction that slips. */
#include "equations/touches.h"

#include "base/message.h"
#include "base/norms.h"
#include "equations/elimination.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/teeth.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOAD_ITERATIONS = 30 };
/* Change of the loads, as a share of their size, that ends the iteration; chosen: a few units of rounding. */
static const double load_goal = 1e-14;
/* Slower surfaces rest, as a share of the scale of velocities; chosen: far below what a motion resolves. */
static const double slow_share = 1e-10;
/* Step of the differences of loads of reactions, as a share of their size: about the square root of rounding. */
static const double load_step = 1e-7;

/* Opens all touches, and lists them as near until their surfaces are compared. */
static void open_all(const mbs_model *model, mbs_touches *self) {
  self->list = 0;
  self->near_count = model->touch_count;
  for (size_t i = 0; i < model->touch_count; i++) {
    self->at[i] = (mbs_touch_state){.closed = mbs_touch_never_opens(&model->touches[i])};
    self->near[i] = (int)i;
    self->is_near[i] = true;
  }
}

mbs_touches *mbs_touches_new(const mbs_model *model, mbs_arena *arena) {
  const size_t k = model->touch_count, n = model->nv + 1, m = model->rows + 1;
  size_t rubs = 0;
  for (size_t i = 0; i < k; i++) rubs += model->touches[i].tangents > 0;
  mbs_touches *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  *self = (mbs_touches){
      .at = mbs_arena_alloc(arena, k + 1, sizeof *self->at),
      .use = mbs_arena_alloc(arena, m - model->bilateral_rows, sizeof *self->use),
      .near = mbs_arena_alloc(arena, k + 1, sizeof *self->near),
      .is_near = mbs_arena_alloc(arena, k + 1, 1),
      .was_near = mbs_arena_alloc(arena, k + 1, 1),
      .sided = mbs_arena_alloc(arena, k + 1, sizeof *self->sided),
      .present = mbs_arena_alloc(arena, k + 1, sizeof *self->present),
      .dependent = mbs_arena_alloc(arena, m - model->bilateral_rows, sizeof *self->dependent),
      .given = mbs_arena_alloc(arena, m - model->bilateral_rows, sizeof *self->given),
      .sliding = mbs_arena_alloc(arena, k + 1, sizeof *self->sliding),
      .vdot = mbs_arena_alloc(arena, n, sizeof(double)),
      .lambda = mbs_arena_alloc(arena, m, sizeof(double)),
      .rhsA = mbs_arena_alloc(arena, m, sizeof(double)),
      .vdot_of = mbs_arena_alloc(arena, rubs * n + 1, sizeof(double)),
      .lambda_of = mbs_arena_alloc(arena, rubs * m + 1, sizeof(double)),
      .push = mbs_arena_alloc(arena, n, sizeof(double)),
      .N = mbs_arena_alloc(arena, k + 1, sizeof(double)),
      .missing = mbs_arena_alloc(arena, k + 1, sizeof(double)),
      .raised = mbs_arena_alloc(arena, k + 1, sizeof(double)),
      .A = mbs_arena_alloc(arena, rubs * rubs + 1, sizeof(double)),
      .workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(rubs, rubs) + rubs * (rubs + 2) + 1, sizeof(double))};
  if (!self->at || !self->use || !self->near || !self->is_near || !self->was_near || !self->sided || !self->present ||
      !self->dependent || !self->given || !self->sliding || !self->vdot || !self->lambda || !self->rhsA ||
      !self->vdot_of || !self->lambda_of || !self->push || !self->N || !self->missing || !self->raised || !self->A ||
      !self->workspace)
    return NULL;
  open_all(model, self);
  return self;
}

void mbs_touches_forget(mbs_system *system) {
  mbs_touches *self = system->touches;
  mbs_near_forget(system);
  if (!self) return;
  self->follows = false;
  open_all(system->model, self);
  mbs_touches_use_held(system);
}

/* Sets the rows of a touch that is no longer evaluated to zero. */
static void clear_rows(mbs_system *system, const mbs_touch *touch) {
  const mbs_model *model = system->model;
  for (int r = touch->first_row; r < touch->first_row + mbs_touch_rows(touch); r++) {
    const mbs_block *block = &model->blocks[model->bilateral_blocks + ((size_t)r - model->bilateral_rows)];
    system->Phi[r] = system->rhsV[r] = system->rhsA[r] = system->lambda[r] = 0;
    memset(system->C + block->value0, 0, (size_t)block->columns * sizeof *system->C);
    memset(system->Z + block->value0, 0, (size_t)block->columns * sizeof *system->Z);
  }
}

static void clear_forces(mbs_touch_state *state) {
  state->N = 0;
  memset(state->T, 0, sizeof state->T);
}

/* Switches off the touches that are no longer near. */
static void leave_far(mbs_system *system) {
  mbs_touches *self = system->touches;
  for (size_t k = 0; k < self->present_count; k++) {
    const int i = self->present[k];
    const mbs_touch *touch = &system->model->touches[i];
    if (self->is_near[i]) continue;
    clear_rows(system, touch);
    for (int r = 0; r < mbs_touch_rows(touch); r++)
      self->use[(size_t)(touch->first_row + r) - system->model->bilateral_rows] = MBS_ROW_OFF;
    clear_forces(&self->at[i]);
  }
}

void mbs_touches_use_rows(mbs_system *system, const bool *shown) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  int *next = system->schur_rows.next_block;
  size_t last = model->bilateral_blocks ? model->bilateral_blocks - 1 : model->block_count;
  leave_far(system);
  self->sliding_count = self->present_count = 0;
  MBS_EACH_NEAR(self, i) {
    const mbs_touch *touch = &model->touches[i];
    const mbs_touch_state *state = &self->at[i];
    const mbs_row_use idle = shown && shown[i] ? MBS_ROW_SHOWN : MBS_ROW_OFF;
    const int row0 = touch->first_row - (int)model->bilateral_rows;
    mbs_row_use *use = self->use + row0;
    const bool was_off = *use == MBS_ROW_OFF;
    if (touch->sides > 0) *use++ = state->closed ? MBS_ROW_HOLDS : idle;
    for (int c = 0; c < touch->tangents; c++)
      *use++ = state->friction == MBS_STICKS ? MBS_ROW_HOLDS : state->friction == MBS_SLIPS ? MBS_ROW_SHOWN : idle;
    if (state->friction == MBS_SLIPS) self->sliding[self->sliding_count++] = (int)i;
    if (!state->closed && idle == MBS_ROW_OFF) {
      if (!was_off) clear_rows(system, touch);
      clear_forces(&self->at[i]);
      continue;
    }
    self->present[self->present_count++] = (int)i;
    for (int r = 0; r < mbs_touch_rows(touch); r++) {
      const int block = (int)model->bilateral_blocks + row0 + r;
      next[last] = block;
      last = (size_t)block;
    }
  }
  next[last] = (int)model->block_count;
}

void mbs_touches_use_held(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches_use_rows(system, NULL);
  for (size_t r = model->bilateral_rows; r < model->rows; r++) system->active[r] = mbs_touch_row_holds(system, (int)r);
}

/* theory (7.18) */
double mbs_dry_coefficient(const mbs_dry_friction *law, double slip) {
  const double more = law->mu_static - law->mu_dynamic;
  double mu = law->mu_dynamic + law->viscous * slip;
  if (law->stribeck > 0) mu += more * exp(-pow(slip / law->stribeck, law->exponent));
  return mu;
}

void mbs_touches_read_slips(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_jacobian_times(system, system->v, system->rates);
  for (size_t k = 0; k < system->touches->present_count; k++) {
    const size_t i = (size_t)system->touches->present[k];
    const mbs_touch *touch = &model->touches[i];
    for (int c = 0, r = mbs_touch_tangent(touch); c < touch->tangents; c++, r++)
      system->touches->at[i].slip[c] = mbs_touch_row_is_off(system, r) ? 0 : system->rates[r] - system->rhsV[r];
  }
}

double mbs_slip_length(const double *x, int n) {
  double sum = 0;
  for (int c = 0; c < n; c++) sum += x[c] * x[c];
  return sqrt(sum);
}

double mbs_slow_slip(const mbs_system *system) {
  return slow_share * system->constants->length / system->constants->time;
}

double mbs_slip_shown(const double *x, int n) { return n == 1 ? x[0] : mbs_slip_length(x, n); }

/* Computes the unit vector of a slip. A surface that has just begun to slip has the direction in which it began, until
 * the slip is known. Beyond the end of a slip, to which a step may reach before its event is found, friction does not
 * turn round: the part along the last direction counts as positive. theory (12.21) */
static void direction_of(const mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state,
                         double out[MBS_TANGENTS_MAX]) {
  /* slips below this share of the scale of velocities are rounding */
  static const double rounding = 1e-12;
  const double least = fmax(state->slow, rounding * system->constants->length / system->constants->time);
  const double length = mbs_slip_length(state->slip, touch->tangents);
  double along = 0;
  for (int c = 0; c < touch->tangents; c++) {
    along += state->slip[c] * state->direction[c];
    out[c] = state->direction[c];
  }
  if (touch->tangents == 1 || length <= least || system->touches->impulsive) return;
  const double missing = fmax(least - along, 0);
  for (int c = 0; c < touch->tangents; c++) out[c] = state->slip[c] + missing * state->direction[c];
  const double known = missing > 0 ? mbs_slip_length(out, touch->tangents) : length;
  for (int c = 0; c < touch->tangents; c++) out[c] /= known;
}

/* Computes the effects of unit loads of the touches that slip. theory (7.20) */
static void find_effects(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  memcpy(self->vdot, system->vdot, model->nv * sizeof *self->vdot);
  memcpy(self->lambda, system->lambda, model->rows * sizeof *self->lambda);
  memcpy(self->rhsA, system->rhsA, model->rows * sizeof *self->rhsA);
  for (size_t j = 0; j < self->sliding_count; j++) {
    const mbs_touch *touch = &model->touches[self->sliding[j]];
    const mbs_touch_state *state = &self->at[self->sliding[j]];
    double *lambda = self->lambda_of + j * model->rows, direction[MBS_TANGENTS_MAX];
    direction_of(system, touch, state, direction);
    const mbs_dry_friction *law = touch->cls->friction(system, touch);
    const double slip = mbs_slip_length(state->slip, touch->tangents);
    const double mu = self->impulsive ? law->mu_dynamic : mbs_dry_coefficient(law, slip);
    MBS_EACH_BLOCK(system, b) {
      const mbs_block *block = &model->blocks[b];
      for (int r = block->first_row; r < block->first_row + block->rows; r++) lambda[r] = 0;
    }
    for (int c = 0; c < touch->tangents; c++) lambda[mbs_touch_tangent(touch) + c] = -mu * direction[c];
    mbs_jacobian_transposed(system, lambda, self->push);
    mbs_resolve(system, self->push, NULL);
    memcpy(self->vdot_of + j * model->nv, system->vdot, model->nv * sizeof *system->vdot);
    MBS_EACH_BLOCK(system, b) {
      const mbs_block *block = &model->blocks[b];
      for (int r = block->first_row; r < block->first_row + block->rows; r++) lambda[r] += system->lambda[r];
    }
  }
  memcpy(system->rhsA, self->rhsA, model->rows * sizeof *self->rhsA);
}

/* Sets vdot and lambda for the loads N. */
static void combine(mbs_system *system, const double *N) {
  const mbs_model *model = system->model;
  const mbs_touches *self = system->touches;
  memcpy(system->vdot, self->vdot, model->nv * sizeof *self->vdot);
  memcpy(system->lambda, self->lambda, model->rows * sizeof *self->lambda);
  for (size_t j = 0; j < self->sliding_count; j++) {
    const double *vdot = self->vdot_of + j * model->nv, *lambda = self->lambda_of + j * model->rows;
    for (size_t k = 0; k < model->nv; k++) system->vdot[k] += N[j] * vdot[k];
    MBS_EACH_BLOCK(system, b) {
      const mbs_block *block = &model->blocks[b];
      for (int r = block->first_row; r < block->first_row + block->rows; r++) system->lambda[r] += N[j] * lambda[r];
    }
  }
  mbs_teeth_bear(system);
}

/* Returns the normal force of a touch at the current multipliers and reactions. */
static double load_of(const mbs_system *system, const mbs_touch *touch) {
  if (touch->cls->load) return touch->cls->load(system, touch);
  const mbs_touch *carrier = mbs_touch_carrier(system->model, touch);
  return mbs_touch_signed(&system->touches->at[carrier - system->model->touches],
                          system->borne[mbs_touch_normal(carrier)]);
}

static void compute_reactions(mbs_system *system) {
  system->model->kernels->accelerations(system);
  system->model->kernels->reactions(system);
}

static bool any_reacts(const mbs_system *system) {
  if (system->touches->impulsive) return false;
  for (size_t k = 0, i; k < system->touches->present_count; k++)
    if (system->model->touches[i = (size_t)system->touches->present[k]].reacts &&
        (system->touches->follows || system->touches->at[i].friction != MBS_FRICTION_OFF))
      return true;
  return false;
}

/* Computes the loads of the touches that slip, for given loads. */
static void loads_for(mbs_system *system, const double *N, bool reacts, double *out) {
  const mbs_touches *self = system->touches;
  combine(system, N);
  if (reacts) compute_reactions(system);
  for (size_t j = 0; j < self->sliding_count; j++) out[j] = load_of(system, &system->model->touches[self->sliding[j]]);
}

/* Computes A = 1 - d load / dN, by differences, and returns its determinant. */
static double find_slopes(mbs_system *system, bool reacts, double size) {
  mbs_touches *self = system->touches;
  const size_t n = self->sliding_count;
  const double step = load_step * size;
  for (size_t j = 0; j < n; j++) {
    self->N[j] += step;
    loads_for(system, self->N, reacts, self->raised);
    self->N[j] -= step;
    for (size_t i = 0; i < n; i++) self->A[j * n + i] = (i == j) - (self->raised[i] - self->missing[i]) / step;
  }
  return mbs_determinant(n, self->A, self->workspace);
}

mbs_status mbs_touch_fail_painleve(mbs_system *system, const mbs_touch *touch, const char *which, const char *why) {
  mbs_error *error = system->error;
  if (!error || error->message[0]) return MBS_PAINLEVE;
  error->time = system->t;
  snprintf(error->element, sizeof error->element, "%s", touch->name);
  mbs_message(error->message, sizeof error->message,
              "the dry friction of '%s' has no %s solution at t = %.9g (the paradox of Painleve)%s; use a smaller "
              "coefficient, or a compliant contact",
              touch->name, which, system->t, why);
  return MBS_PAINLEVE;
}

static mbs_status fail_jammed(mbs_system *system) {
  return mbs_touch_fail_painleve(system, &system->model->touches[system->touches->sliding[0]], "unique",
                                 ": a rigid surface with this coefficient jams while it slips");
}

/* Returns true if several pairs of bodies touch, so that their slipping surfaces may jam together. An impulse ends such
 * a jam (mbs_touches_release() in run/touch_instant.h), but not if friction in joints slips, too. */
static bool may_jam_together(const mbs_system *system) {
  const mbs_touches *self = system->touches;
  int pair = -1;
  bool several = false;
  for (size_t j = 0; j < self->sliding_count; j++)
    if (system->model->touches[self->sliding[j]].reacts) return false;
  for (size_t k = 0; k < self->present_count; k++) {
    const mbs_touch *touch = &system->model->touches[self->present[k]];
    if (touch->sides == 0 || !self->at[self->present[k]].closed) continue;
    several |= pair >= 0 && touch->pair != pair;
    pair = touch->pair;
  }
  return several;
}

/* Computes A = 1 - d load / dN of loads that are multipliers of normal rows, or given. */
static void read_slopes(const mbs_system *system) {
  const mbs_touches *self = system->touches;
  const size_t n = self->sliding_count;
  for (size_t i = 0; i < n; i++) {
    const mbs_touch *touch = &system->model->touches[self->sliding[i]];
    const mbs_touch *carrier = mbs_touch_carrier(system->model, touch);
    const mbs_touch_state *state = &self->at[carrier - system->model->touches];
    for (size_t j = 0; j < n; j++) {
      const double *lambda = self->lambda_of + j * system->model->rows;
      self->A[j * n + i] =
          (i == j) - (touch->cls->load ? 0 : mbs_touch_signed(state, lambda[mbs_touch_normal(carrier)]));
    }
  }
}

/* Checks that the loads are the only solution: with det A <= 0 there is none, or a second one. Then it returns
 * MBS_NOT_FINITE, which rejects the step, if an impulse may end the jam, and MBS_PAINLEVE otherwise. While modes are
 * tried, it only sets `unstable`. */
static mbs_status check_unique(mbs_system *system, double determinant) {
  mbs_touches *self = system->touches;
  if (determinant > 0) return MBS_OK;
  const bool together = may_jam_together(system);
  self->unstable = together;
  if (self->trial) return MBS_OK;
  return together ? MBS_NOT_FINITE : fail_jammed(system);
}

/* Solves N = load(N), where the loads are linear in N. */
static mbs_status find_linear_loads(mbs_system *system) {
  mbs_touches *self = system->touches;
  const size_t n = self->sliding_count;
  memset(self->N, 0, n * sizeof *self->N);
  loads_for(system, self->N, false, self->N);
  read_slopes(system);
  const mbs_status status = check_unique(system, mbs_determinant(n, self->A, self->workspace));
  if (status != MBS_OK) return status;
  if (!mbs_linear_solve(n, self->A, self->N, self->workspace)) return fail_jammed(system);
  combine(system, self->N);
  return isfinite(mbs_largest(self->N, n)) ? MBS_OK : MBS_NOT_FINITE;
}

/* Solves N = load(N) by Newton's method; loads are piecewise linear, or nearly so. theory (7.20) */
static mbs_status find_loads(mbs_system *system) {
  mbs_touches *self = system->touches;
  const size_t n = self->sliding_count;
  const bool reacts = any_reacts(system);
  if (!reacts && !system->teeth) return find_linear_loads(system);
  for (size_t j = 0; j < n; j++) self->N[j] = self->at[self->sliding[j]].N;
  for (int k = 0; k < LOAD_ITERATIONS; k++) {
    loads_for(system, self->N, reacts, self->missing);
    double size = fmax(mbs_largest(self->missing, n), mbs_largest(self->N, n)), change = 0;
    if (!isfinite(size)) return MBS_NOT_FINITE;
    for (size_t j = 0; j < n; j++) change = fmax(change, fabs(self->missing[j] - self->N[j]));
    if (change <= load_goal * size) return MBS_OK;
    const mbs_status status = check_unique(system, find_slopes(system, reacts, size));
    if (status != MBS_OK) return status;
    for (size_t j = 0; j < n; j++) self->missing[j] -= self->N[j];
    if (!mbs_linear_solve(n, self->A, self->missing, self->workspace)) return fail_jammed(system);
    for (size_t j = 0; j < n; j++) self->N[j] += self->missing[j];
    /* rounding of the differences limits the last steps */
    if (k > 2 && mbs_largest(self->missing, n) <= 100 * load_goal * size) break;
  }
  loads_for(system, self->N, reacts, self->missing);
  return MBS_OK;
}

/* Reads N and T of all touches from the multipliers. theory (7.19) */
static void read_forces(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_teeth_bear(system);
  if (any_reacts(system) && system->touches->sliding_count == 0) compute_reactions(system);
  for (size_t k = 0; k < system->touches->present_count; k++) {
    const mbs_touch *touch = &model->touches[system->touches->present[k]];
    mbs_touch_state *state = &system->touches->at[system->touches->present[k]];
    state->N = state->closed ? load_of(system, touch) : 0;
    for (int c = 0; c < touch->tangents; c++) state->T[c] = system->borne[mbs_touch_tangent(touch) + c];
  }
}

mbs_status mbs_touches_impulse(mbs_system *system) {
  mbs_touches *self = system->touches;
  mbs_status status = MBS_OK;
  self->impulsive = true;
  if (self->sliding_count > 0) {
    find_effects(system);
    status = find_loads(system);
  }
  read_forces(system);
  self->impulsive = false;
  return status;
}

/* Sets the friction of joints by the slips of the state. */
static void follow_slips(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  mbs_touches_read_slips(system);
  self->sliding_count = 0;
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    mbs_touch_state *state = &self->at[i];
    const double length = mbs_slip_length(state->slip, touch->tangents);
    if (!mbs_touch_never_opens(touch)) continue;
    state->friction = length > mbs_slow_slip(system) ? MBS_SLIPS : MBS_FRICTION_OFF;
    if (state->friction == MBS_FRICTION_OFF) continue;
    for (int c = 0; c < touch->tangents; c++) state->direction[c] = state->slip[c] / length;
    self->sliding[self->sliding_count++] = (int)i;
  }
}

void mbs_touches_follow(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  if (!self) return;
  mbs_touches_forget(system);
  self->follows = true;
  for (size_t i = 0; i < model->touch_count; i++)
    for (int c = 0; c < model->touches[i].tangents && mbs_touch_never_opens(&model->touches[i]); c++)
      self->use[(size_t)(model->touches[i].first_row + c) - model->bilateral_rows] = MBS_ROW_SHOWN;
}

mbs_status mbs_touches_accelerate(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  self->unstable = false;
  if (self->follows)
    follow_slips(system);
  else if (self->sliding_count > 0 || self->any_led)
    mbs_touches_read_slips(system);
  if (self->sliding_count > 0) {
    find_effects(system);
    const mbs_status status = find_loads(system);
    if (status != MBS_OK) return status;
  }
  read_forces(system);
  for (size_t j = 0; j < self->sliding_count; j++) {
    const mbs_touch_state *state = &self->at[self->sliding[j]];
    /* P_diss = -T.s */
    for (int c = 0; c < model->touches[self->sliding[j]].tangents; c++)
      system->power_dissipated -= state->T[c] * state->slip[c];
  }
  return MBS_OK;
}

void mbs_touches_show(mbs_system *system) {
  read_forces(system);
  mbs_touches_share(system, MBS_SHARE_TO_SHOW);
  for (size_t i = 0; i < system->model->touch_count; i++) {
    const mbs_touch *touch = &system->model->touches[i];
    if (touch->cls->show) touch->cls->show(system, touch, &system->touches->at[i]);
  }
}

/* ---- accepted states ------------------------------------------------------------------------------------------ */

/* The error estimate of an explicit method contains about a tenth of what a friction does that turns round within a
 * step: near rest, a slip below this multiple of the absolute tolerance has no direction. */
static const double unseen = 10;

/* Returns the sum of abs(C_k) times the error of v_k that the tolerance allows, for a row of a touch. */
static double blur_of(const mbs_system *system, int row) {
  const mbs_model *model = system->model;
  const mbs_block *block = &model->blocks[model->bilateral_blocks + ((size_t)row - model->bilateral_rows)];
  const int *column = model->pattern + block->pattern0;
  double sum = 0;
  for (int c = 0; c < block->columns; c++)
    sum += fabs(system->C[block->value0 + (size_t)c]) *
           (model->rtol * fabs(system->v[column[c]]) + unseen * model->atol * system->v_units[column[c]]);
  return sum;
}

/* theory (12.20) */
void mbs_touches_find_slow(mbs_system *system) {
  mbs_touches *self = system->touches;
  const double norm = sqrt((double)(system->model->nq + system->model->nv)); /* one error may have the norm of all */
  for (size_t j = 0; j < self->sliding_count; j++) {
    const mbs_touch *touch = &system->model->touches[self->sliding[j]];
    double blur = 0;
    for (int c = 0; c < touch->tangents && touch->tangents > 1; c++)
      blur = fmax(blur, blur_of(system, mbs_touch_tangent(touch) + c));
    self->at[self->sliding[j]].slow = norm * blur;
  }
}

void mbs_touches_accepted(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  mbs_touches_find_near(system);
  MBS_EACH_NEAR(self, i) {
    const mbs_touch *touch = &model->touches[i];
    if (!self->at[i].closed || (touch->cls->moves && touch->cls->moves(system, touch))) mbs_touch_look(system, touch);
  }
  for (size_t k = 0; k < self->sided_count; k++)
    if (!self->is_near[self->sided[k]]) mbs_touch_look(system, &model->touches[self->sided[k]]);
  mbs_touches_find_slow(system);
  for (size_t j = 0; j < self->sliding_count; j++) {
    const mbs_touch *touch = &model->touches[self->sliding[j]];
    mbs_touch_state *state = &self->at[self->sliding[j]];
    if (touch->tangents > 1) direction_of(system, touch, state, state->direction);
  }
}

void mbs_touches_look(mbs_system *system) {
  mbs_near_accepted(system);
  mbs_touches_find_near(system);
  MBS_EACH_NEAR(system->touches, i) {
    const mbs_touch *touch = &system->model->touches[i];
    const bool moves = touch->cls->moves && touch->cls->moves(system, touch);
    if (touch->cls->face && (!system->touches->at[i].closed || moves)) mbs_touch_look(system, touch);
  }
}
