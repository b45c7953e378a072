/* term.c - creates terms, which are simplified immediately; see term.h for the rules. */
#include "symbolic/term.h"
#include "symbolic/symbol.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

enum { SHORT = 16 };

static const mbs_term none = {.kind = MBS_TERM_NUMBER, .rows = 1, .columns = 1};

static mbs_term *fresh(mbs_algebra *algebra, mbs_term like, size_t count) {
  mbs_term *term = mbs_arena_alloc(algebra->arena, 1, sizeof *term);
  const mbs_term **parts = count ? mbs_arena_alloc(algebra->arena, count, sizeof(mbs_term *)) : NULL;
  if (!term || (count && !parts)) {
    algebra->failed = true;
    return NULL;
  }
  *term = like;
  term->count = count;
  term->parts = parts;
  return term;
}

/* Returns the parts of a term that is being created. */
static const mbs_term **parts_of(mbs_term *term) { return (const mbs_term **)term->parts; }

static const mbs_term *plain_term(mbs_algebra *algebra, mbs_term like) {
  const mbs_term *term = fresh(algebra, like, 0);
  return term ? term : &none;
}

const mbs_term *mbs_term_number(mbs_algebra *algebra, double value) {
  return plain_term(algebra, (mbs_term){.kind = MBS_TERM_NUMBER,
                                        .negative = value < 0,
                                        .rows = 1,
                                        .columns = 1,
                                        .number = value < 0 ? -value : value});
}

const mbs_term *mbs_term_identity(mbs_algebra *algebra) {
  return plain_term(algebra, (mbs_term){.kind = MBS_TERM_IDENTITY, .rows = algebra->dim, .columns = algebra->dim});
}

const mbs_term *mbs_term_symbol(mbs_algebra *algebra, const mbs_variable *symbol) {
  if (!symbol) return &none;
  return plain_term(
      algebra, (mbs_term){.kind = MBS_TERM_SYMBOL, .rows = symbol->rows, .columns = symbol->columns, .symbol = symbol});
}

bool mbs_term_is_zero(const mbs_term *x) { return x->kind == MBS_TERM_NUMBER && x->number == 0; }
bool mbs_term_is_one(const mbs_term *x) { return x->kind == MBS_TERM_NUMBER && x->number == 1 && !x->negative; }
bool mbs_term_is_scalar(const mbs_term *x) { return x->rows == 1 && x->columns == 1; }

bool mbs_term_alike(const mbs_term *x, const mbs_term *y) {
  if (x->kind != y->kind || x->rows != y->rows || x->columns != y->columns || x->count != y->count) return false;
  if (x->kind == MBS_TERM_NUMBER) return x->number == y->number;
  if (x->kind == MBS_TERM_SYMBOL) return x->symbol == y->symbol;
  for (size_t k = 0; k < x->count; k++)
    if (!mbs_term_equal(x->parts[k], y->parts[k])) return false;
  return true;
}

bool mbs_term_equal(const mbs_term *x, const mbs_term *y) { return x->negative == y->negative && mbs_term_alike(x, y); }

/* Applies an operation to one term, ignoring the sign of `x`. */
static const mbs_term *upon(mbs_algebra *algebra, mbs_term_kind kind, const mbs_term *x, int rows, int columns) {
  mbs_term *term = fresh(algebra, (mbs_term){.kind = kind, .rows = rows, .columns = columns}, 1);
  if (!term) return &none;
  parts_of(term)[0] = x;
  return term;
}

/* Returns x without its sign. */
static const mbs_term *bare(mbs_algebra *algebra, const mbs_term *x) {
  if (!x->negative) return x;
  mbs_term like = *x;
  like.negative = false;
  mbs_term *term = mbs_arena_alloc(algebra->arena, 1, sizeof *term);
  if (!term) {
    algebra->failed = true;
    return &none;
  }
  *term = like;
  return term;
}

const mbs_term *mbs_term_negative(mbs_algebra *algebra, const mbs_term *x) {
  if (mbs_term_is_zero(x)) return x;
  if (x->kind == MBS_TERM_SUM) {
    mbs_term *sum = fresh(algebra, *x, x->count);
    for (size_t k = 0; sum && k < x->count; k++) parts_of(sum)[k] = mbs_term_negative(algebra, x->parts[k]);
    return sum ? sum : &none;
  }
  mbs_term *term = mbs_arena_alloc(algebra->arena, 1, sizeof *term);
  if (!term) {
    algebra->failed = true;
    return &none;
  }
  *term = *x;
  term->negative = !x->negative;
  return term;
}

const mbs_term *mbs_term_signed(mbs_algebra *algebra, int sign, const mbs_term *x) {
  assert(sign == 1 || sign == -1);
  return sign < 0 ? mbs_term_negative(algebra, x) : x;
}

const mbs_term *mbs_term_tilde(mbs_algebra *algebra, const mbs_term *x) {
  if (mbs_term_is_zero(x)) return x;
  int columns = algebra->dim == 3 ? 3 : x->columns;
  const mbs_term *on = algebra->plain ? x : bare(algebra, x);
  return mbs_term_signed(algebra, on != x ? -1 : 1, upon(algebra, MBS_TERM_TILDE, on, x->rows, columns));
}

/* Returns true if all factors except one (`which`) are scalars, so that a transpose changes only that one. */
static bool only_matrix(const mbs_term *product, size_t *which) {
  size_t found = 0;
  for (size_t k = 0; k < product->count; k++)
    if (!mbs_term_is_scalar(product->parts[k])) {
      *which = k;
      found++;
    }
  return found == 1;
}

static const mbs_term *transpose_product(mbs_algebra *algebra, const mbs_term *x, size_t which) {
  assert(which < x->count);
  const mbs_term *out = mbs_term_number(algebra, 1);
  for (size_t k = 0; k < x->count; k++)
    out = mbs_term_product(algebra, out, k == which ? mbs_term_transpose(algebra, x->parts[k]) : x->parts[k]);
  return out;
}

const mbs_term *mbs_term_transpose(mbs_algebra *algebra, const mbs_term *x) {
  size_t which = 0;
  if (algebra->plain) return upon(algebra, MBS_TERM_TRANSPOSE, x, x->columns, x->rows);
  if (mbs_term_is_scalar(x) || x->kind == MBS_TERM_IDENTITY) return x;
  int sign = x->negative ? -1 : 1;
  if (x->kind == MBS_TERM_TRANSPOSE) return mbs_term_signed(algebra, sign, x->parts[0]);
  if (x->kind == MBS_TERM_PRODUCT && only_matrix(x, &which))
    return mbs_term_signed(algebra, sign, transpose_product(algebra, x, which));
  return mbs_term_signed(algebra, sign, upon(algebra, MBS_TERM_TRANSPOSE, bare(algebra, x), x->columns, x->rows));
}

const mbs_term *mbs_term_square(mbs_algebra *algebra, const mbs_term *x) {
  assert(algebra->plain || mbs_term_is_scalar(x));
  if (!algebra->plain && (mbs_term_is_zero(x) || mbs_term_is_one(x))) return x;
  return upon(algebra, MBS_TERM_SQUARE, algebra->plain ? x : bare(algebra, x), x->rows, x->columns);
}

const mbs_term *mbs_term_quotient(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y) {
  if (!algebra->plain && (mbs_term_is_zero(x) || mbs_term_is_one(y))) return x;
  mbs_term *term = fresh(algebra, (mbs_term){.kind = MBS_TERM_QUOTIENT, .rows = x->rows, .columns = x->columns}, 2);
  if (!term) return &none;
  bool pull = !algebra->plain && x->negative;
  parts_of(term)[0] = pull ? bare(algebra, x) : x;
  parts_of(term)[1] = y;
  return mbs_term_signed(algebra, pull ? -1 : 1, term);
}

/* ---- products ------------------------------------------------------------------------------------------------ */

/* Factors of a product that is being created. */
typedef struct factors {
  const mbs_term *items[SHORT];
  size_t count;
  int sign;
  bool zero, full;
} factors;

/* Returns the operand if x is a positive term of this kind, else NULL. */
static const mbs_term *under(const mbs_term *x, mbs_term_kind kind) {
  return x->kind == kind && !x->negative ? x->parts[0] : NULL;
}

/* Returns true if the last factor and `x` are u' and u of a unit vector: their product is 1. */
static bool make_one(const factors *all, const mbs_term *x) {
  if (all->count == 0) return false;
  const mbs_term *before = under(all->items[all->count - 1], MBS_TERM_TRANSPOSE);
  return before && before->kind == MBS_TERM_SYMBOL && x->kind == MBS_TERM_SYMBOL && before->symbol == x->symbol &&
         x->symbol->rate == 0 &&
         (x->symbol->quantity == MBS_QUANTITY_DIRECTION || x->symbol->quantity == MBS_QUANTITY_UNIT);
}

/* Replaces ~a' and ~b in the plane by a' and b; returns false if the factors are others. */
static bool untwist(mbs_algebra *algebra, factors *all, const mbs_term **x) {
  if (all->count == 0 || algebra->dim != 2) return false;
  const mbs_term *before = under(all->items[all->count - 1], MBS_TERM_TRANSPOSE);
  const mbs_term *inner = before ? under(before, MBS_TERM_TILDE) : NULL, *other = under(*x, MBS_TERM_TILDE);
  if (!inner || !other) return false;
  all->items[all->count - 1] = mbs_term_transpose(algebra, inner);
  *x = other;
  return true;
}

/* Squares an earlier factor if it is the same scalar symbol. */
static bool make_square(mbs_algebra *algebra, factors *all, const mbs_term *x) {
  assert(!algebra->plain);
  if (x->kind != MBS_TERM_SYMBOL || !mbs_term_is_scalar(x)) return false;
  for (size_t k = 0; k < all->count; k++)
    if (all->items[k]->kind == MBS_TERM_SYMBOL && all->items[k]->symbol == x->symbol) {
      all->items[k] = mbs_term_square(algebra, x);
      return true;
    }
  return false;
}

static void append(mbs_algebra *algebra, factors *all, const mbs_term *x) {
  assert(all->count <= SHORT);
  if (algebra->plain) {
    all->full = all->full || all->count == SHORT;
    if (!all->full) all->items[all->count++] = x;
    return;
  }
  if (x->negative) {
    all->sign = -all->sign;
    x = bare(algebra, x);
  }
  if (mbs_term_is_zero(x)) all->zero = true;
  if (mbs_term_is_one(x)) return;
  if (x->kind == MBS_TERM_NUMBER && all->count > 0 && all->items[0]->kind == MBS_TERM_NUMBER) {
    all->items[0] = mbs_term_number(algebra, all->items[0]->number * x->number);
    return;
  }
  untwist(algebra, all, &x);
  if (make_one(all, x)) {
    all->count--;
    return;
  }
  if (make_square(algebra, all, x)) return;
  all->full = all->full || all->count == SHORT;
  if (!all->full) all->items[all->count++] = x;
}

/* Returns true if the factors of x may replace x in a product: a scalar that they form together must not be combined
 * with the factors before. */
static bool opens(const mbs_term *x, bool first) {
  if (x->kind != MBS_TERM_PRODUCT) return false;
  if (first || !mbs_term_is_scalar(x)) return true;
  for (size_t k = 0; k < x->count; k++)
    if (!mbs_term_is_scalar(x->parts[k])) return false;
  return true;
}

static bool only_scalars(const factors *all) {
  for (size_t k = 0; k < all->count; k++)
    if (!mbs_term_is_scalar(all->items[k])) return false;
  return true;
}

static void append_all(mbs_algebra *algebra, factors *all, const mbs_term *x) {
  if (algebra->plain || !opens(x, only_scalars(all))) {
    append(algebra, all, x);
    return;
  }
  if (x->negative) all->sign = -all->sign;
  for (size_t k = 0; k < x->count; k++) append(algebra, all, x->parts[k]);
}

/* Sets the shape of a product, multiplied from the left; scalars may be anywhere. */
static void multiply_shapes(mbs_term *product) {
  product->rows = product->columns = 1;
  for (size_t k = 0; k < product->count; k++) {
    const mbs_term *x = product->parts[k];
    if (mbs_term_is_scalar(product)) {
      product->rows = x->rows;
      product->columns = x->columns;
    } else if (!mbs_term_is_scalar(x)) {
      product->columns = x->columns;
    }
  }
}

/* Removes factors I where another factor determines the size. */
static void drop_identities(factors *all) {
  size_t kept = 0, matrices = 0;
  for (size_t k = 0; k < all->count; k++) matrices += !mbs_term_is_scalar(all->items[k]);
  for (size_t k = 0; k < all->count; k++) {
    bool drop = all->items[k]->kind == MBS_TERM_IDENTITY && matrices > 1;
    matrices -= drop;
    if (!drop) all->items[kept++] = all->items[k];
  }
  all->count = kept;
}

/* Returns true if all parts of a sum are negative, so that the sign can be factored out. */
static bool all_negative(const mbs_term *x) {
  for (size_t k = 0; k < x->count; k++)
    if (!x->parts[k]->negative) return false;
  return x->kind == MBS_TERM_SUM;
}

static const mbs_term *multiplied(mbs_algebra *algebra, factors *all) {
  if (!algebra->plain) drop_identities(all);
  if (all->full) algebra->failed = true;
  if (all->zero || all->full) return mbs_term_number(algebra, 0);
  if (all->count == 0) return mbs_term_number(algebra, all->sign);
  if (all->count == 1) return mbs_term_signed(algebra, all->sign, all->items[0]);
  mbs_term *product = fresh(algebra, (mbs_term){.kind = MBS_TERM_PRODUCT}, all->count);
  if (!product) return &none;
  memcpy(parts_of(product), all->items, all->count * sizeof *all->items);
  multiply_shapes(product);
  product->negative = all->sign < 0;
  return product;
}

const mbs_term *mbs_term_product(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y) {
  factors all = {.sign = 1};
  const mbs_term *both[2] = {x, y};
  for (int k = 0; k < 2; k++) {
    bool flip = !algebra->plain && all_negative(both[k]);
    if (flip) all.sign = -all.sign;
    append_all(algebra, &all, flip ? mbs_term_negative(algebra, both[k]) : both[k]);
  }
  return multiplied(algebra, &all);
}

const mbs_term *mbs_term_product3(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y, const mbs_term *z) {
  return mbs_term_product(algebra, mbs_term_product(algebra, x, y), z);
}

/* ---- sums ---------------------------------------------------------------------------------------------------- */

static size_t part_count(const mbs_algebra *algebra, const mbs_term *x) {
  if (!algebra->plain && mbs_term_is_zero(x)) return 0;
  return x->kind == MBS_TERM_SUM && !algebra->plain ? x->count : 1;
}

static void copy_parts(const mbs_term *x, size_t count, const mbs_term **out) {
  assert(count <= 1 || x->kind == MBS_TERM_SUM);
  if (count == 0) return;
  if (count == 1 && x->kind != MBS_TERM_SUM)
    *out = x;
  else
    memcpy(out, x->parts, count * sizeof *out);
}

const mbs_term *mbs_term_sum(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y) {
  size_t before = part_count(algebra, x), more = part_count(algebra, y);
  if (before == 0) return y;
  if (more == 0) return x;
  mbs_term like = {.kind = MBS_TERM_SUM, .rows = x->rows, .columns = x->columns};
  mbs_term *sum = fresh(algebra, like, before + more);
  if (!sum) return &none;
  if (algebra->plain) {
    parts_of(sum)[0] = x;
    parts_of(sum)[1] = y;
    return sum;
  }
  copy_parts(x, before, parts_of(sum));
  copy_parts(y, more, parts_of(sum) + before);
  return sum;
}

void mbs_sum_builder_add(mbs_algebra *algebra, mbs_sum_builder *sum, const mbs_term *x) {
  size_t more = part_count(algebra, x);
  if (sum->count + more > sum->room) {
    size_t room = 2 * (sum->room + more);
    const mbs_term **parts = mbs_arena_alloc(algebra->arena, room, sizeof *parts);
    if (!parts) {
      algebra->failed = true;
      return;
    }
    if (sum->count) memcpy(parts, sum->parts, sum->count * sizeof *parts);
    sum->parts = parts;
    sum->room = room;
  }
  if (more) copy_parts(x, more, sum->parts + sum->count); /* without more parts the array may be NULL */
  sum->count += more;
  assert(sum->count <= sum->room);
}

const mbs_term *mbs_sum_builder_finish(mbs_algebra *algebra, mbs_sum_builder *sum) {
  mbs_sum_builder made = *sum;
  *sum = (mbs_sum_builder){.parts = made.parts, .room = made.room};
  if (made.count == 0) return mbs_term_number(algebra, 0);
  if (made.count == 1) return made.parts[0];
  mbs_term like = {.kind = MBS_TERM_SUM, .rows = made.parts[0]->rows, .columns = made.parts[0]->columns};
  mbs_term *term = fresh(algebra, like, made.count);
  if (!term) return &none;
  memcpy(parts_of(term), made.parts, made.count * sizeof *made.parts);
  return term;
}

const mbs_term *mbs_term_difference(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y) {
  return mbs_term_sum(algebra, x, mbs_term_negative(algebra, y));
}

/* ---- as it is written ---------------------------------------------------------------------------------------- */

static void set_shape(const mbs_algebra *algebra, mbs_term *x) {
  const mbs_term *first = x->parts[0];
  x->rows = x->kind == MBS_TERM_TRANSPOSE ? first->columns : first->rows;
  x->columns = x->kind == MBS_TERM_TRANSPOSE ? first->rows : first->columns;
  if (x->kind == MBS_TERM_TILDE && algebra->dim == 3) x->columns = 3;
  if (x->kind == MBS_TERM_PRODUCT) multiply_shapes(x);
}

const mbs_term *mbs_term_of(mbs_algebra *algebra, mbs_term_kind kind, const mbs_term *const *parts, size_t count) {
  assert(count > 0);
  mbs_term *term = fresh(algebra, (mbs_term){.kind = kind}, count);
  if (!term) return &none;
  memcpy(parts_of(term), parts, count * sizeof *parts);
  set_shape(algebra, term);
  return term;
}

/* Returns true if the shapes of the factors fit, multiplied from the left; scalars may be anywhere. */
static bool factors_fit(const mbs_term *product) {
  int rows = 1, columns = 1;
  for (size_t k = 0; k < product->count; k++) {
    const mbs_term *x = product->parts[k];
    bool open = rows == 1 && columns == 1;
    if (!open && mbs_term_is_scalar(x)) continue;
    if (!open && columns != x->rows) return false;
    if (open) rows = x->rows;
    columns = x->columns;
  }
  return true;
}

static bool parts_fit(const mbs_term *x) {
  const mbs_term *first = x->count ? x->parts[0] : NULL;
  switch (x->kind) {
  case MBS_TERM_TILDE: return first->columns == 1 && (first->rows == 2 || first->rows == 3);
  case MBS_TERM_SQUARE: return mbs_term_is_scalar(first);
  case MBS_TERM_QUOTIENT: return mbs_term_is_scalar(x->parts[1]);
  case MBS_TERM_PRODUCT: return factors_fit(x);
  case MBS_TERM_SUM:
    for (size_t k = 1; k < x->count; k++)
      if (x->parts[k]->rows != first->rows || x->parts[k]->columns != first->columns) return false;
    return true;
  default: return true;
  }
}

bool mbs_term_fits(const mbs_term *x, const mbs_term **misfit) {
  for (size_t k = 0; k < x->count; k++)
    if (!mbs_term_fits(x->parts[k], misfit)) return false;
  bool fits = parts_fit(x);
  if (!fits && misfit) *misfit = x;
  return fits;
}
