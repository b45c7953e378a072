/* terms.h - formulas that are simplified during construction.
 *
 * A sum contains each term once, with a coefficient; a product each factor once, with an exponent; numbers are
 * combined. Products of sums are not expanded. Equal terms are created once, so equality is that of pointers. Factors
 * are in the usual order: numbers, pi, constants, variables, sums, functions. */
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

/* ratio * term in a sum, term ^ exponent in a product; only the term in the others. */
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
  mbs_entry *entries; /* a sum of one entry is a term with a coefficient; a number in a sum is one times 1 */
  int count;
  int id;   /* number in order of creation */
  int rank; /* position among factors */
  size_t hash;
  mbs_simple *next;                 /* next term with the same hash */
  mbs_simple *slope;                /* derivative, if computed */
  const mbs_formula *formula;       /* the term as a formula, if computed */
  int in_sum, in_product, at, spot; /* the last list that contains it, and its index there */
};

enum { MBS_SIMPLE_BUCKETS = 512 };

typedef struct mbs_simples {
  mbs_arena *arena;
  mbs_simple *buckets[MBS_SIMPLE_BUCKETS];
  mbs_simple *zero, *one, *minus_one;
  int count, lists;
  size_t room;         /* number of entries that may still be created */
  const char *trouble; /* error; results are then meaningless */
  int nesting;         /* functions of the document that are being derived */
  void *context;
  /* Returns the derivative of a name as text; NULL: 0. */
  const char *(*rate)(void *context, const char *name);
} mbs_simples;

/* Initializes `terms`. Returns false if memory runs out. */
bool mbs_simples_begin(mbs_simples *terms, mbs_arena *arena);

mbs_simple *mbs_simple_number(mbs_simples *terms, mbs_ratio number);
mbs_simple *mbs_simple_name(mbs_simples *terms, const char *name);
/* Returns the sum of ratio * term. */
mbs_simple *mbs_simple_sum(mbs_simples *terms, const mbs_entry *entries, int count);
mbs_simple *mbs_simple_scaled(mbs_simples *terms, mbs_ratio ratio, mbs_simple *term);
/* Returns the product of term ^ exponent. */
mbs_simple *mbs_simple_product(mbs_simples *terms, const mbs_entry *entries, int count);
mbs_simple *mbs_simple_times(mbs_simples *terms, mbs_simple *a, mbs_simple *b);
mbs_simple *mbs_simple_power(mbs_simples *terms, mbs_simple *base, mbs_simple *exponent);
/* Return a function (not pow), a comparison, && or ||, or ! of `parts`. */
mbs_simple *mbs_simple_call(mbs_simples *terms, const mbs_call *call, mbs_simple *const *parts, int count);
mbs_simple *mbs_simple_infix(mbs_simples *terms, const mbs_infix *infix, mbs_simple *const *parts, int count);
mbs_simple *mbs_simple_not(mbs_simples *terms, mbs_simple *part);
/* Allocates that many entries. Returns NULL on an error. */
mbs_entry *mbs_simple_entries(mbs_simples *terms, int count);

/* Meaning of the letters a, b, ... and da, db, ... in a function's derivative; or of names in the expression of a
 * function of the document. */
typedef struct mbs_simple_letters {
  mbs_simple *const *arguments, *const *slopes;
  const mbs_named_function *function; /* function whose arguments they are; NULL: a, b, ... */
} mbs_simple_letters;
/* Returns the terms of a formula; letters NULL: its names are names. */
mbs_simple *mbs_simple_from(mbs_simples *terms, const mbs_formula *formula, const mbs_simple_letters *letters);

/* Returns the derivative with the rates of names. */
mbs_simple *mbs_simple_slope(mbs_simples *terms, mbs_simple *term);

/* Returns a sum as the common factors of its terms times the remaining sum: a b - a c = a (b - c). Other terms are
 * returned unchanged. */
mbs_simple *mbs_simple_factored(mbs_simples *terms, mbs_simple *sum);

/* Returns a term as a formula; NULL if memory runs out. */
const mbs_formula *mbs_simple_formula(mbs_simples *terms, mbs_simple *term);

#endif
