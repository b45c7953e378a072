#include "linalg/dense_small.h"

/* Least squares (qr.c) need the most: n x min(m, n) for the second factorization, and some vectors. */
size_t mbs_dense_workspace(size_t m, size_t n) {
  size_t k = m < n ? m : n;
  return n * k + 2 * k + m + 6 * n + 16;
}
