/* terms.h - formulas that are simplified while they are made.
 *
 * A sum has each term once, with a number before it; a product each factor once, with an exponent; numbers are taken
 * together. Nothing is multiplied out: a sum in a product stays. Equal terms are made once, so that equality is that of
 * pointers. Factors stand as one writes them: numbers, pi, constants, what moves, sums, functions. */
#ifndef MBS_TERMS_H
#define MBS_TERMS_H

#include "expression/formula.h"
#include "expression/ratio.h"
#include "mbs/formula.h"

typedef enum mbs_simple_kind {
  MBS_SIMPLE_NUMBER,
  MBS_SIMPLE_NAME,
  MBS_SIMPLE_SUM,
  MBS_SIMPLE_PRODUCT,
  MBS_SIMPLE_CALL,
  MBS_SIMPLE_INFIX,
  MBS_SIMPLE_NOT
} mbs_simple_kind;

typedef struct mbs_simple mbs_simple;

/* ratio * term in a sum, term ^ exponent in a product; the term only, of the others. */
typedef struct mbs_entry {
  mbs_ratio ratio;
  mbs_simple *term, *exponent;
} mbs_entry;

struct mbs_simple {
  mbs_simple_kind kind;
  mbs_ratio number;
  const char *name;
  const mbs_call *call;
  const mbs_infix *infix;
  mbs_entry *entries; /* a sum of one entry is a term with a number before it; a number in a sum is one times 1 */
  int count;
  int id;   /* by age */
  int rank; /* its place among factors */
  size_t hash;
  mbs_simple *next;                 /* of the same hash */
  mbs_simple *slope;                /* its derivative, where it was asked for */
  const mbs_formula *formula;       /* as it is written, where it was asked for */
  int in_sum, in_product, at, spot; /* the list that it was put into last, and where */
};

enum { MBS_SIMPLE_BUCKETS = 512 };

typedef struct mbs_simples {
  mbs_arena *arena;
  mbs_simple *buckets[MBS_SIMPLE_BUCKETS];
  mbs_simple *zero, *one, *minus_one;
  int count, lists;
  size_t room;         /* entries that may still be made */
  const char *trouble; /* what was wrong; then whatever is made means nothing */
  void *context;
  /* The derivative of a name as text; NULL: 0. */
  const char *(*rate)(void *context, const char *name);
} mbs_simples;

/* False: no memory. */
bool mbs_simples_begin(mbs_simples *terms, mbs_arena *arena);

mbs_simple *mbs_simple_number(mbs_simples *terms, mbs_ratio number);
mbs_simple *mbs_simple_name(mbs_simples *terms, const char *name);
/* The sum of ratio * term. */
mbs_simple *mbs_simple_sum(mbs_simples *terms, const mbs_entry *entries, int count);
mbs_simple *mbs_simple_scaled(mbs_simples *terms, mbs_ratio ratio, mbs_simple *term);
/* The product of term ^ exponent. */
mbs_simple *mbs_simple_product(mbs_simples *terms, const mbs_entry *entries, int count);
mbs_simple *mbs_simple_times(mbs_simples *terms, mbs_simple *a, mbs_simple *b);
mbs_simple *mbs_simple_power(mbs_simples *terms, mbs_simple *base, mbs_simple *exponent);
/* A function (not pow), a comparison, && or ||, or ! of `parts`. */
mbs_simple *mbs_simple_call(mbs_simples *terms, const mbs_call *call, mbs_simple *const *parts, int count);
mbs_simple *mbs_simple_infix(mbs_simples *terms, const mbs_infix *infix, mbs_simple *const *parts, int count);
mbs_simple *mbs_simple_not(mbs_simples *terms, mbs_simple *part);
/* Room for that many entries; NULL: trouble. */
mbs_entry *mbs_simple_entries(mbs_simples *terms, int count);

/* What the letters a, b, ... and da, db, ... of a function's derivative stand for. */
typedef struct mbs_simple_letters {
  mbs_simple *const *arguments, *const *slopes;
} mbs_simple_letters;
/* The terms of a formula; letters NULL: its names are names. */
mbs_simple *mbs_simple_from(mbs_simples *terms, const mbs_formula *formula, const mbs_simple_letters *letters);

/* The derivative by the rates of names. */
mbs_simple *mbs_simple_slope(mbs_simples *terms, mbs_simple *term);

/* A sum as what its terms have in common, times the rest: a b - a c = a (b - c). Other terms as they are. */
mbs_simple *mbs_simple_factored(mbs_simples *terms, mbs_simple *sum);

/* As a formula; NULL: no memory. */
const mbs_formula *mbs_simple_formula(mbs_simples *terms, mbs_simple *term);

#endif
