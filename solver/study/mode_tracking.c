/* Tracks eigenvalues by their vectors. With the vectors v and w of an eigenvalue s at the point, P(s) v = 0, w' P(s) =
 * 0,
 *
 *   P(s) = s^2 M + s C + K,   s(p) := s - w' P(s; p) v / w' (2 s M + C)(p) v
 *
 * is the eigenvalue at the point and has the eigenvalue's derivative by a parameter: changes of v and w have no effect
 * to first order. It is as smooth as the matrices, however close other eigenvalues are. theory (19.14) */
#include "study/mode_tracking.h"

#include <assert.h>
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Two eigenvalues are distinct if they differ by `apart_errors` times the effect of the matrices' errors, and by
 * `apart_share` of the eigenvalue. Its vectors are then as accurate. */
static const double apart_errors = 1e7, apart_share = 1e-8;
/* Error of the eigenvalue algorithm, as a share of the largest eigenvalue. */
static const double algorithm_error = DBL_EPSILON;

struct mbs_mode_tracking {
  mbs_arena *arena;         /* data of the point */
  bool followed, at_point;  /* modes are tracked; the next linearization is that of the point */
  mbs_linearization linear; /* last linearization */
  size_t n, modes, rest;    /* degrees of freedom and modes at the point; number of dependent velocities */
  int *order;               /* [n + rest] velocities at the point, the independent ones last */
  double *values;           /* [2 n] x (real, imaginary) */
  double *right, *left;     /* [modes] x [n] x (real, imaginary) */
  bool *apart;              /* [modes] distinct from all other modes */
};

mbs_mode_tracking *mbs_mode_tracking_new(size_t memory, mbs_arena *arena) {
  mbs_mode_tracking *modes = mbs_arena_alloc(arena, 1, sizeof *modes);
  if (!modes) return NULL;
  *modes = (mbs_mode_tracking){.arena = mbs_arena_new(memory)};
  return modes->arena ? modes : NULL;
}

void mbs_mode_tracking_free(mbs_mode_tracking *modes) {
  if (modes) mbs_arena_free(modes->arena);
}

void mbs_mode_tracking_begin(mbs_mode_tracking *modes) {
  modes->followed = false;
  modes->at_point = true;
}

/* ---- the point ----------------------------------------------------------------------------------------------- */

static double complex entry(const double *pairs, size_t i) { return pairs[2 * i] + pairs[2 * i + 1] * I; }

/* Divides by the textbook formula: library division differs in the last bit. */
static double complex quotient(double complex one, double complex other) {
  const double a = creal(one), b = cimag(one), c = creal(other), d = cimag(other), square = c * c + d * d;
  return (a * c + b * d) / square + (b * c - a * d) / square * I;
}

/* w' A v */
static double complex product(size_t n, const double *w, const double *A, const double *v) {
  double complex sum = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) sum += entry(w, i) * A[j * n + i] * entry(v, j);
  return sum;
}

/* w' (2 s M + C) v */
static double complex slope(const mbs_linearization *linear, double complex s, const double *w, const double *v) {
  return 2 * s * product(linear->n, w, linear->M, v) + product(linear->n, w, linear->C, v);
}

static double *transposed(const double *A, size_t n, mbs_arena *arena) {
  double *out = mbs_arena_alloc(arena, n * n + 1, sizeof *out);
  for (size_t j = 0; out && j < n; j++)
    for (size_t i = 0; i < n; i++) out[i * n + j] = A[j * n + i];
  return out;
}

/* Finds the modes of the transposed matrices. */
static mbs_status find_left(const mbs_linearization *linear, mbs_arena *arena, mbs_eigenmodes *out) {
  const size_t n = linear->n;
  const mbs_pencil pencil = {n,
                             transposed(linear->M, n, arena),
                             transposed(linear->C, n, arena),
                             transposed(linear->K, n, arena),
                             transposed(linear->C_errors, n, arena),
                             transposed(linear->K_errors, n, arena)};
  double *units = mbs_arena_alloc(arena, n + 1, sizeof *units);
  if (!pencil.M || !pencil.C || !pencil.K || !pencil.C_errors || !pencil.K_errors || !units) return MBS_NO_MEMORY;
  for (size_t i = 0; i < n; i++) units[i] = 1;
  return mbs_eigenmodes_find(&pencil, units, 0, arena, out);
}

/* Returns the mode whose eigenvalue is nearest to s. */
static size_t nearest_mode(const mbs_eigenmodes *eigen, double complex s) {
  assert(eigen->modes > 0);
  size_t nearest = 0;
  for (size_t k = 1; k < eigen->modes; k++)
    if (cabs(entry(eigen->values, k) - s) < cabs(entry(eigen->values, nearest) - s)) nearest = k;
  return nearest;
}

/* Returns the effect of the matrices' errors on an eigenvalue. */
static double error_of(const mbs_linearization *linear, double complex s, const double *w, const double *v) {
  const size_t n = linear->n;
  double sum = 0, largest = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      sum +=
          cabs(entry(w, i)) * (cabs(s) * linear->C_errors[j * n + i] + linear->K_errors[j * n + i]) * cabs(entry(v, j));
  for (size_t k = 0; k < 2 * n; k++) largest = fmax(largest, cabs(entry(linear->eigen.values, k)));
  return sum / cabs(slope(linear, s, w, v)) + algorithm_error * largest;
}

/* Returns true if a mode is distinct from all others. */
static bool is_apart(const mbs_mode_tracking *self, size_t number, const double *w, const double *v) {
  assert(number < 2 * self->n);
  const mbs_linearization *linear = &self->linear;
  const double complex s = entry(self->values, number);
  double gap = INFINITY;
  for (size_t k = 0; k < 2 * self->n; k++)
    if (k != number) gap = fmin(gap, cabs(entry(self->values, k) - s));
  return s != 0 && gap > apart_share * cabs(s) && gap > apart_errors * error_of(linear, s, w, v);
}

/* Eigenvalues within this share of the real axis and of each other are equal up to rounding. The share is about the
 * square root of rounding. */
static const double critical_share = 1e-6;

bool mbs_mode_tracking_is_critical(const mbs_mode_tracking *modes, size_t number) {
  if (!modes->followed || number >= 2 * modes->n) return false;
  const double complex s = entry(modes->values, number);
  const double near = critical_share * cabs(s);
  if (s == 0 || fabs(cimag(s)) > near) return false;
  for (size_t k = 0; k < 2 * modes->n; k++)
    if (k != number && cabs(entry(modes->values, k) - s) <= 2 * near) return true;
  return false;
}

/* Stores the vectors of the current linearization. Returns false if memory runs out. */
static bool keep_point(mbs_mode_tracking *self) {
  const mbs_linearization *linear = &self->linear;
  const mbs_eigenmodes *eigen = &linear->eigen;
  const size_t n = self->n = linear->n, modes = self->modes = eigen->modes;
  mbs_eigenmodes left;
  mbs_arena_clear(self->arena);
  self->rest = linear->partition.dependent;
  self->order = mbs_arena_alloc(self->arena, n + self->rest + 1, sizeof *self->order);
  self->values = mbs_arena_alloc(self->arena, 4 * n + 1, sizeof *self->values);
  self->right = mbs_arena_alloc(self->arena, 2 * modes * n + 1, sizeof *self->right);
  self->left = mbs_arena_alloc(self->arena, 2 * modes * n + 1, sizeof *self->left);
  self->apart = mbs_arena_alloc(self->arena, modes + 1, sizeof *self->apart);
  if (!self->order || !self->values || !self->right || !self->left || !self->apart) return false;
  const mbs_status status = find_left(linear, self->arena, &left);
  if (status != MBS_OK) return status != MBS_NO_MEMORY;
  memcpy(self->order, linear->partition.order, (n + self->rest - linear->partition.held) * sizeof *self->order);
  memcpy(self->values, eigen->values, 4 * n * sizeof *self->values);
  memcpy(self->right, eigen->shapes, 2 * modes * n * sizeof *self->right);
  for (size_t k = 0; k < modes; k++) {
    const size_t like = nearest_mode(&left, entry(self->values, k));
    memcpy(self->left + 2 * k * n, left.shapes + 2 * like * n, 2 * n * sizeof *self->left);
    self->apart[k] = is_apart(self, k, self->left + 2 * k * n, self->right + 2 * k * n);
  }
  self->followed = true;
  return true;
}

bool mbs_mode_tracking_update(mbs_mode_tracking *modes, const mbs_linearization *linear) {
  modes->linear = *linear;
  if (linear->A) return true; /* rows at velocity level: modes are not tracked */
  const bool kept = !modes->at_point || keep_point(modes);
  modes->at_point = false;
  return kept;
}

/* ---- near the point ---------------------------------------------------------------------------------------------- */

static bool has_same_velocities(const mbs_mode_tracking *self) {
  const mbs_partition *partition = &self->linear.partition;
  return self->linear.n == self->n && partition->dependent == self->rest &&
         memcmp(partition->order, self->order, (self->n + self->rest - partition->held) * sizeof *self->order) == 0;
}

bool mbs_mode_tracking_value(const mbs_mode_tracking *modes, size_t number, double value[2]) {
  const size_t n = modes->n;
  size_t k = number;
  if (!modes->followed || number >= 2 * n || !has_same_velocities(modes)) return false;
  if (number >= modes->modes) /* the conjugate of a mode */
    for (k = 0; k < modes->modes; k++)
      if (entry(modes->values, k) == conj(entry(modes->values, number))) break;
  if (k >= modes->modes || !modes->apart[k]) return false;
  const double complex s = entry(modes->values, k);
  const double *w = modes->left + 2 * k * n, *v = modes->right + 2 * k * n;
  const double complex rest = s * (s * product(n, w, modes->linear.M, v) + product(n, w, modes->linear.C, v)) +
                              product(n, w, modes->linear.K, v);
  const double complex here = s - quotient(rest, slope(&modes->linear, s, w, v));
  value[0] = creal(here);
  value[1] = number == k ? cimag(here) : -cimag(here);
  return isfinite(value[0]) && isfinite(value[1]);
}
