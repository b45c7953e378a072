/* emitter.h - makes a program from the parts of an expression, in the order in which they are read.
 *
 * Parts are nodes, known by their numbers. Equal nodes are made once; nodes of constants are folded. A constant that is
 * not finite swallows whatever is computed from it, unless an if, && or || decides that it does not count; if the
 * whole expression ends as one, that is the error. */
#ifndef MBS_EMITTER_H
#define MBS_EMITTER_H

#include "expression/program.h"

#include <stdbool.h>

typedef struct mbs_emitter mbs_emitter;

/* An emitter in `scratch` for a text of `length` bytes: at most two nodes a byte. NULL when there is no memory. */
mbs_emitter *mbs_emitter_new(mbs_arena *scratch, size_t length);

int mbs_emitter_constant(mbs_emitter *emitter, double value);
/* A parameter: a constant whose value may be another one when the expression is bound. */
int mbs_emitter_parameter(mbs_emitter *emitter, int number, double value);
int mbs_emitter_input(mbs_emitter *emitter, int number);
/* The instruction `op` on nodes x and y (of which those count that it has); `column` is where the text has it. */
int mbs_emitter_apply(mbs_emitter *emitter, mbs_op op, int x, int y, int column);
int mbs_emitter_select(mbs_emitter *emitter, int condition, int x, int y, int column);
/* The quotient or the product of nodes x and y, in which x / abs(x) and x / sqrt(x^2) are sign(x), also as factors of
 * products: a jump that is a switch, with a value at 0. */
int mbs_emitter_divide(mbs_emitter *emitter, int x, int y, int column);
int mbs_emitter_multiply(mbs_emitter *emitter, int x, int y, int column);
/* Whether a node is a constant, and its value. */
bool mbs_emitter_is_constant(const mbs_emitter *emitter, int node, double *value);

/* The form of the expression follows from that constant: noted where it depends on parameters. */
void mbs_emitter_decide(mbs_emitter *emitter, int number, mbs_decision_kind kind);

/* Program whose result is node `root`, in `arena`. NULL and `message` when it is not finite or there is no memory. */
mbs_expression *mbs_emitter_finish(mbs_emitter *emitter, int root, mbs_arena *arena, char message[512]);

#endif
