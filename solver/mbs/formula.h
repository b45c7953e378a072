/* mbs/formula.h - expressions as mathematics: derivatives, LaTeX, MathML; the functions and quantities of the
 * language. */
#ifndef MBS_MBS_FORMULA_H
#define MBS_MBS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/arena.h"
#include "mbs/document.h"

/* An expression of the language of documents as it is written, or derived from one; it lives in its arena. Names in it
 * are names, known or not; what calls an unknown function with names is a measure, "distance(bob.B, ground.O)", and a
 * name, too. What follows returns NULL and a message where there is none: no expression, nested too deeply (60 levels),
 * too long (a derivative: more than 100 times its origin's text or 65536 bytes), not finite, out of memory. */
typedef struct mbs_formula mbs_formula;

/* Reads an expression. A message is for instance "at column 7: expected a number, a name or '(' but found ')'". */
MBS_API const mbs_formula *mbs_formula_read(mbs_arena *arena, const char *text, char message[512]);

/* Returns its distinct names in the order of their first occurrence, without pi; at most 200. */
MBS_API const char *const *mbs_formula_names(const mbs_formula *formula, mbs_arena *arena, size_t *count);

/* Derives d formula / d name with the other names constant. It collects like terms and like factors, and folds numbers
 * exactly (0.1*3 is 0.3, 2/8 is 1/4); it does not expand products of sums. At a kink or a jump the result is the
 * derivative of the branches beside it: sign(x) for abs(x); a floor, a sign and a condition are constant. */
MBS_API const mbs_formula *mbs_formula_derivative(mbs_arena *arena, const mbs_formula *formula, const char *name,
                                                  char message[512]);

/* The rates of names, each an expression: "1" of t, "crank.omega" of crank.phi; NULL of what is constant. */
typedef struct mbs_rates {
  void *context;
  const char *(*rate)(void *context, const char *name);
} mbs_rates;
/* Derives d formula / dt along these rates. Called with the result and the rates of the rates it derives the second
 * derivative. */
MBS_API const mbs_formula *mbs_formula_rate(mbs_arena *arena, const mbs_formula *formula, const mbs_rates *rates,
                                            char message[512]);

/* An expression again, with a blank about + and - and no parentheses that it does not need; LaTeX for math mode
 * (amsmath), or presentation MathML, the content of a <math> element. */
typedef enum mbs_notation { MBS_NOTATION_TEXT, MBS_NOTATION_LATEX, MBS_NOTATION_MATHML } mbs_notation;

/* Symbols of names in that notation, as they go into it; NULL: the usual one, as x with the index bob for bob.x. */
typedef struct mbs_formula_symbols {
  void *context;
  const char *(*symbol)(void *context, const char *name);
} mbs_formula_symbols;
/* Writes a formula in a notation. `symbols` NULL: the usual symbols; text has the names. Powers are superscripts,
 * quotients are fractions, if() is a list of cases. */
MBS_API const char *mbs_formula_show(mbs_arena *arena, const mbs_formula *formula, mbs_notation notation,
                                     const mbs_formula_symbols *symbols, char message[512]);
/* Returns the usual symbol of a name in LaTeX or MathML, or NULL if memory runs out. */
MBS_API const char *mbs_name_symbol(mbs_arena *arena, const char *name, mbs_notation notation);

/* Describes function number i of the language: its name, the least and the largest number of its arguments, and its
 * derivative as an expression of its arguments a, b, ... and their derivatives da, db, ... Returns false past the last
 * function. */
MBS_API bool mbs_function_described(size_t i, const char **name, int *least, int *most, const char **derivative);

/* Where a quantity may be used: there, and in all that come after it. */
typedef enum mbs_use {
  MBS_USE_CONSTRAINTS, /* joints of type expression: positions and t */
  MBS_USE_LAWS,        /* of force elements: velocities, too */
  MBS_USE_SENSORS      /* and conditions and values of studies: accelerations, reactions, energies, too */
} mbs_use;

/* A quantity that expressions can read, as OWNER.word. */
typedef struct mbs_quantity_entry {
  const char *owner; /* "body", "joint", "energy", ... */
  const char *types; /* of force elements: those that have it, "contact, friction"; "" otherwise */
  const char *word;
  bool numbered; /* the word has a number behind it: lambda1 */
  bool plain;    /* it may be left out where there is only one: q */
  mbs_use use;
  bool needs_forces; /* kinematics has none */
  const char *unit;
  mbs_space spaces;
  const char *doc;
} mbs_quantity_entry;
/* Describes quantity number i. Returns false past the last quantity, and if memory runs out. */
MBS_API bool mbs_quantity_described(size_t i, mbs_arena *arena, mbs_quantity_entry *out);

#endif
