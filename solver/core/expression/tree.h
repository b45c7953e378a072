/* tree.h - the parsed text of an expression, for compilation and display.
 *
 * Nodes are in postfix order, operands before their node: a loop with a stack of unused operands evaluates them. */
#ifndef MBS_TREE_H
#define MBS_TREE_H

#include "expression/operations.h"

typedef enum mbs_tree_kind {
  MBS_TREE_NUMBER,
  MBS_TREE_NAME,
  MBS_TREE_MEASURE, /* function whose arguments are names of the model: distance(bob.B, ground.O) */
  MBS_TREE_NEGATE,
  MBS_TREE_NOT,
  MBS_TREE_POWER,
  MBS_TREE_INFIX,
  MBS_TREE_CALL
} mbs_tree_kind;

/* The meaning of a name in the scope. */
typedef enum mbs_tree_meaning {
  MBS_MEANS_NOTHING,
  MBS_MEANS_CONSTANT,
  MBS_MEANS_PARAMETER,
  MBS_MEANS_INPUT,
  MBS_MEANS_DEFINITION /* a separate expression */
} mbs_tree_meaning;

typedef struct mbs_tree_node {
  mbs_tree_kind kind;
  mbs_tree_meaning meaning; /* meaning of a name or a measure */
  int number;               /* number of a parameter or an input */
  int operands;             /* number of operands */
  int column;
  double value;                       /* value of a number or a constant */
  const char *text;                   /* number or name as written; measure as "distance(bob.B, ground.O)" */
  const mbs_infix *infix;             /* operator of MBS_TREE_INFIX */
  const mbs_call *call;               /* call of MBS_TREE_CALL; NULL: `function` */
  const mbs_named_function *function; /* function of the document */
  struct mbs_tree *definition;        /* tree of MBS_MEANS_DEFINITION; each of its uses has the same tree */
} mbs_tree_node;

typedef struct mbs_tree {
  mbs_tree_node *nodes; /* [capacity] */
  int count, capacity;
  bool counted;   /* used by the compiler: its nodes are counted */
  int definition; /* used by the compiler: number of the value of a definition + 1; 0: not compiled yet */
} mbs_tree;

/* Parses `text` into `arena`. A call of a function of the scope that is an expression is replaced by this expression,
 * with the arguments in place of their names. If `scope` is NULL, names have no meaning, a call of one of `functions`
 * is a node, and a call of another unknown function with names is a measure. Returns false and a message as
 * mbs_expression_compile(). */
bool mbs_tree_read(mbs_arena *arena, const char *text, const mbs_scope *scope, const mbs_function_list *functions,
                   mbs_tree *tree, char message[512]);

#endif
