/* A start for the search for modes, by a linear complementarity problem. For touches i with normal rows, with the
 * directions d_ij that approximate the cone of friction at rest,
 *
 *     0 <= N_i     complementary to   a_i >= 0
 *     0 <= B_ij    complementary to   l_i + d_ij.s_i >= 0,    T_i = sum of B_ij d_ij
 *     0 <= l_i     complementary to   mu_i N_i - sum of B_ij >= 0
 *
 * and T_i = -mu_i N_i w_i of touches that slip already. a and s are accelerations, or the velocities after an impact.
 * Source: Stewart, Trinkle, Int. J. Numer. Meth. Engng. 39 (1996). theory (12.16) */
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "linalg/lcp.h"
#include "run/touch_instant.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 8 };

typedef struct problem {
  mbs_touch_instant *now;
  const mbs_touch_start *start;
  size_t n, rows; /* unknowns; rows of the touches */
  int *row_at;    /* [rows of the model] index among these rows */
  int *row;       /* [rows] */
  double *W;      /* [rows x rows] effect of unit multipliers, by columns */
  int *first;     /* [touch_count] first unknown of a touch: N, then B, then l; -1: not in the problem */
  double *M, *q, *z;
  int *labels;
} problem;

/* Returns the number of directions of a touch at rest. */
static int directions_of(const problem *self, size_t i) {
  const int tangents = self->now->model->touches[i].tangents;
  if (tangents == 0 || !self->start->rests[i]) return 0;
  return tangents == 1 ? 2 : tangents == 2 ? DIRECTIONS : 2 * tangents;
}

static void direction(int tangents, int number, double out[MBS_TANGENTS_MAX]) {
  memset(out, 0, MBS_TANGENTS_MAX * sizeof *out);
  if (tangents != 2) {
    out[number / 2] = number % 2 ? -1 : 1;
    return;
  }
  const double angle = 0.78539816339744830962 * number;
  out[0] = cos(angle);
  out[1] = sin(angle);
}

/* Lists the rows of the touches, and numbers the unknowns. Returns false if memory runs out. */
static bool open_problem(problem *self, mbs_arena *arena) {
  const mbs_model *model = self->now->model;
  self->row_at = mbs_arena_alloc(arena, model->rows + 1, sizeof *self->row_at);
  self->row = mbs_arena_alloc(arena, model->rows + 1, sizeof *self->row);
  self->first = mbs_arena_alloc(arena, model->touch_count, sizeof *self->first);
  if (!self->row_at || !self->row || !self->first) return false;
  MBS_EACH_NEAR(self->now->system->touches, i) {
    const mbs_touch *touch = &model->touches[i];
    self->first[i] = -1;
    if (!self->start->in[i] || touch->sides == 0) continue;
    self->first[i] = (int)self->n;
    const int directions = directions_of(self, i);
    self->n += 1 + (size_t)(directions ? directions + 1 : 0);
    for (int r = touch->first_row; r < touch->first_row + mbs_touch_rows(touch); r++) {
      self->row_at[r] = (int)self->rows;
      self->row[self->rows++] = r;
    }
  }
  self->W = mbs_arena_alloc(arena, self->rows * self->rows, sizeof *self->W);
  self->M = mbs_arena_alloc(arena, self->n * (self->n + 1), sizeof *self->M);
  self->q = mbs_arena_alloc(arena, self->n, sizeof *self->q);
  self->z = mbs_arena_alloc(arena, self->n, sizeof *self->z);
  self->labels = mbs_arena_alloc(arena, 2 * self->n + 1, sizeof *self->labels);
  return self->W && self->M && self->q && self->z && self->labels;
}

/* Computes the effects of unit multipliers, with the present factors. */
static void find_effects(problem *self) {
  mbs_system *system = self->now->system;
  double *unit = self->now->work->after, *out = self->now->work->after; /* one after the other */
  double *push = system->touches->push;
  for (size_t c = 0; c < self->rows; c++) {
    memset(unit, 0, self->now->model->rows * sizeof *unit);
    unit[self->row[c]] = 1;
    mbs_jacobian_transposed(system, unit, push);
    mbs_resolve(system, push, NULL);
    mbs_jacobian_times(system, system->vdot, out);
    for (size_t r = 0; r < self->rows; r++) self->W[c * self->rows + r] = out[self->row[r]];
  }
}

/* The forces of one unknown, or a condition on the accelerations, as coefficients of the rows of its touch. */
static void part_of(const problem *self, size_t i, int number, bool force, double out[1 + MBS_TANGENTS_MAX]) {
  const mbs_touch *touch = &self->now->model->touches[i];
  const mbs_touch_state *state = &self->now->at[i];
  memset(out, 0, (1 + MBS_TANGENTS_MAX) * sizeof *out);
  if (number == 0) {
    out[0] = mbs_touch_signed(state, 1);
    for (int c = 0; c < touch->tangents && force && !self->start->rests[i]; c++)
      out[1 + c] = -self->start->mu[i] * state->direction[c];
  } else if (number <= directions_of(self, i)) {
    direction(touch->tangents, number - 1, out + 1);
  }
}

/* Returns a touch's condition for the accelerations in `a` (by row_at), or for one column of W. */
static double condition_of(const problem *self, size_t i, const double part[1 + MBS_TANGENTS_MAX], const double *a) {
  const mbs_touch *touch = &self->now->model->touches[i];
  const double *at = a + self->row_at[touch->first_row];
  double sum = 0;
  for (int e = 0; e <= touch->tangents; e++) sum += part[e] * at[e];
  return sum;
}

static void fill(problem *self) {
  static const double perturbation = 1e-9;
  const mbs_model *model = self->now->model;
  const size_t n = self->n, width = n + 1;
  double *a = self->start->values, size = 0, part[1 + MBS_TANGENTS_MAX], effect[1 + MBS_TANGENTS_MAX];
  for (size_t r = 0; r < self->rows; r++) size = fmax(size, fabs(a[self->row[r]]));
  MBS_EACH_NEAR(self->now->system->touches, i) {
    if (self->first[i] < 0) continue;
    const int count = directions_of(self, i), base = self->first[i];
    const mbs_touch *touch = &model->touches[i];
    for (int k = 0; k <= count; k++) {
      const size_t at = (size_t)(base + k);
      part_of(self, i, k, false, part);
      for (int e = 0; e <= touch->tangents; e++) self->q[at] += part[e] * a[touch->first_row + e];
      /* ties would let the method cycle; the search corrects what this changes */
      self->q[at] += perturbation * size * (1 + fmod(0.6180339887 * (double)at, 1));
      MBS_EACH_NEAR(self->now->system->touches, j) {
        if (self->first[j] < 0) continue;
        const mbs_touch *other = &model->touches[j];
        for (int m = 0; m <= directions_of(self, j); m++) {
          double sum = 0;
          part_of(self, j, m, true, effect);
          for (int e = 0; e <= other->tangents; e++)
            if (effect[e] != 0)
              sum += effect[e] *
                     condition_of(self, i, part, self->W + (size_t)(self->row_at[other->first_row] + e) * self->rows);
          self->M[at * width + (size_t)(self->first[j] + m)] = sum;
        }
      }
      if (count && k > 0) self->M[at * width + (size_t)(base + count + 1)] = 1;
    }
    if (count == 0) continue;
    double *row = self->M + (size_t)(base + count + 1) * width;
    row[base] = self->start->mu[i];
    for (int k = 1; k <= count; k++) row[base + k] = -1;
  }
}

/* Sets the modes by the solution. */
static void read_modes(const problem *self) {
  static const double none = 1e-7; /* share of the largest force or acceleration; chosen: above the perturbation */
  const mbs_model *model = self->now->model;
  double force = 0, fastest = 0;
  MBS_EACH_NEAR(self->now->system->touches, i) {
    if (self->first[i] < 0) continue;
    force = fmax(force, self->z[self->first[i]]);
    const int count = directions_of(self, i);
    if (count) fastest = fmax(fastest, self->z[self->first[i] + count + 1]);
  }
  for (size_t r = 0; r < self->rows; r++) fastest = fmax(fastest, fabs(self->start->values[self->row[r]]));
  MBS_EACH_NEAR(self->now->system->touches, i) {
    if (self->first[i] < 0) continue;
    const double *z = self->z + self->first[i];
    mbs_touch_state *state = &self->now->at[i];
    const int count = directions_of(self, i), tangents = model->touches[i].tangents;
    double T[MBS_TANGENTS_MAX] = {0}, d[MBS_TANGENTS_MAX];
    for (int k = 0; k < count; k++) {
      direction(tangents, k, d);
      for (int c = 0; c < tangents; c++) T[c] += z[1 + k] * d[c];
    }
    state->closed = z[0] > none * force;
    state->friction = !state->closed || tangents == 0 ? MBS_FRICTION_OFF : MBS_SLIPS;
    if (state->friction == MBS_SLIPS && self->start->rests[i]) {
      if (z[count + 1] <= none * fastest) state->friction = MBS_STICKS;
      mbs_set_direction(T, tangents, -1, state->direction);
    }
  }
}

bool mbs_touch_find_start(mbs_touch_instant *now, const mbs_touch_start *start) {
  problem self = {.now = now, .start = start};
  mbs_arena *arena = mbs_arena_new(now->model->limits.memory);
  bool found = false;
  if (arena && open_problem(&self, arena)) {
    find_effects(&self);
    fill(&self);
    found = mbs_lcp_lemke(self.n, self.M, self.q, self.z, self.labels);
    if (found) read_modes(&self);
  }
  mbs_arena_free(arena);
  return found;
}
