/* Finds the eigenvalues of
 *
 *   (y, u)' = (u, A_z y + A_u u),   A_z = -M^-1 K,  A_u = -M^-1 C,
 *
 * in coordinates x = d y in which M has a diagonal of 1. Time is scaled so that both parts have one size. Errors of the
 * algorithm are proportional to the fastest eigenvalue. Newton's iteration corrects each of the much slower ones:
 *
 *   P(s) = s^2 M + s C + K,   P v = 0,  P' w = 0,   s := s - w' P v / w' (2 s M + C) v.
 *
 * v and w follow from inverse iteration. The rows and columns of P are scaled to one size, as stiff and soft ones occur
 * in one model. */
#include "simulate/eigenmodes.h"

#include "base/norms.h"
#include "base/rotation.h"
#include "linalg/lapack.h"

#include <assert.h>
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The error of the eigenvalue algorithm for each row, as a share of the largest entry. A stiffness below this error and
 * those of the differences cannot be distinguished from zero, nor an eigenvalue below its square root: it is set to
 * zero. */
static const double algorithm_error = 16 * DBL_EPSILON;
/* Eigenvalues below slow_share of the fastest are refined. They may move by `farthest` of themselves, and by `apart` of
 * their distance from another one or by the error of the algorithm. */
static const double slow_share = 1.0 / 64, farthest = 0.1, apart = 0.25;
/* Newton's iteration ends at a smaller relative step. */
static const double settled = 4 * DBL_EPSILON;
enum { NEWTON_MAX = 5, INVERSE_MAX = 3 };

typedef struct mode {
  double complex value;
  size_t number; /* index in the list of eigenvalues */
} mode;

typedef struct work {
  const mbs_pencil *pencil;
  size_t n;
  double *d;             /* [n] x = d y */
  double *M, *C, *K;     /* [n x n] in y */
  double *Az, *Au;       /* [n x n] */
  double *inverse;       /* [n x n] M^-1 */
  double complex *value; /* [2 n] eigenvalues */
  double complex *shape; /* [2 n] x [n] their y */
  double rate;           /* scale of eigenvalues */
  double error;          /* absolute error of the algorithm */
  double *P, *PT;        /* [4 n^2] scaled P(s), with complex numbers as 2 x 2 blocks, and its transpose; later their
                          * factors */
  int *pivots, *pivotsT; /* [2 n] */
  double *v, *w, *start; /* [2 n] real parts, then imaginary parts */
  double *scale;         /* [n] */
  double *workspace;
} work;

static bool open_work(work *self, mbs_arena *arena) {
  const size_t n = self->n, rows = 2 * n;
  const struct {
    double **array;
    size_t count;
  } arrays[] = {{&self->d, n},
                {&self->M, n * n},
                {&self->C, n * n},
                {&self->K, n * n},
                {&self->Az, n * n},
                {&self->Au, n * n},
                {&self->inverse, n * n},
                {&self->P, rows * rows},
                {&self->PT, rows * rows},
                {&self->v, rows},
                {&self->w, rows},
                {&self->start, rows},
                {&self->scale, n},
                {&self->workspace, mbs_lapack_workspace(rows, rows)}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i].array = mbs_arena_alloc(arena, arrays[i].count + 1, sizeof(double)))) return false;
  self->value = mbs_arena_alloc(arena, rows + 1, sizeof *self->value);
  self->shape = mbs_arena_alloc(arena, rows * n + 1, sizeof *self->shape);
  self->pivots = mbs_arena_alloc(arena, rows + 1, sizeof *self->pivots);
  self->pivotsT = mbs_arena_alloc(arena, rows + 1, sizeof *self->pivotsT);
  return self->value && self->shape && self->pivots && self->pivotsT;
}

/* ---- the first-order system ------------------------------------------------------------------------------------ */

/* out := d A d */
static void scale_matrix(const work *self, const double *A, double *out) {
  for (size_t j = 0; j < self->n; j++)
    for (size_t i = 0; i < self->n; i++) out[j * self->n + i] = self->d[i] * A[j * self->n + i] * self->d[j];
}

/* Computes M, C, K in y, and A_z, A_u. */
static void normalize(work *self) {
  const size_t n = self->n;
  for (size_t i = 0; i < n; i++) {
    const double m = self->pencil->M[i * n + i];
    self->d[i] = m > 0 ? 1 / sqrt(m) : 1;
    self->inverse[i * n + i] = 1;
  }
  scale_matrix(self, self->pencil->M, self->M);
  scale_matrix(self, self->pencil->C, self->C);
  scale_matrix(self, self->pencil->K, self->K);
  memcpy(self->P, self->M, n * n * sizeof *self->P);
  mbs_lu_factor(n, self->P, self->pivots);
  for (size_t i = 0; i < n * n; i++) {
    self->Az[i] = -self->K[i];
    self->Au[i] = -self->C[i];
  }
  mbs_lu_solve(n, n, self->P, self->pivots, self->Az);
  mbs_lu_solve(n, n, self->P, self->pivots, self->Au);
  mbs_lu_solve(n, n, self->P, self->pivots, self->inverse);
}

/* Returns the largest entry of |M^-1| errors, the error of A_z or A_u. */
static double spread_errors(work *self, const double *errors) {
  const size_t n = self->n;
  double largest = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++)
        sum += fabs(self->inverse[k * n + i]) * self->d[k] * errors[j * n + k] * self->d[j];
      largest = fmax(largest, sum);
    }
  return largest;
}

/* theory (15.9) */
static double find_resolution(work *self, double rounding) {
  const size_t n = self->n;
  const double stiffness = mbs_largest(self->Az, n * n), damping = mbs_largest(self->Au, n * n);
  const double share = algorithm_error * 2 * (double)n, lost = mbs_rounding_error * rounding;
  const double stiffness_error = spread_errors(self, self->pencil->K_errors),
               damping_error = spread_errors(self, self->pencil->C_errors);
  self->rate = fmax(sqrt(stiffness), damping) > 0 ? fmax(sqrt(stiffness), damping) : 1;
  self->error = share * self->rate;
  return fmax(sqrt(share * stiffness + mbs_estimated_errors * stiffness_error + lost),
              share * damping + mbs_estimated_errors * damping_error + lost / self->rate);
}

/* Stores eigenvalues [rows] and shapes from the format of mbs_general_eigen(). */
static void take_eigen(work *self, size_t rows, double rate, const double *real, const double *imaginary,
                       const double *V) {
  const size_t n = self->n;
  for (size_t k = 0; k < rows; k++) {
    self->value[k] = rate * (real[k] + imaginary[k] * I);
    /* the columns of a pair are the real and the imaginary part of its first vector */
    const double *x = V + (imaginary[k] < 0 ? k - 1 : k) * rows, *y = imaginary[k] != 0 ? x + rows : NULL;
    for (size_t i = 0; i < n; i++) self->shape[k * n + i] = x[i] + (y ? copysign(1, imaginary[k]) * y[i] : 0) * I;
  }
}

/* Computes all eigenvalues and shapes of (0, 1; A_z / rate^2, A_u / rate). theory (15.8) */
static bool solve_first_order(work *self) {
  const size_t n = self->n, rows = 2 * n;
  double *A = self->P, *V = self->PT, *real = self->v, *imaginary = self->w;
  memset(A, 0, rows * rows * sizeof *A);
  for (size_t j = 0; j < n; j++) {
    A[(n + j) * rows + j] = 1;
    for (size_t i = 0; i < n; i++) {
      A[j * rows + n + i] = self->Az[j * n + i] / (self->rate * self->rate);
      A[(n + j) * rows + n + i] = self->Au[j * n + i] / self->rate;
    }
  }
  if (!mbs_general_eigen(rows, A, real, imaginary, V, self->workspace)) return false;
  take_eigen(self, rows, self->rate, real, imaginary, V);
  return true;
}

/* ---- Newton's iteration for one eigenvalue ----------------------------------------------------------------------- */

/* Sets an entry of a matrix with `rows` rows: n of real numbers, or 2 n of complex numbers. */
static void set_entry(double *A, size_t rows, size_t n, size_t i, size_t j, double complex entry) {
  assert(rows == n || rows == 2 * n);
  A[j * rows + i] = creal(entry);
  if (rows == n) return;
  A[(n + j) * rows + n + i] = creal(entry);
  A[j * rows + n + i] = cimag(entry);
  A[(n + j) * rows + i] = -cimag(entry);
}

/* Computes P(s) and its transpose, scaled, and their factors; real numbers if s is real. Returns false if P is exactly
 * singular. */
static bool factor(work *self, double complex s) {
  const size_t n = self->n, rows = cimag(s) != 0 ? 2 * n : n;
  const double size = cabs(s);
  for (size_t i = 0; i < n; i++) {
    const size_t at = i * n + i;
    self->scale[i] = 1 / sqrt(size * size + size * fabs(self->C[at]) + fabs(self->K[at]));
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      const size_t at = j * n + i;
      const double complex entry =
          self->scale[i] * (s * s * self->M[at] + s * self->C[at] + self->K[at]) * self->scale[j];
      set_entry(self->P, rows, n, i, j, entry);
      set_entry(self->PT, rows, n, j, i, entry);
    }
  return mbs_lu_factor(rows, self->P, self->pivots) > 0 && mbs_lu_factor(rows, self->PT, self->pivotsT) > 0;
}

static double complex entry_of(const work *self, const double *x, size_t i, bool real) {
  return real ? x[i] : x[i] + x[self->n + i] * I;
}

/* Repeats x := P^-1 x, scaled to a largest entry of 1. */
static void iterate(const double *factors, const int *pivots, size_t rows, double *x) {
  for (int k = 0; k < INVERSE_MAX; k++) {
    mbs_lu_solve(rows, 1, factors, pivots, x);
    const double largest = mbs_largest(x, rows);
    for (size_t i = 0; i < rows; i++) x[i] /= largest;
  }
}

/* Sets x to the current eigenvector (sign 1) or its conjugate (sign -1), as the start of the iteration. */
static void begin(const work *self, const double complex *shape, bool real, double sign, double *x) {
  for (size_t i = 0; i < self->n; i++) {
    const double complex entry = shape[i] / self->scale[i];
    x[i] = creal(entry);
    if (!real) x[self->n + i] = sign * cimag(entry);
  }
}

/* Divides by the written formula, as libraries differ in the last bit. */
static double complex quotient(double complex one, double complex other) {
  const double a = creal(one), b = cimag(one), c = creal(other), d = cimag(other), square = c * c + d * d;
  if (d == 0) return a / c + b / c * I;
  return (a * c + b * d) / square + (b * c - a * d) / square * I;
}

/* Returns Newton's step from s; NAN if there is none. Sets v to the scaled eigenvector. */
static double complex newton_step(work *self, double complex s, const double complex *shape) {
  const size_t n = self->n;
  const bool real = cimag(s) == 0;
  const size_t rows = real ? n : 2 * n;
  if (!factor(self, s) && !factor(self, s * (1 + settled))) return NAN;
  begin(self, shape, real, 1, self->v);
  begin(self, shape, real, -1, self->w);
  iterate(self->P, self->pivots, rows, self->v);
  iterate(self->PT, self->pivotsT, rows, self->w);
  /* a further solution: P v = start */
  memcpy(self->start, self->v, rows * sizeof *self->v);
  mbs_lu_solve(rows, 1, self->P, self->pivots, self->v);
  double complex product = 0, slope = 0;
  for (size_t i = 0; i < n; i++) product += entry_of(self, self->w, i, real) * entry_of(self, self->start, i, real);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      const size_t at = j * n + i;
      slope += entry_of(self, self->w, i, real) * entry_of(self, self->v, j, real) * self->scale[i] *
               (2 * s * self->M[at] + self->C[at]) * self->scale[j];
    }
  return quotient(-product, slope);
}

/* Returns the largest allowed change of an eigenvalue. */
static double room_of(const work *self, size_t number) {
  assert(number < 2 * self->n);
  const double complex s = self->value[number];
  double nearest = INFINITY;
  for (size_t k = 0; k < 2 * self->n; k++)
    if (k != number) nearest = fmin(nearest, cabs(self->value[k] - s));
  return fmin(farthest * cabs(s), fmax(apart * nearest, self->error));
}

/* Refines a slow eigenvalue to full precision, and its shape. Keeps both if the iteration moves too far. */
static void refine(work *self, size_t number) {
  assert(number < 2 * self->n);
  const double complex first = self->value[number];
  double complex *shape = self->shape + number * self->n, s = first;
  const double room = room_of(self, number);
  double moved = INFINITY;
  for (int k = 0; k < NEWTON_MAX && moved > settled * cabs(s); k++) {
    const double complex step = newton_step(self, s, shape);
    if (!(cabs(s + step - first) <= room)) return;
    s += step;
    moved = cabs(step);
  }
  const double largest = mbs_largest(self->v, cimag(s) != 0 ? 2 * self->n : self->n);
  for (size_t i = 0; i < self->n; i++) shape[i] = entry_of(self, self->v, i, cimag(s) == 0) / largest * self->scale[i];
  self->value[number] = s;
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* Frequencies that differ by less than this share differ only by rounding. */
static const double same_frequency = 1e-11;

static double frequency_of(double complex s) { return cimag(s) != 0 ? cabs(s) : 0; }

/* Compares modes by frequency, then by damping. */
static int compare_modes(const void *a, const void *b) {
  const mode *x = a, *y = b;
  const double one = frequency_of(x->value), other = frequency_of(y->value);
  if (fabs(one - other) > same_frequency * fmax(one, other)) return one > other ? 1 : -1;
  if (creal(x->value) != creal(y->value)) return creal(x->value) < creal(y->value) ? 1 : -1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Stores a shape in x, scaled so that its largest component in `units` is 1. */
static void store_shape(const work *self, size_t number, const double *units, bool real, double *shape) {
  if (self->n == 0) return;
  const double complex *y = self->shape + number * self->n;
  size_t largest = 0;
  double most = -1;
  for (size_t i = 0; i < self->n; i++) {
    const double complex x = (real ? creal(y[i]) : y[i]) * self->d[i] / units[i];
    const double square = creal(x) * creal(x) + cimag(x) * cimag(x);
    if (!(square > most * (1 + 1e-9))) continue;
    most = square;
    largest = i;
  }
  const double complex one = (real ? creal(y[largest]) : y[largest]) * self->d[largest];
  for (size_t i = 0; i < self->n; i++) {
    const double complex here = (real ? creal(y[i]) : y[i]) * self->d[i], x = most > 0 ? quotient(here, one) : here;
    shape[2 * i] = creal(x);
    shape[2 * i + 1] = cimag(x);
  }
}

/* Returns true if eigenvalue k can be distinguished from zero. */
static bool is_nonzero(const work *self, size_t k, double resolution) { return cabs(self->value[k]) > resolution; }

/* Lists the modes of the eigenvalues [rows] by frequency, with the values and shapes of each, in `out`. */
static void list_modes(const work *self, size_t rows, const double *units, mode *modes, mbs_eigenmodes *out) {
  for (size_t k = 0; k < rows; k++) {
    const bool nonzero = is_nonzero(self, k, out->resolution);
    if (nonzero && cimag(self->value[k]) < 0) continue;
    /* a double zero is computed as a real or complex pair, as large as the root of a rounding error: two zeros, one
     * shape */
    modes[out->modes++] = (mode){nonzero ? self->value[k] : 0, !nonzero && cimag(self->value[k]) < 0 ? k - 1 : k};
  }
  qsort(modes, out->modes, sizeof *modes, compare_modes);
  size_t next = out->modes;
  for (size_t k = 0; k < out->modes; k++) {
    const double complex s = modes[k].value;
    out->values[2 * k] = creal(s);
    out->values[2 * k + 1] = cimag(s);
    store_shape(self, modes[k].number, units, cimag(s) == 0, out->shapes + 2 * self->n * k);
    if (cimag(s) == 0) continue;
    out->values[2 * next] = creal(s);
    out->values[2 * next++ + 1] = -cimag(s);
    assert(next <= rows);
  }
}

mbs_status mbs_eigenmodes_find(const mbs_pencil *pencil, const double *units, double rounding, mbs_arena *arena,
                               mbs_eigenmodes *out) {
  const size_t n = pencil->n, rows = 2 * n;
  work self = {.pencil = pencil, .n = n};
  mode *modes = mbs_arena_alloc(arena, rows + 1, sizeof *modes);
  *out = (mbs_eigenmodes){.values = mbs_arena_alloc(arena, 2 * rows + 1, sizeof *out->values),
                          .shapes = mbs_arena_alloc(arena, 2 * rows * n + 1, sizeof *out->shapes)};
  if (!open_work(&self, arena) || !modes || !out->values || !out->shapes) return MBS_NO_MEMORY;
  normalize(&self);
  out->resolution = find_resolution(&self, rounding);
  if (!solve_first_order(&self)) return MBS_NOT_FINITE;
  for (size_t k = 0; k < rows; k++)
    if (is_nonzero(&self, k, out->resolution) && cimag(self.value[k]) >= 0 &&
        cabs(self.value[k]) < slow_share * self.rate)
      refine(&self, k);
  list_modes(&self, rows, units, modes, out);
  return MBS_OK;
}

/* Refines the slow eigenvalues of A [n x n], whose pencil is P(s) = s - A. */
static void refine_matrix(work *self, const double *A, double resolution) {
  const size_t n = self->n;
  for (size_t i = 0; i < n; i++) {
    self->C[i * n + i] = 1;
    self->rate = fmax(self->rate, cabs(self->value[i]));
  }
  for (size_t i = 0; i < n * n; i++) self->K[i] = -A[i];
  for (size_t k = 0; k < n; k++)
    if (is_nonzero(self, k, resolution) && cimag(self->value[k]) >= 0 && cabs(self->value[k]) < slow_share * self->rate)
      refine(self, k);
}

mbs_status mbs_eigenmodes_of_matrix(size_t rows, size_t n, const double *A, const double *units, double error,
                                    mbs_arena *arena, mbs_eigenmodes *out) {
  work self = {.n = rows}, listed = {.n = n};
  mode *modes = mbs_arena_alloc(arena, rows + 1, sizeof *modes);
  double *scaled = mbs_arena_alloc(arena, 2 * rows * rows + 1, sizeof *scaled), *kept = scaled + rows * rows,
         *V = mbs_arena_alloc(arena, rows * rows + 1, sizeof *V),
         *parts = mbs_arena_alloc(arena, 2 * rows + 1, sizeof *V);
  listed.d = mbs_arena_alloc(arena, n + 1, sizeof *listed.d);
  listed.shape = mbs_arena_alloc(arena, rows * n + 1, sizeof *listed.shape);
  *out = (mbs_eigenmodes){.values = mbs_arena_alloc(arena, 2 * rows + 1, sizeof *out->values),
                          .shapes = mbs_arena_alloc(arena, 2 * rows * n + 1, sizeof *out->shapes)};
  if (!open_work(&self, arena) || !modes || !scaled || !V || !parts || !listed.d || !listed.shape || !out->values ||
      !out->shapes)
    return MBS_NO_MEMORY;
  /* A_ij [x_j] / [x_i] */
  for (size_t j = 0; j < rows; j++)
    for (size_t i = 0; i < rows; i++) scaled[j * rows + i] = A[j * rows + i] * units[j] / units[i];
  memcpy(kept, scaled, rows * rows * sizeof *kept);
  const double size = mbs_largest(scaled, rows * rows);
  self.error = algorithm_error * (double)rows * size;
  /* a double zero is computed as large as the root of the errors */
  out->resolution = sqrt((self.error + mbs_estimated_errors * error) * size);
  if (!mbs_general_eigen(rows, scaled, parts, parts + rows, V, self.workspace)) return MBS_NOT_FINITE;
  take_eigen(&self, rows, 1, parts, parts + rows, V);
  refine_matrix(&self, kept, out->resolution);
  listed.value = self.value;
  for (size_t k = 0; k < rows; k++)
    for (size_t i = 0; i < n; i++) listed.shape[k * n + i] = self.shape[k * rows + i];
  for (size_t i = 0; i < n; i++) listed.d[i] = units[i];
  list_modes(&listed, rows, units, modes, out);
  return MBS_OK;
}

double mbs_eigen_frequency(const double s[2]) { return s[1] > 0 ? hypot(s[0], s[1]) / mbs_full_turn : 0; }

double mbs_eigen_damping_ratio(const double s[2]) {
  const double size = hypot(s[0], s[1]);
  return size > 0 ? (0 - s[0]) / size : 0;
}
