/* mbs/formula.h - expressions as mathematics: derivatives, LaTeX, MathML; the functions and quantities of the
 * expression language. */
#ifndef MBS_MBS_FORMULA_H
#define MBS_MBS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/arena.h"
#include "mbs/document.h"

/* An expression of the document language, parsed or derived, allocated in an arena. Names may be unknown. A call of an
 * unknown function with names is a measure, for instance "distance(bob.B, ground.O)", and is treated as a name.
 *
 * The functions below return NULL and fill `message` if the text is not an expression, is nested more deeply than 60
 * levels, is too long, is not finite, or if memory runs out. A derivative is too long if its text has more than 100
 * times the length of the original or more than 65536 bytes. */
typedef struct mbs_formula mbs_formula;

/* Parses an expression. A message is for instance "at column 7: expected a number, a name or '(' but found ')'". */
MBS_API const mbs_formula *mbs_formula_read(mbs_arena *arena, const char *text, char message[512]);

/* A function of the document, as formulas need it. */
typedef struct mbs_formula_function {
  const char *name;
  int arguments;              /* number of arguments */
  const char *const *letters; /* [arguments] their names */
  const char *text;           /* expression of these names and of parameters; NULL: a table */
} mbs_formula_function;
/* Parses an expression that may call these functions [count], which must outlive the formula. The derivative of a
 * table F(a) is F'(a), of F(a, b) it is F_x(a, b) and F_y(a, b); that of another function is written out. */
MBS_API const mbs_formula *mbs_formula_read_with(mbs_arena *arena, const char *text,
                                                 const mbs_formula_function *functions, size_t count,
                                                 char message[512]);

/* Returns the distinct names of an expression in the order of their first occurrence, without pi; at most 200. */
MBS_API const char *const *mbs_formula_names(const mbs_formula *formula, mbs_arena *arena, size_t *count);

/* Derives d formula / d name; other names are constant. Like terms and like factors are collected. Numbers are folded
 * exactly (0.1*3 is 0.3, 2/8 is 1/4); products of sums are not expanded. At a kink or a jump the result is the
 * derivative of the adjacent branches: sign(x) for abs(x). A floor, a sign and a condition have derivative zero. */
MBS_API const mbs_formula *mbs_formula_derivative(mbs_arena *arena, const mbs_formula *formula, const char *name,
                                                  char message[512]);

/* Time derivatives of names, each an expression: "1" for t, "crank.omega" for crank.phi; NULL for constants. */
typedef struct mbs_rates {
  void *context;
  const char *(*rate)(void *context, const char *name);
} mbs_rates;
/* Derives d formula / dt with these rates. A second call, with the result and the rates of the rates, gives the second
 * derivative. */
MBS_API const mbs_formula *mbs_formula_rate(mbs_arena *arena, const mbs_formula *formula, const mbs_rates *rates,
                                            char message[512]);

/* Notations of an expression: text with blanks around + and - and without redundant parentheses; LaTeX for math mode
 * (amsmath); presentation MathML, the content of a <math> element. */
typedef enum mbs_notation { MBS_NOTATION_TEXT, MBS_NOTATION_LATEX, MBS_NOTATION_MATHML } mbs_notation;

/* Symbols of names, written in the notation. NULL selects the default symbol, for instance x with the index bob for
 * bob.x. */
typedef struct mbs_formula_symbols {
  void *context;
  const char *(*symbol)(void *context, const char *name);
} mbs_formula_symbols;
/* Writes a formula in a notation. If `symbols` is NULL, default symbols are used; text contains the names. Powers
 * become superscripts, quotients fractions, and if() a list of cases. */
MBS_API const char *mbs_formula_show(mbs_arena *arena, const mbs_formula *formula, mbs_notation notation,
                                     const mbs_formula_symbols *symbols, char message[512]);
/* Returns the default symbol of a name in LaTeX or MathML, or NULL if memory runs out. */
MBS_API const char *mbs_name_symbol(mbs_arena *arena, const char *name, mbs_notation notation);

/* Describes function number i of the language: its name, the least and the largest number of its arguments, and its
 * derivative as an expression of its arguments a, b, ... and their derivatives da, db, ... Returns false past the last
 * function. */
MBS_API bool mbs_function_described(size_t i, const char **name, int *least, int *most, const char **derivative);

/* Places where an expression may read a quantity. Each place includes the quantities of those before it. */
typedef enum mbs_use {
  MBS_USE_CONSTRAINTS, /* joints of type expression: positions and t */
  MBS_USE_LAWS,        /* force elements: also velocities */
  MBS_USE_REACTIONS,   /* forces, torques, actuators, rates of states: also accelerations and reactions */
  MBS_USE_SENSORS      /* sensors, and conditions and values of studies: also energies */
} mbs_use;

/* A quantity that expressions can read, as OWNER.word. */
typedef struct mbs_quantity_entry {
  const char *owner; /* "body", "joint", "energy", ... */
  const char *types; /* types of force elements that have the quantity, for instance "contact, friction"; else "" */
  const char *word;
  bool numbered; /* a number follows the word, as in lambda1 */
  bool plain;    /* the word may be omitted if the owner has one such quantity: q */
  mbs_use use;
  bool needs_forces; /* requires forces, so not available in kinematics */
  const char *unit;
  mbs_space spaces;
  const char *doc;
} mbs_quantity_entry;
/* Describes quantity number i. Returns false past the last quantity, and if memory runs out. */
MBS_API bool mbs_quantity_described(size_t i, mbs_arena *arena, mbs_quantity_entry *out);

#endif
