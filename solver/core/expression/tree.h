/* tree.h - the text of an expression, read: what is compiled, and what is shown.
 *
 * Nodes stand in the order in which they are read, the operands of a node before it: a loop over the nodes with a stack
 * of what is not used yet meets them as a calculator does that writes operators last. */
#ifndef MBS_TREE_H
#define MBS_TREE_H

#include "expression/operations.h"

typedef enum mbs_tree_kind {
  MBS_TREE_NUMBER,
  MBS_TREE_NAME,
  MBS_TREE_MEASURE, /* distance(bob.B, ground.O) */
  MBS_TREE_NEGATE,
  MBS_TREE_NOT,
  MBS_TREE_POWER,
  MBS_TREE_INFIX,
  MBS_TREE_CALL
} mbs_tree_kind;

/* What a name is to the scope. */
typedef enum mbs_tree_meaning {
  MBS_MEANS_NOTHING,
  MBS_MEANS_CONSTANT,
  MBS_MEANS_PARAMETER,
  MBS_MEANS_INPUT
} mbs_tree_meaning;

typedef struct mbs_tree_node {
  mbs_tree_kind kind;
  mbs_tree_meaning meaning; /* of a name or a measure */
  int number;               /* of a parameter or an input */
  int operands;             /* how many */
  int column;
  double value;           /* of a number or a constant */
  const char *text;       /* of a number or a name as written, of a measure without blanks */
  const mbs_infix *infix; /* of MBS_TREE_INFIX */
  const mbs_call *call;   /* of MBS_TREE_CALL */
} mbs_tree_node;

typedef struct mbs_tree {
  mbs_tree_node *nodes;
  int count;
} mbs_tree;

/* Reads `text` into `arena`; `scope` NULL: any name means nothing, and what calls an unknown function with names is a
 * measure. False and a message as mbs_expression_compile() has them. */
bool mbs_tree_read(mbs_arena *arena, const char *text, const mbs_scope *scope, mbs_tree *tree, char message[512]);

#endif
