/* formula.h - an expression as mathematics: sums of any length, products with their divisors.
 *
 * A formula, written or derived, is a tree of these nodes; mbs/formula.h declares its functions. Names have no meaning
 * here; no scope is used. */
#ifndef MBS_FORMULA_H
#define MBS_FORMULA_H

#include "expression/operations.h"
#include "mbs/formula.h"

typedef enum mbs_formula_kind {
  MBS_FORMULA_NUMBER, /* not negative; value in `text` */
  MBS_FORMULA_NAME,   /* also a measure, distance(bob.B, ground.O) */
  MBS_FORMULA_SUM,
  MBS_FORMULA_PRODUCT,
  MBS_FORMULA_POWER, /* base, exponent */
  MBS_FORMULA_NEGATE,
  MBS_FORMULA_NOT,
  MBS_FORMULA_INFIX, /* a comparison, or && or || of two and more */
  MBS_FORMULA_CALL
} mbs_formula_kind;

typedef struct mbs_formula_part {
  const mbs_formula *formula;
  bool inverse; /* subtracted in a sum, a divisor in a product; never true for the first part */
  struct mbs_formula_part *next;
} mbs_formula_part;

struct mbs_formula {
  mbs_formula_kind kind;
  int depth; /* nesting depth; 0: no parts */
  const char *text;
  const mbs_infix *infix;
  const mbs_call *call;
  mbs_formula_part *first, *last;
};

/* Deeper formulas are not shown: they are unreadable, and their text could be nested too deeply for a compilation. */
enum { MBS_FORMULA_DEPTH = 60 };

/* Parses an expression with functions of the document; NULL: none. */
const mbs_formula *mbs_formula_read_named(mbs_arena *arena, const char *text, const mbs_function_list *functions,
                                          char message[512]);

/* Create nodes in an arena. Return NULL if memory runs out or a part is NULL. */
mbs_formula *mbs_formula_leaf(mbs_arena *arena, mbs_formula_kind kind, const char *text);
mbs_formula *mbs_formula_of(mbs_arena *arena, mbs_formula_kind kind, const mbs_formula *first);
mbs_formula *mbs_formula_append(mbs_arena *arena, mbs_formula *whole, const mbs_formula *part, bool inverse);

/* Returns operand `number` of `formula`, from 0. */
static inline const mbs_formula *mbs_formula_operand(const mbs_formula *formula, int number) {
  const mbs_formula_part *part = formula->first;
  for (; number > 0; number--) part = part->next;
  return part->formula;
}

#endif
