/* operations.h - instructions for operators and calls of functions. */
#ifndef MBS_OPERATIONS_H
#define MBS_OPERATIONS_H

#include "expression/emitter.h"
#include "expression/lookup.h"
#include "mbs/formula.h"

/* Precedence of comparisons, which cannot be chained; the others are numbers in operators.def. */
enum { MBS_PRECEDENCE_COMPARISON = 3 };

typedef struct mbs_infix {
  const char *text;
  int precedence; /* higher is tighter */
  mbs_op op;
  bool swapped, negated;
} mbs_infix;

/* Returns the operator at the start of `text`, or NULL. */
const mbs_infix *mbs_infix_find(const char *text);
int mbs_emit_infix(const mbs_infix *infix, mbs_emitter *emitter, int x, int y, int column);

/* Emits base ^ exponent; the kind of the exponent determines the instruction. */
int mbs_emit_power(mbs_emitter *emitter, int base, int exponent, int column);

enum { MBS_ARGUMENTS_MAX = 64 };

/* A function of the language. */
typedef struct mbs_call {
  const char *name;
  int least, most; /* numbers of arguments */
  mbs_op op;       /* if `compose` is NULL; more than two arguments are applied from the left */
  int (*compose)(mbs_emitter *emitter, const int *arguments, int column);
  const char *derivative; /* derivative in terms of the arguments a, b, ... and their derivatives da, db, ... */
  /* Function of the document, or derivative of a table, in formulas that are shown. */
  const mbs_named_function *function;
  const mbs_function_list *functions; /* functions that the expression may call */
  const struct mbs_call **rates;      /* [arguments] partial derivatives of a table; NULL before they are needed */
} mbs_call;

/* Returns the function of that name, or NULL. */
const mbs_call *mbs_call_find(const char *name);
/* Returns function `number`; NULL past the last one. */
const mbs_call *mbs_call_at(size_t number);
/* Returns the function with the name nearest to `name`, as mbs_nearest() does; NULL if none is near. */
const char *mbs_call_nearest(const char *name);
/* Returns the node of a call with `count` arguments, between `least` and `most`. */
int mbs_emit_call(const mbs_call *function, mbs_emitter *emitter, const int *arguments, int count, int column);

/* Returns the node of a call of a function of the document that is a table. */
int mbs_emit_table(const mbs_named_function *function, mbs_emitter *emitter, const int *arguments, int column);
/* Returns the functions of a document for formulas; NULL if memory runs out. */
const mbs_function_list *mbs_named_calls(mbs_arena *arena, const mbs_formula_function *functions, size_t count);
/* Returns the derivative of a table with respect to argument `k`: F', or of two arguments F_x, F_y; NULL if memory runs
 * out. */
const mbs_call *mbs_table_rate(mbs_arena *arena, const mbs_call *call, int k);
/* Returns the largest number of nodes that a call of a table makes. */
size_t mbs_table_nodes(const mbs_table *table);

#endif
