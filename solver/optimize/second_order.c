/* Second-order test by trials. With directions d_i, from values of L on both sides at distances a and b, and on their
 * diagonals,
 *
 *   H_ii = 2 ((L(x + a d_i) - L(x)) / a + (L(x - b d_i) - L(x)) / b) / (a + b),
 *   H_ij = (2 (L(x + u + v) - L(x) - dL (u + v)) - u'H u - v'H v) / (2 a_i a_j),   u = a_i d_i, v = a_j d_j.
 *
 * If a bound leaves only one side of d_i, H_ii = 2 (L(x + a d_i) - L(x) - a dL d_i) / a^2. If H has a negative
 * eigenvalue, or if its part between the bounds is negative somewhere, trials on both sides confirm it. theory
 * (20.6) */
#include "optimize/second_order.h"

#include "linalg/lapack.h"
#include "study/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { DIRECTIONS_MAX = 12 };
/* A bound that leaves less than this share of the step leaves no step. */
static const double least_step_share = 0.1;
/* Smallest share of each of two combined directions. */
static const double least_part = 1e-3;

typedef struct second_order {
  const mbs_kkt *kkt;
  size_t p, n;
  double *directions;            /* [n x p] the largest entry of each is 1 */
  double ahead[DIRECTIONS_MAX];  /* steps that bounds allow along each direction */
  double behind[DIRECTIONS_MAX]; /* steps that they allow backwards; 0: none */
  double step[DIRECTIONS_MAX];   /* the longer of both, negative if backwards */
  double H[DIRECTIONS_MAX * DIRECTIONS_MAX];
  double *x, *values, *along; /* [p] */
  bool stopped;
} second_order;

/* ---- directions ------------------------------------------------------------------------------------------------ */

/* Lists the parameters whose bounds are not active. Returns their number. */
static size_t choose_loose(const mbs_kkt *kkt, size_t *loose) {
  size_t count = 0;
  for (size_t j = 0; j < kkt->search->p; j++)
    if (!mbs_kkt_bound_active(kkt, j)) loose[count++] = j;
  return count;
}

/* Computes orthonormal rows [m x m]. Those from the returned index on keep the active constraints. Returns m + 1 on
 * failure. */
static size_t find_tangents(const mbs_kkt *kkt, const size_t *loose, size_t m, double *rows) {
  mbs_arena *arena = kkt->search->arena;
  const size_t p = kkt->search->p, most = kkt->active_count + m;
  double *A = mbs_arena_alloc(arena, most * m, sizeof *A), *singular = mbs_arena_alloc(arena, m + 1, sizeof *singular),
         *workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(most, m), sizeof *workspace);
  size_t needed = 0, rank = 0;
  if (!A || !singular || !workspace) return m + 1;
  for (size_t i = 0; i < kkt->active_count; i++) needed += mbs_kkt_constraint_active(kkt, i);
  memset(rows, 0, m * m * sizeof *rows);
  for (size_t k = 0; k < m && needed == 0; k++) rows[k * m + k] = 1;
  if (needed == 0) return 0;
  for (size_t i = 0, row = 0; i < kkt->active_count; i++) {
    if (!mbs_kkt_constraint_active(kkt, i)) continue;
    for (size_t k = 0; k < m; k++) A[row + k * needed] = kkt->rows[i * p + loose[k]];
    row++;
  }
  double *Vt = mbs_arena_alloc(arena, m * m, sizeof *Vt);
  if (!Vt || !mbs_singular_values(needed, m, A, singular, Vt, workspace)) return m + 1;
  while (rank < needed && rank < m && singular[rank] > mbs_dependent_share * singular[0]) rank++;
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k < m; k++) rows[i * m + k] = Vt[i + k * m];
  return rank;
}

/* Stores direction i of all parameters, from `along` [m] of the loose ones. */
static void keep_direction(second_order *self, size_t i, const double *along, const size_t *loose, size_t m) {
  assert(i < self->n && m <= self->p);
  double *direction = self->directions + i * self->p, largest = 0;
  for (size_t k = 0; k < m; k++) largest = fmax(largest, fabs(along[k]));
  for (size_t k = 0; k < m && largest > 0; k++) direction[loose[k]] = along[k] / largest;
}

static bool choose_directions(second_order *self) {
  const mbs_search *search = self->kkt->search;
  size_t *loose = mbs_arena_alloc(search->arena, self->p, sizeof *loose), m, from;
  double *rows, *mixed;
  if (!loose) return false;
  m = choose_loose(self->kkt, loose);
  if (m == 0) return true;
  rows = mbs_arena_alloc(search->arena, m * m, sizeof *rows);
  mixed = mbs_arena_alloc(search->arena, m, sizeof *mixed);
  if (!rows || !mixed || (from = find_tangents(self->kkt, loose, m, rows)) > m) return false;
  const size_t tangents = m - from;
  self->n = tangents < DIRECTIONS_MAX ? tangents : DIRECTIONS_MAX;
  self->directions = mbs_arena_alloc(search->arena, self->n * self->p + 1, sizeof(double));
  for (size_t i = 0; self->directions && i < self->n; i++) {
    memset(mixed, 0, m * sizeof *mixed);
    for (size_t row = from; row < m; row++) {
      const double part = tangents <= DIRECTIONS_MAX
                              ? row - from == i
                              : mbs_random_uniform(mbs_random_bits(search->plan->seed, i, (uint32_t)row, 1)) - 0.5;
      for (size_t k = 0; k < m; k++) mixed[k] += part * rows[row * m + k];
    }
    keep_direction(self, i, mixed, loose, m);
  }
  return self->directions != NULL;
}

/* ---- trials ---------------------------------------------------------------------------------------------------- */

/* Returns the distance that the bounds allow along `d`, at most the step; 0 if it is too short. */
static double allowed_step(const second_order *self, const double *d, double sign) {
  const mbs_kkt *kkt = self->kkt;
  double most = MBS_SECOND_ORDER_STEP;
  for (size_t j = 0; j < self->p; j++) {
    if (d[j] == 0) continue;
    const double to = sign * d[j] > 0 ? kkt->search->high[j] : kkt->search->low[j];
    most = fmin(most, fabs((to - kkt->x[j]) / d[j]));
  }
  return most >= least_step_share * MBS_SECOND_ORDER_STEP ? most : 0;
}

/* Returns L(x + step d) - L(x); NaN if the trial fails or the search must end. */
static double rise(second_order *self, const double *d, double step) {
  const mbs_kkt *kkt = self->kkt;
  if (self->stopped) return NAN;
  for (size_t j = 0; j < self->p; j++) self->x[j] = kkt->x[j] + step * d[j];
  mbs_search_values(kkt->search, self->x, self->values);
  const mbs_trial *trial = mbs_trial_at(kkt->search->trials, self->values, false);
  self->stopped = !trial;
  return trial && trial->status == MBS_OK ? mbs_kkt_lagrangian(kkt, trial) - kkt->value : NAN;
}

static double slope_along(const second_order *self, const double *d) {
  double sum = 0;
  for (size_t j = 0; j < self->p; j++) sum += self->kkt->slopes[j] * d[j];
  return sum;
}

/* Returns d'H d from trials at steps `ahead` and `behind`, one of which may be 0; NaN if unknown. */
static double curve_along(second_order *self, const double *d, double ahead, double behind) {
  const double up = ahead > 0 ? rise(self, d, ahead) : NAN, down = behind > 0 ? rise(self, d, -behind) : NAN;
  if (!isnan(up) && !isnan(down)) return 2 * (up / ahead + down / behind) / (ahead + behind);
  const double step = isnan(up) ? -behind : ahead, value = isnan(up) ? down : up;
  return 2 * (value - step * slope_along(self, d)) / (step * step);
}

/* Returns entry (i, j) of H from the diagonal entries and a trial; 0 if unknown. */
static double mixed_entry(second_order *self, size_t i, size_t j) {
  assert(i < self->n && j < self->n);
  const size_t n = self->n;
  const double a = self->step[i], b = self->step[j], ii = self->H[i * n + i], jj = self->H[j * n + j];
  if (a == 0 || b == 0) return 0;
  for (size_t k = 0; k < self->p; k++)
    self->along[k] = a * self->directions[i * self->p + k] + b * self->directions[j * self->p + k];
  double size = 0;
  for (size_t k = 0; k < self->p; k++) size = fmax(size, fabs(self->along[k]));
  for (size_t k = 0; k < self->p && size > 0; k++) self->along[k] /= size;
  const double most = fmin(size, allowed_step(self, self->along, 1)), share = size > 0 ? most / size : 0;
  if (most == 0) return 0;
  const double value = rise(self, self->along, most) - most * slope_along(self, self->along);
  const double mixed = (2 * value / (share * share) - a * a * ii - b * b * jj) / (2 * a * b);
  return isnan(mixed) ? 0 : mixed;
}

/* Computes H by trials. */
static void fill(second_order *self) {
  assert(self->n <= DIRECTIONS_MAX && self->n <= self->p);
  const size_t n = self->n;
  for (size_t i = 0; i < n; i++) {
    const double *d = self->directions + i * self->p;
    self->ahead[i] = allowed_step(self, d, 1);
    self->behind[i] = allowed_step(self, d, -1);
    self->step[i] = self->ahead[i] >= self->behind[i] ? self->ahead[i] : -self->behind[i];
    double entry = self->step[i] != 0 ? curve_along(self, d, self->ahead[i], self->behind[i]) : NAN;
    if (isnan(entry)) self->step[i] = 0;
    self->H[i * n + i] = isnan(entry) ? 0 : entry;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) self->H[i * n + j] = self->H[j * n + i] = mixed_entry(self, i, j);
}

/* ---- directions of descent --------------------------------------------------------------------------------------- */

/* Combination of directions with the most negative z'H z / |z|^2, and that value. */
typedef struct falling {
  double z[DIRECTIONS_MAX], rate;
} falling;

/* Considers z, without the parts that bounds do not allow. */
static void consider_one(const second_order *self, const double *z, double sign, falling *best) {
  const size_t n = self->n;
  double kept[DIRECTIONS_MAX], sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    const double part = sign * z[i];
    kept[i] = self->step[i] == 0 || (part > 0 && self->ahead[i] == 0) || (part < 0 && self->behind[i] == 0) ? 0 : part;
    squares += kept[i] * kept[i];
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) sum += kept[i] * self->H[i * n + j] * kept[j];
  if (!(squares > 0) || !(sum / squares < best->rate)) return;
  best->rate = sum / squares;
  memcpy(best->z, kept, n * sizeof *kept);
}

/* Considers combinations of directions i and j with either sign, in the proportions that decrease L most if both have
 * positive curvature. */
static void consider_two(const second_order *self, size_t i, size_t j, falling *best) {
  const double *H = self->H, least = least_part * sqrt(fabs(H[i * self->n + j]));
  for (int sides = 0; sides < 4; sides++) {
    double z[DIRECTIONS_MAX] = {0};
    z[i] = sqrt(fmax(H[j * self->n + j], 0)) + least;
    z[j] = (sides & 1 ? -1 : 1) * (sqrt(fmax(H[i * self->n + i], 0)) + least);
    consider_one(self, z, sides & 2 ? -1 : 1, best);
  }
}

/* Considers each direction, each pair, and the eigenvectors of H. Pairs suffice for directions with one allowed side
 * only. */
static falling find_falling(const second_order *self) {
  const size_t n = self->n;
  falling best = {.rate = 0};
  double V[DIRECTIONS_MAX * DIRECTIONS_MAX], values[DIRECTIONS_MAX];
  double *workspace = mbs_arena_alloc(self->kkt->search->arena, mbs_lapack_workspace(n, n), sizeof *workspace);
  for (size_t i = 0; i < n; i++) {
    double z[DIRECTIONS_MAX] = {0};
    z[i] = self->ahead[i] > 0 ? 1 : -1;
    consider_one(self, z, 1, &best);
    for (size_t j = 0; j < i; j++) consider_two(self, i, j, &best);
  }
  memcpy(V, self->H, n * n * sizeof *V);
  if (n == 0 || !workspace || !mbs_symmetric_eigen(n, V, values, workspace)) return best;
  for (size_t i = 0; i < n && values[i] < 0; i++)
    for (int sign = -1; sign <= 1; sign += 2) consider_one(self, V + i * n, sign, &best);
  return best;
}

/* The combination as a direction of all parameters, its largest entry 1; false: it is none. */
static bool combine(const second_order *self, const falling *found, double *direction) {
  double largest = 0;
  memset(direction, 0, self->p * sizeof *direction);
  for (size_t i = 0; i < self->n; i++)
    for (size_t j = 0; j < self->p; j++) direction[j] += found->z[i] * self->directions[i * self->p + j];
  for (size_t j = 0; j < self->p; j++) largest = fmax(largest, fabs(direction[j]));
  for (size_t j = 0; j < self->p && largest > 0; j++) direction[j] /= largest;
  return largest > 0;
}

mbs_second_order mbs_second_order_check(const mbs_kkt *kkt, double gain, double *direction) {
  mbs_arena *arena = kkt->search->arena;
  const size_t p = kkt->search->p;
  second_order self = {.kkt = kkt, .p = p};
  self.x = mbs_arena_alloc(arena, p, sizeof(double));
  self.values = mbs_arena_alloc(arena, p, sizeof(double));
  self.along = mbs_arena_alloc(arena, p, sizeof(double));
  if (!self.x || !self.values || !self.along || !choose_directions(&self)) return MBS_SECOND_ORDER_MINIMUM;
  fill(&self);
  if (self.stopped) return MBS_SECOND_ORDER_STOPPED;
  const falling found = find_falling(&self);
  if (!(found.rate < 0) || !combine(&self, &found, direction)) return MBS_SECOND_ORDER_MINIMUM;
  const double rate =
      curve_along(&self, direction, allowed_step(&self, direction, 1), allowed_step(&self, direction, -1));
  if (self.stopped) return MBS_SECOND_ORDER_STOPPED;
  return -0.5 * rate * MBS_SECOND_ORDER_STEP * MBS_SECOND_ORDER_STEP > gain ? MBS_SECOND_ORDER_DESCENT
                                                                            : MBS_SECOND_ORDER_MINIMUM;
}
