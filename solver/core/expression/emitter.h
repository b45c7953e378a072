/* emitter.h - builds a program from the parts of an expression, in reading order.
 *
 * Parts are nodes, identified by numbers. Equal nodes are created once; nodes of constants are folded. Everything
 * computed from a non-finite constant is a non-finite constant, unless an if, && or || selects another branch. If the
 * whole expression is one, that is an error. */
#ifndef MBS_EMITTER_H
#define MBS_EMITTER_H

#include "expression/program.h"

#include <stdbool.h>

typedef struct mbs_emitter mbs_emitter;

/* Creates an emitter in `scratch` for at most `most` nodes. Returns NULL if memory runs out. */
mbs_emitter *mbs_emitter_new(mbs_arena *scratch, size_t most);

int mbs_emitter_constant(mbs_emitter *emitter, double value);
/* Adds a parameter: a constant whose value may change when the expression is bound. */
int mbs_emitter_parameter(mbs_emitter *emitter, int number, double value);
int mbs_emitter_input(mbs_emitter *emitter, int number);
/* Adds the instruction `op` on nodes x and y (as many as it has operands); `column` is its position in the text. */
int mbs_emitter_apply(mbs_emitter *emitter, mbs_op op, int x, int y, int column);
/* Adds an instruction that looks up `table`. */
int mbs_emitter_look_up(mbs_emitter *emitter, mbs_op op, const mbs_lookup *table, int x, int y, int column);
int mbs_emitter_select(mbs_emitter *emitter, int condition, int x, int y, int column);
/* Adds the quotient or the product of nodes x and y. Replaces x / abs(x) and x / sqrt(x^2) by sign(x), also where they
 * are factors of a product: sign is defined at x = 0, and its jump is a switch (expression.h). */
int mbs_emitter_divide(mbs_emitter *emitter, int x, int y, int column);
int mbs_emitter_multiply(mbs_emitter *emitter, int x, int y, int column);
/* Returns true if a node is a constant; *value is then its value. */
bool mbs_emitter_is_constant(const mbs_emitter *emitter, int node, double *value);

/* Records that the form of the expression depends on the constant `number`, if that depends on parameters. */
void mbs_emitter_decide(mbs_emitter *emitter, int number, mbs_decision_kind kind);

/* Creates the program with result node `root`, in `arena`. Returns NULL with `message` if the result is not finite or
 * memory runs out. */
mbs_expression *mbs_emitter_finish(mbs_emitter *emitter, int root, mbs_arena *arena, char message[512]);

#endif
