/* general.c - eigenvalues and eigenvectors of a general matrix: balancing, Hessenberg form H = Z'AZ by reflections,
 * real Schur form T by Francis' double shifts, back substitution for (T - lambda I) y = 0, v = Z y. Source: Golub &
 * Van Loan, 4th ed., 7.4 to 7.6; balancing: Parlett & Reinsch, Numer. Math. 13 (1969). */
#include "base/norms.h"
#include "linalg/dense/householder.h"
#include "linalg/dense_small.h"

#include <complex.h>
#include <float.h>
#include <math.h>

/* H [n x n] on its way to T, and the accumulated transformations Z. */
typedef struct schur_form {
  size_t n;
  double *H, *Z;
} schur_form;

static double *at(const schur_form *self, size_t row, size_t column) { return &self->H[column * self->n + row]; }

/* ---- balancing: D^-1 A D ----------------------------------------------------------------------------------------- */

/* Scales row and column i so that their norms agree within a factor of 2. Returns false if they already do. */
static bool balance_one(const schur_form *self, size_t i, double *scale) {
  double column = 0, row = 0, factor = 1;
  for (size_t j = 0; j < self->n; j++) {
    if (j == i) continue;
    column += fabs(*at(self, j, i));
    row += fabs(*at(self, i, j));
  }
  if (column == 0 || row == 0) return false;
  double before = column + row;
  while (column * factor * factor < row / 2) factor *= 2;
  while (column * factor * factor >= row * 2) factor /= 2;
  column *= factor * factor;
  if ((column + row) / factor >= 0.95 * before) return false;
  for (size_t j = 0; j < self->n; j++) *at(self, i, j) /= factor;
  for (size_t j = 0; j < self->n; j++) *at(self, j, i) *= factor;
  *scale *= factor;
  return true;
}

static void balance(const schur_form *self, double *scales) {
  for (size_t i = 0; i < self->n; i++) scales[i] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < self->n; i++) changed |= balance_one(self, i, &scales[i]);
  }
}

/* ---- similarity transformations ---------------------------------------------------------------------------------- */

/* Applies P = I - tau v v' to rows and columns first, ..., first + count - 1: P H from column `left` on, H P down to
 * row `bottom`, and Z P. */
static void transform(const schur_form *self, size_t first, size_t count, const double *v, double tau, size_t left,
                      size_t bottom) {
  size_t n = self->n;
  for (size_t j = left; j < n; j++) mbs_reflect(count, v, tau, at(self, first, j));
  double *const sides[] = {self->H, self->Z};
  const size_t rows[] = {bottom + 1, n};
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < rows[side]; i++) {
      double *row = sides[side] + first * n + i, sum = row[0];
      for (size_t k = 1; k < count; k++) sum += row[k * n] * v[k];
      row[0] -= tau * sum;
      for (size_t k = 1; k < count; k++) row[k * n] -= tau * sum * v[k];
    }
  }
}

/* Algorithm 7.4.2; `v`: n doubles. */
static void reduce_to_hessenberg(const schur_form *self, double *v) {
  size_t n = self->n;
  for (size_t k = 0; k + 2 < n; k++) {
    size_t count = n - k - 1;
    for (size_t i = 0; i < count; i++) v[i] = *at(self, k + 1 + i, k);
    double tau = mbs_reflection(count, v);
    for (size_t i = 0; i < count; i++) *at(self, k + 1 + i, k) = i == 0 ? v[0] : 0;
    transform(self, k + 1, count, v, tau, k + 1, n - 1);
  }
}

/* ---- QR steps ---------------------------------------------------------------------------------------------------- */

/* Algorithm 7.5.1 on rows `low` to `high`, at least three; the shifts are the roots of x^2 - sum x + product. */
static void francis_step(const schur_form *self, size_t low, size_t high, double sum, double product) {
  double a = *at(self, low, low), below = *at(self, low + 1, low);
  double v[3] = {a * a + *at(self, low, low + 1) * below - sum * a + product,
                 below * (a + *at(self, low + 1, low + 1) - sum), below * *at(self, low + 2, low + 1)};
  for (size_t k = low; k < high; k++) {
    size_t count = high - k < 2 ? 2 : 3;
    if (k > low)
      for (size_t i = 0; i < count; i++) v[i] = *at(self, k + i, k - 1);
    double tau = mbs_reflection(count, v);
    if (k > low)
      for (size_t i = 0; i < count; i++) *at(self, k + i, k - 1) = i == 0 ? v[0] : 0;
    transform(self, k, count, v, tau, k, k + 3 < high ? k + 3 : high);
  }
}

/* Returns the first row of the unreduced block that ends at `high`; sets entries below the diagonal that are at the
 * level of rounding errors to 0. */
static size_t block_start(const schur_form *self, size_t high) {
  size_t low = high;
  for (; low > 0; low--) {
    double around = fabs(*at(self, low, low)) + fabs(*at(self, low - 1, low - 1));
    if (fabs(*at(self, low, low - 1)) > DBL_EPSILON * (around > 0 ? around : 1)) continue;
    *at(self, low, low - 1) = 0;
    break;
  }
  return low;
}

/* Returns the square of half the difference of the eigenvalues of the block [a b; c d] that ends at `high`. */
static double discriminant(const schur_form *self, size_t high) {
  double half = 0.5 * (*at(self, high - 1, high - 1) - *at(self, high, high));
  return half * half + *at(self, high - 1, high) * *at(self, high, high - 1);
}

/* Makes a 2 x 2 block with real eigenvalues triangular, by a reflection that maps an eigenvector to (1, 0). */
static void split_pair(const schur_form *self, size_t high) {
  double squared = discriminant(self, high);
  if (squared < 0) return;
  double half = 0.5 * (*at(self, high - 1, high - 1) - *at(self, high, high));
  double v[2] = {half + copysign(sqrt(squared), half), *at(self, high, high - 1)};
  double tau = mbs_reflection(2, v);
  transform(self, high - 1, 2, v, tau, high - 1, high);
  *at(self, high, high - 1) = 0;
}

/* Algorithm 7.5.2. Every eleventh iteration without success uses an exceptional shift, to avoid cycles. */
static bool reduce_to_schur(const schur_form *self) {
  size_t high = self->n, tries = 0;
  while (high-- > 0) {
    for (tries = 0;; tries++) {
      size_t low = block_start(self, high);
      if (low == high) break;
      if (low + 1 == high) {
        split_pair(self, high--);
        break;
      }
      if (tries > 300) return false;
      double corner = *at(self, high, high), before = *at(self, high - 1, high - 1);
      double sum = corner + before, other = *at(self, high - 1, high) * *at(self, high, high - 1);
      if (tries % 11 == 10) sum = 1.5 * (fabs(*at(self, high, high - 1)) + fabs(*at(self, high - 1, high - 2)));
      francis_step(self, low, high, sum, tries % 11 == 10 ? sum * sum : corner * before - other);
    }
  }
  return true;
}

/* ---- eigenvectors ------------------------------------------------------------------------------------------------ */

static bool pair_ends_at(const schur_form *self, size_t row) { return row > 0 && *at(self, row, row - 1) != 0; }

static double complex away_from_zero(double complex value) { return cabs(value) < DBL_EPSILON ? DBL_EPSILON : value; }

static double complex row_product(const schur_form *self, size_t row, size_t from, size_t last,
                                  const double complex *y) {
  double complex sum = 0;
  for (size_t j = from; j <= last; j++) sum += *at(self, row, j) * y[j];
  return sum;
}

/* Computes y[0] to y[last - 1] of (T - lambda I) y = 0, where the entries from `first` to `last` are given. */
static void substitute(const schur_form *self, double complex lambda, size_t first, size_t last, double complex *y) {
  for (size_t i = first; i-- > 0;) {
    double complex d = *at(self, i, i) - lambda, right = -row_product(self, i, i + 1, last, y);
    if (pair_ends_at(self, i)) {
      /* [a b; c d] (y_i-1, y_i) = -(above, right) */
      double b = *at(self, i - 1, i), c = *at(self, i, i - 1);
      double complex a = *at(self, i - 1, i - 1) - lambda, above = -row_product(self, i - 1, i + 1, last, y);
      double complex determinant = away_from_zero(a * d - b * c);
      y[i - 1] = (above * d - b * right) / determinant;
      y[i] = (a * right - c * above) / determinant;
      i--;
    } else {
      y[i] = right / away_from_zero(d);
    }
    if (cabs(y[i]) > 1e100)
      for (size_t j = i; j <= last; j++) y[j] *= 1e-100;
  }
}

static double complex complex_of(double real, double imaginary) { return real + imaginary * I; }

/* Stores D Z y, scaled to norm 1 with a real largest entry. */
static void write_vector(const schur_form *self, const double *scales, size_t last, const double complex *y,
                         double *real, double *imaginary) {
  size_t n = self->n, largest = 0;
  for (size_t i = 0; i < n; i++) {
    double complex sum = 0;
    for (size_t j = 0; j <= last; j++) sum += self->Z[j * n + i] * y[j];
    real[i] = scales[i] * creal(sum);
    if (imaginary) imaginary[i] = scales[i] * cimag(sum);
  }
  double norm = mbs_euclidean_norm(n, real);
  if (imaginary) norm = hypot(norm, mbs_euclidean_norm(n, imaginary));
  for (size_t i = 0; i < n; i++) real[i] /= norm;
  if (!imaginary) return;
  for (size_t i = 0; i < n; i++) {
    imaginary[i] /= norm;
    if (hypot(real[i], imaginary[i]) > hypot(real[largest], imaginary[largest])) largest = i;
  }
  double length = hypot(real[largest], imaginary[largest]);
  double complex turn = complex_of(real[largest] / length, -imaginary[largest] / length);
  for (size_t i = 0; i < n; i++) {
    double complex value = complex_of(real[i], imaginary[i]) * turn;
    real[i] = creal(value);
    imaginary[i] = i == largest ? 0 : cimag(value);
  }
}

/* Computes the eigenvalue of row i, or the pair that ends there, and its eigenvectors. */
static void find_vectors(const schur_form *self, size_t i, const double *scales, double *real, double *imaginary,
                         double *V, double complex *y) {
  size_t n = self->n;
  if (!pair_ends_at(self, i)) {
    real[i] = *at(self, i, i);
    imaginary[i] = 0;
    y[i] = 1;
    substitute(self, real[i], i, i, y);
    write_vector(self, scales, i, y, V + i * n, NULL);
    return;
  }
  double a = *at(self, i - 1, i - 1), b = *at(self, i - 1, i), c = *at(self, i, i - 1), d = *at(self, i, i);
  real[i - 1] = real[i] = 0.5 * (a + d);
  imaginary[i - 1] = sqrt(-discriminant(self, i));
  imaginary[i] = -imaginary[i - 1];
  double complex lambda = complex_of(real[i - 1], imaginary[i - 1]);
  y[i - 1] = fabs(b) > fabs(c) ? b : lambda - d;
  y[i] = fabs(b) > fabs(c) ? lambda - a : c;
  substitute(self, lambda, i - 1, i, y);
  write_vector(self, scales, i, y, V + (i - 1) * n, V + i * n);
}

bool mbs_dense_general_eigen(size_t n, double *A, double *real, double *imaginary, double *V, double *workspace) {
  const schur_form form = {.n = n, .H = A, .Z = workspace};
  double *scales = workspace + n * n, *rest = scales + n;
  double largest = mbs_largest(A, n * n);
  int exponent;
  if (!isfinite(largest)) return false;
  frexp(largest, &exponent);
  for (size_t i = 0; i < n * n; i++) {
    A[i] = ldexp(A[i], -exponent);
    form.Z[i] = i % (n + 1) == 0;
  }
  balance(&form, scales);
  reduce_to_hessenberg(&form, rest);
  if (!reduce_to_schur(&form)) return false;
  for (size_t i = n; i-- > 0;) {
    find_vectors(&form, i, scales, real, imaginary, V, (double complex *)(void *)rest);
    if (pair_ends_at(&form, i)) i--;
  }
  for (size_t i = 0; i < n; i++) {
    real[i] = ldexp(real[i], exponent);
    imaginary[i] = ldexp(imaginary[i], exponent);
  }
  return true;
}
