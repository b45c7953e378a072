/* operations.h - instructions for operators and calls of functions. */
#ifndef MBS_OPERATIONS_H
#define MBS_OPERATIONS_H

#include "expression/emitter.h"

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
  const char *derivative; /* in terms of its arguments a, b, ... and their derivatives da, db, ... */
} mbs_call;

/* Returns the function of that name, or NULL. */
const mbs_call *mbs_call_find(const char *name);
/* Returns function `number`; NULL past the last one. */
const mbs_call *mbs_call_at(size_t number);
/* Returns the function with the name nearest to `name`, as mbs_nearest() does; NULL if none is near. */
const char *mbs_call_nearest(const char *name);
/* Returns the node of a call with `count` arguments, between `least` and `most`. */
int mbs_emit_call(const mbs_call *function, mbs_emitter *emitter, const int *arguments, int count, int column);

#endif
