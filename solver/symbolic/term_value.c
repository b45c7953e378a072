/* term_value.c - evaluates terms from the values of their symbols. */
#include "symbolic/symbol.h"

#include <string.h>

enum { STACK = 36 };

static size_t size_of(const mbs_term *x) { return (size_t)x->rows * (size_t)x->columns; }

static bool value_of(const mbs_term *x, double *out);

/* Returns memory for the value of a part, on the stack; NULL if it is too large. */
static double *room_for(const mbs_term *x, double stack[STACK]) { return size_of(x) <= STACK ? stack : NULL; }

static bool tilde_value(const mbs_term *x, double *out) {
  double a[3] = {0};
  const mbs_term *of = x->parts[0];
  if (of->columns != 1 || (of->rows != 2 && of->rows != 3) || !value_of(of, a)) return false;
  if (of->rows == 2) {
    out[0] = -a[1];
    out[1] = a[0];
    return true;
  }
  const double matrix[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  memcpy(out, matrix, sizeof matrix);
  return true;
}

static bool transpose_value(const mbs_term *x, double *out) {
  double stack[STACK] = {0}, *a = room_for(x->parts[0], stack);
  if (!a || !value_of(x->parts[0], a)) return false;
  for (int i = 0; i < x->rows; i++)
    for (int j = 0; j < x->columns; j++) out[i * x->columns + j] = a[j * x->rows + i];
  return true;
}

/* out := left [rows x inner] times right [inner x columns], or times a scalar on either side. */
static bool multiply(const double *left, const int shape[2], const double *right, const mbs_term *x, double *out,
                     int result[2]) {
  size_t left_size = (size_t)shape[0] * (size_t)shape[1];
  if (left_size == 1 || mbs_term_is_scalar(x)) {
    const double *many = left_size == 1 ? right : left;
    double one = left_size == 1 ? left[0] : right[0];
    result[0] = left_size == 1 ? x->rows : shape[0];
    result[1] = left_size == 1 ? x->columns : shape[1];
    size_t n = (size_t)result[0] * (size_t)result[1];
    if (n > STACK) return false;
    for (size_t k = 0; k < n; k++) out[k] = one * many[k];
    return true;
  }
  if (shape[1] != x->rows || shape[0] * x->columns > STACK) return false;
  for (int i = 0; i < shape[0]; i++)
    for (int j = 0; j < x->columns; j++) {
      double sum = 0;
      for (int k = 0; k < shape[1]; k++) sum += left[i * shape[1] + k] * right[k * x->columns + j];
      out[i * x->columns + j] = sum;
    }
  result[0] = shape[0];
  result[1] = x->columns;
  return true;
}

/* Returns the value of a part: the stored numbers of a symbol, computed numbers of other terms. */
static const double *part_value(const mbs_term *x, double stack[STACK]) {
  if (x->kind == MBS_TERM_SYMBOL && !x->negative) return x->symbol->value;
  double *room = room_for(x, stack);
  return room && value_of(x, room) ? room : NULL;
}

static bool product_value(const mbs_term *x, double *out) {
  double stack[STACK], product[2][STACK] = {{0}};
  const double *left = part_value(x->parts[0], product[0]);
  int shape[2] = {x->parts[0]->rows, x->parts[0]->columns}, result[2];
  if (!left) return false;
  for (size_t k = 1; k < x->count; k++) {
    const double *right = part_value(x->parts[k], stack);
    double *to = product[k % 2];
    if (!right || !multiply(left, shape, right, x->parts[k], to, result)) return false;
    memcpy(shape, result, sizeof shape);
    left = to;
  }
  if (shape[0] != x->rows || shape[1] != x->columns) return false;
  memcpy(out, left, size_of(x) * sizeof *out);
  return true;
}

static bool sum_value(const mbs_term *x, double *out) {
  double stack[STACK];
  size_t n = size_of(x);
  memset(out, 0, n * sizeof *out);
  for (size_t k = 0; k < x->count; k++) {
    const mbs_term *part = x->parts[k];
    const double *value = size_of(part) == n && part->rows == x->rows ? part_value(part, stack) : NULL;
    if (!value) return false;
    for (size_t i = 0; i < n; i++) out[i] += value[i];
  }
  return true;
}

static bool quotient_value(const mbs_term *x, double *out) {
  double stack[STACK];
  const double *above = part_value(x->parts[0], out), *below = part_value(x->parts[1], stack);
  if (!above || !below || !mbs_term_is_scalar(x->parts[1])) return false;
  double one = below[0];
  for (size_t k = 0; k < size_of(x); k++) out[k] = above[k] / one;
  return true;
}

static bool bare_value(const mbs_term *x, double *out) {
  switch (x->kind) {
  case MBS_TERM_NUMBER: out[0] = x->number; return true;
  case MBS_TERM_IDENTITY:
    for (int k = 0; k < x->rows * x->columns; k++) out[k] = k % (x->columns + 1) == 0;
    return true;
  case MBS_TERM_SYMBOL: memcpy(out, x->symbol->value, size_of(x) * sizeof *out); return true;
  case MBS_TERM_TILDE: return tilde_value(x, out);
  case MBS_TERM_TRANSPOSE: return transpose_value(x, out);
  case MBS_TERM_SQUARE:
    if (!mbs_term_is_scalar(x) || !value_of(x->parts[0], out)) return false;
    out[0] *= out[0];
    return true;
  case MBS_TERM_PRODUCT: return product_value(x, out);
  case MBS_TERM_QUOTIENT: return quotient_value(x, out);
  case MBS_TERM_SUM: return sum_value(x, out);
  }
  return false;
}

static bool value_of(const mbs_term *x, double *out) {
  if (size_of(x) > STACK || !bare_value(x, out)) return false;
  for (size_t k = 0; k < size_of(x) && x->negative; k++) out[k] = -out[k];
  return true;
}

bool mbs_term_value(const mbs_term *x, double *out, size_t room) { return size_of(x) <= room && value_of(x, out); }
