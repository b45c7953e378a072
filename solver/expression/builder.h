/* builder.h - makes a program from the parts of an expression, in the order in which they are read.
 *
 * Parts are nodes, known by their numbers. Equal nodes are made once; nodes of constants are folded. A constant that is
 * not finite swallows whatever is computed from it, unless an if, && or || decides that it does not count; if the
 * whole expression ends as one, that is the error. */
#ifndef MBS_BUILDER_H
#define MBS_BUILDER_H

#include "program.h"

typedef struct mbs_builder mbs_builder;

/* A builder in `scratch` for a text of `length` bytes: at most two nodes a byte. NULL when there is no memory. */
mbs_builder *mbs_builder_new(mbs_arena *scratch, size_t length);

int mbs_builder_constant(mbs_builder *builder, double value);
int mbs_builder_input(mbs_builder *builder, int number);
/* The instruction `op` on nodes x and y (of which those count that it has); `column` is where the text has it. */
int mbs_builder_apply(mbs_builder *builder, mbs_op op, int x, int y, int column);
int mbs_builder_select(mbs_builder *builder, int condition, int x, int y, int column);
/* Whether a node is a constant, and its value. */
bool mbs_builder_is_constant(const mbs_builder *builder, int node, double *value);

/* Program whose result is node `root`, in `arena`. NULL and `message` when it is not finite or there is no memory. */
mbs_expression *mbs_builder_finish(mbs_builder *builder, int root, mbs_arena *arena, char message[512]);

#endif
