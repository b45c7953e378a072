/* Computes the state matrix A of a linearization with rows of velocity level, laws that stick, or states, and the
 * matrix Gamma of rotations. */
#include "simulate/linearize_differences.h"

#include "constraints/rank.h"
#include "equations/sliding.h"
#include "equations/state.h"
#include "linalg/lapack.h"
#include "simulate/eigenmodes.h"

#include <math.h>
#include <string.h>

bool mbs_differences_turning(const mbs_differences *self, double *Gamma) {
  const mbs_model *model = self->system->model;
  const mbs_linearization *out = self->out;
  const mbs_partition *partition = mbs_differences_positions(out);
  bool any = false;
  for (size_t b = 1; b <= model->nB && model->nq != model->nv; b++) {
    const int w = model->first_v[b + 1] - 3;
    if (model->first_q[b + 1] - model->first_q[b] == model->first_v[b + 1] - model->first_v[b]) continue;
    const double *omega = self->v + w;
    any |= omega[0] != 0 || omega[1] != 0 || omega[2] != 0;
    for (size_t i = 0; i + partition->held < out->positions; i++) {
      const int row = partition->order[partition->dependent + i] - w;
      if (row < 0 || row > 2) continue;
      const int next = (row + 1) % 3, last = (row + 2) % 3;
      for (size_t j = 0; j < out->positions; j++) {
        const double *turn = out->Rq + j * model->nv + w;
        Gamma[j * out->positions + i] = omega[next] * turn[last] - omega[last] * turn[next];
      }
    }
  }
  return any;
}

size_t mbs_differences_sticking(const mbs_system *system) {
  const mbs_sliding *sliding = system->sliding;
  size_t count = 0;
  for (size_t i = 0; i < sliding->moving_count; i++) count += sliding->surfaces[sliding->moving[i]].order == 1;
  return count;
}

/* Computes the rows J u = 0 of the laws that hold velocities, J [sticking x n] by row, each solved for a velocity: J
 * has 1 there and 0 in the other rows. Sets `pivots` to these velocities, -1 if a row depends on others. */
static void find_held_rows(mbs_differences *self, double *J, int *pivots) {
  mbs_system *system = self->system;
  const mbs_sliding *sliding = system->sliding;
  const size_t n = self->out->n, nv = system->model->nv;
  size_t count = 0;
  mbs_set_position(system, self->t, self->q);
  mbs_set_velocity(system, self->v);
  for (size_t i = 0; i < sliding->moving_count; i++) {
    const mbs_surface *surface = &sliding->surfaces[sliding->moving[i]];
    double *row = J + count * n, largest = 0, most = 0;
    if (surface->order != 1) continue;
    mbs_sliding_row(system, surface->leader, 1, self->spread);
    for (size_t j = 0; j < n; j++) {
      row[j] = 0;
      for (size_t k = 0; k < nv; k++) row[j] += self->spread[k] * self->out->R[j * nv + k];
      largest = fmax(largest, fabs(row[j]) * mbs_differences_unit(self, j, MBS_UNKNOWN_VELOCITIES));
    }
    pivots[count] = -1;
    for (size_t r = 0; r < count; r++)
      for (size_t j = 0, of = (size_t)pivots[r]; j < n && pivots[r] >= 0; j++)
        if (j != of) row[j] -= row[of] * J[r * n + j];
    for (size_t r = 0; r < count; r++)
      if (pivots[r] >= 0) row[pivots[r]] = 0;
    for (size_t j = 0; j < n; j++) {
      const double size = fabs(row[j]) * mbs_differences_unit(self, j, MBS_UNKNOWN_VELOCITIES);
      if (!(size > most) || !(size > mbs_rank_tolerance * largest)) continue;
      most = size;
      pivots[count] = (int)j;
    }
    const double pivot = most > 0 ? row[pivots[count]] : 0;
    for (size_t j = 0; j < n; j++) row[j] = most > 0 ? row[j] / pivot : 0;
    for (size_t r = 0; r < count && most > 0; r++) {
      const double share = J[r * n + (size_t)pivots[count]];
      for (size_t j = 0; j < n; j++) J[r * n + j] -= share * row[j];
    }
    count++;
  }
}

/* Removes the velocities from A that laws that stick determine. Returns false if memory runs out. */
static bool remove_held(mbs_differences *self, double *units) {
  mbs_linearization *out = self->out;
  mbs_arena *arena = self->system->arena;
  const size_t n = out->n, p = out->positions, size = p + n + out->states;
  double *J = mbs_arena_alloc(arena, self->sticking * n + 1, sizeof *J), *A = out->A;
  int *pivots = mbs_arena_alloc(arena, self->sticking + 1, sizeof *pivots);
  out->held = mbs_arena_alloc(arena, n + 1, sizeof *out->held);
  if (!J || !pivots || !out->held) return false;
  find_held_rows(self, J, pivots);
  for (size_t r = 0; r < self->sticking; r++) {
    if (pivots[r] < 0) continue;
    out->held[pivots[r]] = true;
    out->moving--;
  }
  for (size_t r = 0; r < self->sticking; r++)
    for (size_t j = 0; j < n && pivots[r] >= 0; j++)
      for (size_t i = 0; i < size && !out->held[j]; i++)
        A[(p + j) * size + i] -= J[r * n + j] * A[(p + (size_t)pivots[r]) * size + i];
  size_t columns = 0, entries = 0;
  for (size_t j = 0; j < size; j++) {
    if (j >= p && j < p + n && out->held[j - p]) continue;
    units[columns++] = units[j];
    for (size_t i = 0; i < size; i++) {
      if (i >= p && i < p + n && out->held[i - p]) continue;
      A[entries] = A[j * size + i];
      out->A_errors[entries++] = out->A_errors[j * size + i];
    }
  }
  return true;
}

mbs_status mbs_differences_state_matrix(mbs_differences *self) {
  mbs_linearization *out = self->out;
  mbs_arena *arena = self->system->arena;
  const size_t n = out->n, p = out->positions, first = p + n, rows = first + out->states,
               more = mbs_differences_equations(self) - n;
  double *M = mbs_arena_alloc(arena, n * n + 1, sizeof *M),
         *right = mbs_arena_alloc(arena, 2 * n * rows + 1, sizeof *right), *errors = right + n * rows,
         *Gamma = mbs_arena_alloc(arena, p * p + 1, sizeof *Gamma),
         *units = mbs_arena_alloc(arena, rows + 1, sizeof *units), error = 0;
  int *pivots = mbs_arena_alloc(arena, n + 1, sizeof *pivots);
  if (!M || !right || !Gamma || !units || !pivots) return MBS_NO_MEMORY;
  mbs_differences_turning(self, Gamma);
  memcpy(M, out->M, n * n * sizeof *M);
  const struct {
    const double *of, *errors;
    size_t columns;
  } parts[] = {{out->K, out->K_errors, p}, {out->C, out->C_errors, n}, {self->F, self->F_errors, out->states}};
  for (size_t k = 0, at = 0; k < 3; at += n * parts[k++].columns)
    for (size_t i = 0; i < n * parts[k].columns; i++) {
      right[at + i] = -parts[k].of[i];
      errors[at + i] = parts[k].errors[i];
    }
  if (n && !(mbs_lu_factor(n, M, pivots) > 0)) return MBS_NOT_FINITE;
  mbs_lu_solve(n, rows, M, pivots, right);
  for (size_t i = 0; i < rows; i++)
    units[i] = i < p       ? mbs_differences_unit(self, i, MBS_UNKNOWN_POSITIONS)
               : i < first ? mbs_differences_unit(self, i - p, MBS_UNKNOWN_VELOCITIES)
                           : mbs_differences_unit(self, i - first, MBS_UNKNOWN_STATES);
  for (size_t j = 0; j < rows; j++) {
    double *column = out->A + j * rows, *column_errors = out->A_errors + j * rows;
    const double *rates = self->G + j * more, *rate_errors = self->G_errors + j * more;
    for (size_t i = 0; i < p; i++)
      column[i] = (self->rates ? rates[i] : j == p + i ? 1 : 0) + (j < p ? Gamma[j * p + i] : 0);
    for (size_t i = 0; i < n; i++) {
      column[p + i] = right[j * n + i] + 0.0; /* not -0 */
      column_errors[p + i] = errors[j * n + i] / out->M[i * n + i];
      error = fmax(error, column_errors[p + i] * units[j] / units[p + i]);
    }
    memcpy(column + first, rates + self->rates, out->states * sizeof *rates);
    for (size_t i = 0; i < more; i++) {
      const size_t row = i < self->rates ? i : first + i - self->rates;
      column_errors[row] = rate_errors[i];
      error = fmax(error, rate_errors[i] * units[j] / units[row]);
    }
  }
  if (self->sticking && !remove_held(self, units)) return MBS_NO_MEMORY;
  return mbs_eigenmodes_of_matrix(p + out->moving + out->states, p, out->A, units, error, arena, &out->eigen);
}
