/* term.h - the expressions of which blocks of the equations consist: signed sums of products of named symbols, each a
 * scalar, a vector or a matrix. This is a block algebra, not a general computer algebra. Terms are simplified when they
 * are created, only by
 *     0 x = 0,  1 x = x,  I x = x,  u'u = 1 of a unit vector,  ~a' ~b = a' b in the plane,  x'' = x
 * Terms are immutable and live in the arena of their algebra. If memory runs out, functions return a number and set
 * `failed`. */
#ifndef MBS_TERM_H
#define MBS_TERM_H

#include "mbs/arena.h"

#include <stdbool.h>

typedef struct mbs_variable mbs_variable;

typedef enum mbs_term_kind {
  MBS_TERM_NUMBER,
  MBS_TERM_IDENTITY,  /* I */
  MBS_TERM_SYMBOL,    /* d_{2,1} */
  MBS_TERM_TILDE,     /* ~x: in the plane x rotated by +90 degrees, in space the matrix of the cross product */
  MBS_TERM_TRANSPOSE, /* x' */
  MBS_TERM_SQUARE,    /* x^2 of a scalar */
  MBS_TERM_PRODUCT,
  MBS_TERM_QUOTIENT, /* parts[0] / parts[1] of scalars */
  MBS_TERM_SUM
} mbs_term_kind;

typedef struct mbs_term {
  mbs_term_kind kind;
  bool negative; /* the term is minus its other members; never set for sums */
  int rows, columns;
  double number;
  const mbs_variable *symbol;
  size_t count; /* number of `parts`; 1 for operations on one term */
  const struct mbs_term *const *parts;
} mbs_term;

typedef struct mbs_algebra {
  mbs_arena *arena;
  int dim;       /* dimension of space: 2 or 3 */
  bool failed;   /* memory ran out */
  char *scratch; /* memory for printing terms */
  size_t scratch_room;
  bool plain; /* no simplification: terms keep the form of the text */
} mbs_algebra;

const mbs_term *mbs_term_number(mbs_algebra *algebra, double value);
const mbs_term *mbs_term_identity(mbs_algebra *algebra);
const mbs_term *mbs_term_symbol(mbs_algebra *algebra, const mbs_variable *symbol);
/* Returns -x; negates each part of a sum. */
const mbs_term *mbs_term_negative(mbs_algebra *algebra, const mbs_term *x);
/* `sign` is 1 or -1. */
const mbs_term *mbs_term_signed(mbs_algebra *algebra, int sign, const mbs_term *x);
const mbs_term *mbs_term_tilde(mbs_algebra *algebra, const mbs_term *x);
const mbs_term *mbs_term_transpose(mbs_algebra *algebra, const mbs_term *x);
const mbs_term *mbs_term_square(mbs_algebra *algebra, const mbs_term *x);
const mbs_term *mbs_term_quotient(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y);
const mbs_term *mbs_term_product(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y);
const mbs_term *mbs_term_sum(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y);
/* x y z */
const mbs_term *mbs_term_product3(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y, const mbs_term *z);
const mbs_term *mbs_term_difference(mbs_algebra *algebra, const mbs_term *x, const mbs_term *y);

/* A sum of many terms that is being built; {0} is an empty one. */
typedef struct mbs_sum_builder {
  const mbs_term **parts;
  size_t count, room;
} mbs_sum_builder;

void mbs_sum_builder_add(mbs_algebra *algebra, mbs_sum_builder *sum, const mbs_term *x);
/* Returns the same sum as repeated calls of mbs_term_sum(), and empties the builder. */
const mbs_term *mbs_sum_builder_finish(mbs_algebra *algebra, mbs_sum_builder *sum);

/* Returns a term of this kind with these parts [count], without simplification. */
const mbs_term *mbs_term_of(mbs_algebra *algebra, mbs_term_kind kind, const mbs_term *const *parts, size_t count);
/* Returns true if the shapes of all parts fit; otherwise sets `misfit` to the first term whose parts do not. */
bool mbs_term_fits(const mbs_term *x, const mbs_term **misfit);

bool mbs_term_is_zero(const mbs_term *x);
bool mbs_term_is_one(const mbs_term *x);
bool mbs_term_is_scalar(const mbs_term *x);
/* Returns true if both are equal up to their signs. */
bool mbs_term_alike(const mbs_term *x, const mbs_term *y);
/* Returns true if both are equal, part by part. */
bool mbs_term_equal(const mbs_term *x, const mbs_term *y);

/* ---- term_value.c ---- */

/* Evaluates a term [rows x columns], row by row, from the values of its symbols. Returns false if shapes do not fit, or
 * if `out` has too few numbers (`room`) for the term or one of its parts. */
bool mbs_term_value(const mbs_term *x, double *out, size_t room);

/* ---- term_format.c ---- */

/* Return a term in the grammar of the manual's page "equations", as LaTeX, and as presentation MathML without the
 * <math> element; "" if memory runs out. */
const char *mbs_term_text(mbs_algebra *algebra, const mbs_term *x);
const char *mbs_term_latex(mbs_algebra *algebra, const mbs_term *x);
const char *mbs_term_mathml(mbs_algebra *algebra, const mbs_term *x);

#endif
