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
 * in one model.
 *
 * Coordinates that no entry of the matrices connects, as those of independent mechanisms, are components with their own
 * eigenvalues, which are computed one component at a time. */
#include "simulate/eigenmodes.h"

#include "base/norms.h"
#include "base/rotation.h"
#include "linalg/lapack.h"
#include "model/parts.h"

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

/* A component: coordinates that no entry of the matrices connects with others. */
typedef struct work {
  size_t n, shown;       /* its coordinates, of which the first have components in the shapes */
  const int *members;    /* [n] their numbers among all, ascending */
  double *d;             /* [n] x = d y */
  double *M, *C, *K;     /* [n x n] in y */
  double *Az, *Au;       /* [n x n] */
  double *inverse;       /* [n x n] M^-1 */
  size_t values;         /* number of eigenvalues */
  double complex *value; /* [2 n] eigenvalues */
  double complex *shape; /* [2 n] x [n] their y */
  double rate;           /* scale of all eigenvalues */
  double error;          /* absolute error of the algorithm */
  /* Workspace that all components share: */
  double *P, *PT;        /* [4 n^2] scaled P(s), with complex numbers as 2 x 2 blocks, and its transpose; later their
                          * factors */
  int *pivots, *pivotsT; /* [2 n] */
  double *v, *w, *start; /* [2 n] real parts, then imaginary parts */
  double *scale;         /* [n] */
  double *workspace;
} work;

typedef struct components {
  mbs_parts parts;
  work *works; /* [parts.count] */
} components;

typedef struct mode {
  double complex value;
  const work *of;
  size_t number, order; /* index in its list of eigenvalues; order among equal ones, by coordinates */
} mode;

static bool open_workspace(work *self, size_t n, mbs_arena *arena) {
  const size_t rows = 2 * n;
  const struct {
    double **array;
    size_t count;
  } arrays[] = {{&self->P, rows * rows},
                {&self->PT, rows * rows},
                {&self->v, rows},
                {&self->w, rows},
                {&self->start, rows},
                {&self->scale, n},
                {&self->workspace, mbs_lapack_workspace(rows, rows)}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i].array = mbs_arena_alloc(arena, arrays[i].count + 1, sizeof(double)))) return false;
  self->pivots = mbs_arena_alloc(arena, rows + 1, sizeof *self->pivots);
  self->pivotsT = mbs_arena_alloc(arena, rows + 1, sizeof *self->pivotsT);
  return self->pivots && self->pivotsT;
}

static bool open_work(work *self, mbs_arena *arena) {
  const size_t n = self->n;
  double **const arrays[] = {&self->M, &self->C, &self->K, &self->Az, &self->Au, &self->inverse};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = mbs_arena_alloc(arena, n * n + 1, sizeof(double)))) return false;
  self->d = mbs_arena_alloc(arena, n + 1, sizeof *self->d);
  self->value = mbs_arena_alloc(arena, 2 * n + 1, sizeof *self->value);
  self->shape = mbs_arena_alloc(arena, 2 * n * n + 1, sizeof *self->shape);
  return self->d && self->value && self->shape;
}

static int leader_of(int *leader, int i) {
  while (leader[i] != i) i = leader[i] = leader[leader[i]];
  return i;
}

/* Finds the components of n coordinates, of which the first `shown` have components in the shapes, by the entries of
 * matrices [n x n] that are not zero. Returns false if memory runs out. */
static bool open_components(components *self, size_t n, size_t shown, const double *const *matrices, size_t count,
                            mbs_arena *arena) {
  mbs_parts *parts = &self->parts;
  int *leader = mbs_arena_alloc(arena, n + 1, sizeof *leader);
  if (!leader || !mbs_parts_open(parts, arena, n, n)) return false;
  for (size_t i = 0; i < n; i++) leader[i] = (int)i;
  for (size_t m = 0; m < count; m++)
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++) {
        if (matrices[m][j * n + i] == 0) continue;
        const int one = leader_of(leader, (int)i), other = leader_of(leader, (int)j);
        leader[one > other ? one : other] = one > other ? other : one;
      }
  parts->count = 0;
  for (size_t i = 0; i < n; i++)
    parts->of[i] = leader[i] == (int)i ? (int)parts->count++ : parts->of[leader_of(leader, (int)i)];
  mbs_parts_list(parts, n);
  work shared = {0};
  self->works = mbs_arena_alloc(arena, parts->count + 1, sizeof *self->works);
  if (!self->works || !open_workspace(&shared, mbs_parts_largest(parts), arena)) return false;
  for (size_t p = 0; p < parts->count; p++) {
    work *of = &self->works[p];
    *of = shared;
    of->n = (size_t)(parts->first[p + 1] - parts->first[p]);
    of->members = parts->members + parts->first[p];
    while (of->shown < of->n && (size_t)of->members[of->shown] < shown) of->shown++;
    if (!open_work(of, arena)) return false;
  }
  return true;
}

/* ---- the first-order system ------------------------------------------------------------------------------------ */

/* Computes out := d A d of a component of A [all x all]. */
static void scale_matrix(const work *self, size_t all, const double *A, double *out) {
  for (size_t j = 0; j < self->n; j++) {
    const double *column = A + (size_t)self->members[j] * all;
    for (size_t i = 0; i < self->n; i++) out[j * self->n + i] = self->d[i] * column[self->members[i]] * self->d[j];
  }
}

/* Computes M, C, K in y, and A_z, A_u. */
static void normalize(work *self, const mbs_pencil *pencil) {
  const size_t n = self->n;
  for (size_t i = 0; i < n; i++) {
    const double m = pencil->M[(size_t)self->members[i] * (pencil->n + 1)];
    self->d[i] = m > 0 ? 1 / sqrt(m) : 1;
    self->inverse[i * n + i] = 1;
  }
  scale_matrix(self, pencil->n, pencil->M, self->M);
  scale_matrix(self, pencil->n, pencil->C, self->C);
  scale_matrix(self, pencil->n, pencil->K, self->K);
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
static double spread_errors(const work *self, size_t all, const double *errors) {
  const size_t n = self->n;
  double largest = 0;
  for (size_t j = 0; j < n; j++) {
    const double *column = errors + (size_t)self->members[j] * all;
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++)
        sum += fabs(self->inverse[k * n + i]) * self->d[k] * column[self->members[k]] * self->d[j];
      largest = fmax(largest, sum);
    }
  }
  return largest;
}

/* Sets the scale of the eigenvalues and the error of the algorithm. Returns the resolution. theory (15.9) */
static double find_resolution(components *self, const mbs_pencil *pencil, double rounding) {
  double stiffness = 0, damping = 0, stiffness_error = 0, damping_error = 0;
  for (size_t p = 0; p < self->parts.count; p++) {
    const work *of = &self->works[p];
    stiffness = fmax(stiffness, mbs_largest(of->Az, of->n * of->n));
    damping = fmax(damping, mbs_largest(of->Au, of->n * of->n));
    stiffness_error = fmax(stiffness_error, spread_errors(of, pencil->n, pencil->K_errors));
    damping_error = fmax(damping_error, spread_errors(of, pencil->n, pencil->C_errors));
  }
  const double share = algorithm_error * 2 * (double)pencil->n, lost = mbs_rounding_error * rounding;
  const double rate = fmax(sqrt(stiffness), damping) > 0 ? fmax(sqrt(stiffness), damping) : 1;
  for (size_t p = 0; p < self->parts.count; p++) {
    self->works[p].rate = rate;
    self->works[p].error = share * rate;
  }
  return fmax(sqrt(share * stiffness + mbs_estimated_errors * stiffness_error + lost),
              share * damping + mbs_estimated_errors * damping_error + lost / rate);
}

/* Stores eigenvalues [rows] and shapes from the format of mbs_general_eigen(). */
static void take_eigen(work *self, size_t rows, double rate, const double *real, const double *imaginary,
                       const double *V) {
  const size_t n = self->n;
  self->values = rows;
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
  assert(number < self->values);
  const double complex s = self->value[number];
  double nearest = INFINITY;
  for (size_t k = 0; k < self->values; k++)
    if (k != number) nearest = fmin(nearest, cabs(self->value[k] - s));
  return fmin(farthest * cabs(s), fmax(apart * nearest, self->error));
}

/* Refines a slow eigenvalue to full precision, and its shape. Keeps both if the iteration moves too far. */
static void refine(work *self, size_t number) {
  assert(number < self->values);
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
  return (x->order > y->order) - (x->order < y->order);
}

/* Stores a shape in x, scaled so that its largest component in `units` is 1. */
static void store_shape(const mode *of, const double *units, bool real, double *shape) {
  const work *self = of->of;
  if (self->shown == 0) return;
  const double complex *y = self->shape + of->number * self->n;
  size_t largest = 0;
  double most = -1;
  for (size_t i = 0; i < self->shown; i++) {
    const double complex x = (real ? creal(y[i]) : y[i]) * self->d[i] / units[self->members[i]];
    const double square = creal(x) * creal(x) + cimag(x) * cimag(x);
    if (!(square > most * (1 + 1e-9))) continue;
    most = square;
    largest = i;
  }
  const double complex one = (real ? creal(y[largest]) : y[largest]) * self->d[largest];
  for (size_t i = 0; i < self->shown; i++) {
    const double complex here = (real ? creal(y[i]) : y[i]) * self->d[i], x = most > 0 ? quotient(here, one) : here;
    shape[2 * self->members[i]] = creal(x);
    shape[2 * self->members[i] + 1] = cimag(x);
  }
}

/* Returns true if eigenvalue k can be distinguished from zero. */
static bool is_nonzero(const work *self, size_t k, double resolution) { return cabs(self->value[k]) > resolution; }

/* Refines the slow eigenvalues of all components. */
static void refine_slow(const components *self, double resolution) {
  for (size_t p = 0; p < self->parts.count; p++) {
    work *of = &self->works[p];
    for (size_t k = 0; k < of->values; k++)
      if (is_nonzero(of, k, resolution) && cimag(of->value[k]) >= 0 && cabs(of->value[k]) < slow_share * of->rate)
        refine(of, k);
  }
}

/* Lists the modes of the eigenvalues [rows] by frequency, with the values and shapes [n] of each, in `out`. */
static mbs_status list_modes(const components *self, size_t rows, size_t n, const double *units, mbs_arena *arena,
                             mbs_eigenmodes *out) {
  mode *modes = mbs_arena_alloc(arena, rows + 1, sizeof *modes);
  out->values = mbs_arena_alloc(arena, 2 * rows + 1, sizeof *out->values);
  out->shapes = mbs_arena_alloc(arena, 2 * rows * n + 1, sizeof *out->shapes);
  if (!modes || !out->values || !out->shapes) return MBS_NO_MEMORY;
  for (size_t p = 0; p < self->parts.count; p++) {
    const work *of = &self->works[p];
    for (size_t k = 0; k < of->values; k++) {
      const bool nonzero = is_nonzero(of, k, out->resolution), second = cimag(of->value[k]) < 0;
      if (nonzero && second) continue;
      /* a double zero is computed as a real or complex pair, as large as the root of a rounding error: two zeros, one
       * shape */
      const size_t order = (size_t)of->members[k % of->n] + (k < of->n ? 0 : rows);
      modes[out->modes++] = (mode){nonzero ? of->value[k] : 0, of, !nonzero && second ? k - 1 : k, order};
    }
  }
  qsort(modes, out->modes, sizeof *modes, compare_modes);
  size_t next = out->modes;
  for (size_t k = 0; k < out->modes; k++) {
    const double complex s = modes[k].value;
    out->values[2 * k] = creal(s);
    out->values[2 * k + 1] = cimag(s);
    store_shape(&modes[k], units, cimag(s) == 0, out->shapes + 2 * n * k);
    if (cimag(s) == 0) continue;
    out->values[2 * next] = creal(s);
    out->values[2 * next++ + 1] = -cimag(s);
    assert(next <= rows);
  }
  return MBS_OK;
}

mbs_status mbs_eigenmodes_find(const mbs_pencil *pencil, const double *units, double rounding, mbs_arena *arena,
                               mbs_eigenmodes *out) {
  const size_t n = pencil->n;
  components self;
  *out = (mbs_eigenmodes){0};
  if (!open_components(&self, n, n, (const double *[]){pencil->M, pencil->C, pencil->K}, 3, arena))
    return MBS_NO_MEMORY;
  for (size_t p = 0; p < self.parts.count; p++) normalize(&self.works[p], pencil);
  out->resolution = find_resolution(&self, pencil, rounding);
  for (size_t p = 0; p < self.parts.count; p++)
    if (!solve_first_order(&self.works[p])) return MBS_NOT_FINITE;
  refine_slow(&self, out->resolution);
  return list_modes(&self, 2 * n, n, units, arena, out);
}

/* Computes the eigenvalues of a component of A [rows x rows], whose pencil is P(s) = s - A. Returns the largest, or NaN
 * if there are none. */
static double solve_matrix(work *self, size_t rows, const double *A, const double *units) {
  const size_t n = self->n;
  double largest = 0;
  for (size_t i = 0; i < n; i++) self->d[i] = units[self->members[i]];
  /* A_ij [x_j] / [x_i] */
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      const double a = A[(size_t)self->members[j] * rows + (size_t)self->members[i]] * self->d[j] / self->d[i];
      self->P[j * n + i] = a;
      self->K[j * n + i] = -a;
      self->C[j * n + i] = i == j;
    }
  if (!mbs_general_eigen(n, self->P, self->v, self->w, self->PT, self->workspace)) return NAN;
  take_eigen(self, n, 1, self->v, self->w, self->PT);
  for (size_t k = 0; k < n; k++) largest = fmax(largest, cabs(self->value[k]));
  return largest;
}

mbs_status mbs_eigenmodes_of_matrix(size_t rows, size_t n, const double *A, const double *units, double error,
                                    mbs_arena *arena, mbs_eigenmodes *out) {
  components self;
  double size = 0, rate = 0;
  *out = (mbs_eigenmodes){0};
  if (!open_components(&self, rows, n, &A, 1, arena)) return MBS_NO_MEMORY;
  for (size_t p = 0; p < self.parts.count; p++) {
    const double largest = solve_matrix(&self.works[p], rows, A, units);
    if (isnan(largest)) return MBS_NOT_FINITE;
    rate = fmax(rate, largest);
    size = fmax(size, mbs_largest(self.works[p].K, self.works[p].n * self.works[p].n));
  }
  for (size_t p = 0; p < self.parts.count; p++) {
    self.works[p].rate = rate;
    self.works[p].error = algorithm_error * (double)rows * size;
  }
  /* a double zero is computed as large as the root of the errors */
  out->resolution = sqrt((algorithm_error * (double)rows * size + mbs_estimated_errors * error) * size);
  refine_slow(&self, out->resolution);
  return list_modes(&self, rows, n, units, arena, out);
}

double mbs_eigen_frequency(const double s[2]) { return s[1] > 0 ? hypot(s[0], s[1]) / mbs_full_turn : 0; }

double mbs_eigen_damping_ratio(const double s[2]) {
  const double size = hypot(s[0], s[1]);
  return size > 0 ? (0 - s[0]) / size : 0;
}
