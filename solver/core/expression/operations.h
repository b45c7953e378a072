/* operations.h - what the operators and the calls of functions in a text become. */
#ifndef MBS_OPERATIONS_H
#define MBS_OPERATIONS_H

#include "expression/emitter.h"

/* Comparisons, which cannot be chained; the others are numbers in operators.def. */
enum { MBS_PRECEDENCE_COMPARISON = 3 };

typedef struct mbs_infix {
  const char *text;
  int precedence; /* the higher, the tighter */
  mbs_op op;
  bool swapped, negated;
} mbs_infix;

/* The operator that `text` begins with, or NULL. */
const mbs_infix *mbs_infix_find(const char *text);
int mbs_emit_infix(const mbs_infix *infix, mbs_emitter *emitter, int x, int y, int column);

/* base ^ exponent: the exponent's kind decides the instruction. */
int mbs_emit_power(mbs_emitter *emitter, int base, int exponent, int column);

enum { MBS_ARGUMENTS_MAX = 64 };

/* A function of the language. */
typedef struct mbs_call {
  const char *name;
  int least, most; /* arguments */
  mbs_op op;       /* where `compose` is NULL; with more than two arguments applied from the left */
  int (*compose)(mbs_emitter *emitter, const int *arguments, int column);
  const char *derivative; /* of its arguments a, b, ... and their derivatives da, db, ... */
} mbs_call;

/* NULL where there is none of that name. */
const mbs_call *mbs_call_find(const char *name);
/* Function of that number; NULL where there are no more. */
const mbs_call *mbs_call_at(size_t number);
/* The function whose name is nearest to `name`, as in mbs_nearest(); NULL where none is near. */
const char *mbs_call_nearest(const char *name);
/* The node of a call; `count` arguments, between `least` and `most`. */
int mbs_emit_call(const mbs_call *function, mbs_emitter *emitter, const int *arguments, int count, int column);

#endif
