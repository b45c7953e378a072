/* Values of laws on sliding surfaces, and the accelerations with them. */
#include "equations/sliding.h"

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/input.h"
#include "equations/solve.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of surfaces of one law; other switches use the held branch. */
enum { SURFACES_OF_LAW = 6 };
/* Largest number of iterations. Laws are linear in the weights, except those that read outputs of others. */
enum { ROUNDS = 8 };
static const double round_goal = 1e-11, round_worst = 1e-6;
/* Tolerance of the rank: if surfaces depend on one another, the weights nearest to 1/2 are used. */
static const double rank_share = 1e-10;
/* A smaller influence, as a share of the effect that constraints cancel, is rounding. */
static const double taken_share = 1e-11;

/* ---- laws ---------------------------------------------------------------------------------------------------- */

/* Lists the surfaces of a law's switches. */
static int surfaces_of(const mbs_sliding *self, const mbs_law *law, int on[SURFACES_OF_LAW]) {
  int count = 0;
  for (int k = 0; k < law->switches && count < SURFACES_OF_LAW; k++) {
    int number = abs(self->member[law->mode0 + k]), i = 0;
    assert((size_t)number <= self->count);
    while (i < count && on[i] != number) i++;
    if (number && i == count) on[count++] = number;
  }
  return count;
}

/* Selects the branches of a law on one side of a surface. */
static void take_side(const mbs_sliding *self, const mbs_law *law, int number, bool above) {
  for (int k = 0; k < law->switches; k++) {
    int member = self->member[law->mode0 + k];
    if (abs(member) == number) self->mode[k] = above == (member > 0);
  }
}

void mbs_sliding_forget(mbs_system *system) {
  mbs_sliding *self = system->sliding;
  self->count = self->moving_count = self->pending_count = 0;
  memset(self->member, 0, system->model->switch_count * sizeof *self->member);
  memset(self->pending, 0, system->model->switch_count * sizeof *self->pending);
}

/* Moves the inputs of a law off its surfaces by rounding, each by another amount. The branches are limits at the
 * surfaces: at s = 0 itself a law may have another value, as if(v == 0, 0, ..), or none, as v/abs(v). */
static void step_aside(const mbs_system *system, const mbs_law *law) {
  static const double least = 1e-100; /* shift of an input that is zero: its square is not zero */
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input_kind kind = system->model->inputs[law->inputs[i]].kind;
    if (kind == MBS_INPUT_TIME || kind == MBS_INPUT_DISCRETE || kind == MBS_INPUT_EXTERNAL) continue;
    system->in[i] += (double)(i + 1) * (DBL_EPSILON * fabs(system->in[i]) + least);
  }
}

/* Interpolates between the law's values on all sides of its surfaces (the corners). theory (12.5) */
double mbs_sliding_value(const mbs_system *system, const mbs_law *law) {
  const mbs_sliding *self = system->sliding;
  int on[SURFACES_OF_LAW], count = surfaces_of(self, law, on);
  double sum = 0;
  if (count > 0) step_aside(system, law);
  memcpy(self->mode, system->mode + law->mode0, (size_t)law->switches * sizeof *self->mode);
  /* f = sum over the corners of f(corner) times the product of a (above) or 1 - a (below) */
  for (unsigned corner = 0; corner < 1U << count; corner++) {
    double weight = 1;
    for (int i = 0; i < count; i++) {
      bool above = (corner >> i & 1U) != 0;
      double share = self->surfaces[on[i] - 1].weight;
      take_side(self, law, on[i], above);
      weight *= above ? share : 1 - share;
    }
    if (weight != 0)
      sum += weight * mbs_expression_value(mbs_law_expression(system, law), system->in, self->mode, system->slots);
  }
  return sum;
}

void mbs_sliding_guard(const mbs_system *system, int index, double jet[3]) {
  const mbs_law *law = system->sliding->laws[index];
  assert(law != NULL && index >= law->mode0 && index < law->mode0 + law->switches);
  for (size_t i = 0; i < law->input_count; i++)
    mbs_input_jet(system, &system->model->inputs[law->inputs[i]], system->jets + 3 * i);
  mbs_expression_guard_jet(mbs_law_expression(system, law), (size_t)(index - law->mode0), system->jets,
                           system->mode_held + law->mode0, system->slots, jet);
}

void mbs_sliding_row(mbs_system *system, int index, int order, double *out) {
  assert(order == 1 || order == 2);
  const size_t nv = system->model->nv;
  double jet[3];
  memset(system->vdot, 0, nv * sizeof *system->vdot);
  for (size_t k = 0; k < nv; k++) {
    out[k] = 0;
    /* s^(order) is affine in v' */
    for (int sign = -1; sign <= 1; sign += 2) {
      system->vdot[k] = sign * system->v_units[k];
      system->model->kernels->accelerations(system);
      mbs_sliding_guard(system, index, jet);
      out[k] += sign * jet[order] / (2 * system->v_units[k]);
    }
    system->vdot[k] = 0;
  }
}

/* ---- accelerations ------------------------------------------------------------------------------------------- */

static mbs_surface *moving(const mbs_sliding *self, size_t i) { return &self->surfaces[self->moving[i]]; }

/* Computes the rates of the guards from the current accelerations. */
static void read_rates(mbs_system *system, double *out) {
  const mbs_sliding *self = system->sliding;
  system->model->kernels->accelerations(system);
  for (size_t i = 0; i < self->moving_count; i++) {
    double jet[3];
    mbs_sliding_guard(system, moving(self, i)->leader, jet);
    out[i] = jet[moving(self, i)->order];
    assert(moving(self, i)->order == 1 || moving(self, i)->order == 2);
  }
}

/* Sets influences to zero that are only the rounding of effects that constraints cancel: column j, with the multipliers
 * and accelerations for a weight of 1 in the system, those for 1/2 in self->lambda. */
static void clean(mbs_system *system, size_t j) {
  assert(j < system->sliding->moving_count);
  mbs_sliding *self = system->sliding;
  const size_t n = self->moving_count;
  double *multipliers = self->lambda + system->model->rows, *taken = self->vdot;
  for (size_t r = 0; r < system->model->rows; r++) multipliers[r] = system->lambda[r] - self->lambda[r];
  /* M^-1 C' (lambda(a_j = 1) - lambda(a_j = 1/2)) */
  mbs_spread_multipliers(system, multipliers, taken);
  for (size_t k = 0; k < system->model->nv; k++) system->vdot[k] += taken[k];
  read_rates(system, self->change);
  for (size_t i = 0; i < n; i++) {
    double back = 2 * fabs(self->change[i] - self->rates[i]);
    if (fabs(self->G[i * n + j]) <= taken_share * back) self->G[i * n + j] = 0;
    if (i == j) moving(self, j)->constraint_gain = back;
  }
}

/* Computes b, with all weights at 1/2, and G, by changing one weight at a time. theory (12.6) */
static mbs_status find_influence(mbs_system *system) {
  mbs_sliding *self = system->sliding;
  const size_t n = self->moving_count;
  /* b: the rates s^(k) at weights of 1/2 */
  for (size_t i = 0; i < n; i++) moving(self, i)->weight = 0.5;
  mbs_status status = mbs_accelerate(system);
  if (status != MBS_OK) return status;
  read_rates(system, self->b);
  memcpy(self->lambda, system->lambda, system->model->rows * sizeof *self->lambda);
  for (size_t j = 0; j < n; j++) {
    moving(self, j)->weight = 1;
    if ((status = mbs_accelerate(system)) != MBS_OK) return status;
    read_rates(system, self->rates);
    /* G_ij = (s_i^(k)(a_j = 1) - b_i) / (1 - 1/2) */
    for (size_t i = 0; i < n; i++) self->G[i * n + j] = 2 * (self->rates[i] - self->b[i]);
    if (self->deciding) clean(system, j);
    moving(self, j)->weight = 0.5;
    moving(self, j)->self_gain = self->G[j * n + j];
  }
  return MBS_OK;
}

/* Computes change := -G^-1 rates; each row is scaled by its own influence, as guards have different units. theory
 * (12.6) */
static void solve_shares(mbs_sliding *self) {
  assert(self->moving_count <= self->count && self->count <= self->most);
  const size_t n = self->moving_count;
  for (size_t i = 0; i < n; i++) {
    double own = self->G[i * n + i], scale = own != 0 ? 1 / own : 0;
    for (size_t j = 0; j < n; j++) self->A[j * n + i] = scale * self->G[i * n + j];
    self->rates[i] *= -scale;
  }
  if (mbs_least_squares(n, n, self->A, self->rates, rank_share, self->change, self->lapack) < 0)
    memset(self->change, 0, n * sizeof *self->change);
}

/* Returns the largest rate, relative to the influence of the weight of its surface. */
static double largest_rate(const mbs_sliding *self) {
  double largest = 0;
  for (size_t i = 0; i < self->moving_count; i++) {
    double own = fabs(moving(self, i)->self_gain);
    if (own > 0) largest = fmax(largest, fabs(self->rates[i]) / own);
  }
  return largest;
}

mbs_status mbs_sliding_accelerate(mbs_system *system) {
  mbs_sliding *self = system->sliding;
  const size_t n = self->moving_count;
  if (n == 0) return mbs_accelerate(system);
  mbs_status status = find_influence(system);
  if (status != MBS_OK || self->deciding) return status;
  memcpy(self->rates, self->b, n * sizeof *self->rates);
  double rate = INFINITY, before = INFINITY;
  for (int round = 0; round < ROUNDS && rate > round_goal && (rate < 0.5 * before || round == 0); round++) {
    /* a := a - G^-1 s^(k) */
    solve_shares(self);
    for (size_t i = 0; i < n; i++) moving(self, i)->weight += self->change[i];
    if ((status = mbs_accelerate(system)) != MBS_OK) return status;
    read_rates(system, self->rates);
    before = rate;
    rate = largest_rate(self);
  }
  self->holds = rate <= round_worst;
  return MBS_OK;
}

void mbs_sliding_margins(const mbs_system *system, double *margins) {
  const mbs_sliding *self = system->sliding;
  for (size_t k = 0; k < system->model->switch_count; k++) {
    if (self->member[k] == 0) continue;
    const mbs_surface *surface = &self->surfaces[abs(self->member[k]) - 1];
    assert((size_t)abs(self->member[k]) <= self->count);
    /* 1 - (s / band)^2 of a prescribed surface, else a (1 - a) */
    double guard = margins[k] / surface->band;
    if (surface->leader != (int)k)
      margins[k] = 1; /* the leader has the margin */
    else if (surface->prescribed)
      margins[k] = 1 - guard * guard;
    else
      margins[k] = surface->self_gain < 0 && self->holds ? surface->weight * (1 - surface->weight) : -1;
  }
}

/* Adds to v the difference of the accelerations with weights changed by c and without, where G c = -s, and to z that of
 * its rates. The weights change by at most 1, and the differences are scaled, so that rounding does not dominate them.
 * theory (12.10) */
mbs_status mbs_sliding_project(mbs_system *system, double t, const double *q, double *v, double *z) {
  mbs_sliding *self = system->sliding;
  const size_t n = self->moving_count, nv = system->model->nv, nz = system->model->nz;
  if (n == 0) return MBS_OK;
  mbs_status status = mbs_evaluate(system, t, q, v);
  if (status != MBS_OK) return status;
  memcpy(self->vdot, system->vdot, nv * sizeof *self->vdot);
  mbs_states_rates(system, self->zdot);
  /* G c = -s^(k-1) */
  for (size_t i = 0; i < n; i++) {
    double jet[3];
    mbs_sliding_guard(system, moving(self, i)->leader, jet);
    self->rates[i] = jet[moving(self, i)->order - 1];
  }
  solve_shares(self);
  double size = mbs_largest(self->change, n);
  if (!(size > 0) || !isfinite(size)) return MBS_OK;
  /* v + (v'(a + c) - v'(a)) with c of size 1, times its size */
  for (size_t i = 0; i < n; i++) moving(self, i)->weight += self->change[i] / size;
  if ((status = mbs_accelerate(system)) != MBS_OK) return status;
  for (size_t k = 0; k < nv; k++) v[k] += size * (system->vdot[k] - self->vdot[k]);
  mbs_states_rates(system, self->zdot + nz);
  for (size_t k = 0; k < nz; k++) z[k] += size * (self->zdot[nz + k] - self->zdot[k]);
  memmove(system->z, z, nz * sizeof *z);
  return MBS_OK;
}
