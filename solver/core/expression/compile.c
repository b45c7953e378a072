/* compile.c - compiles the text of an expression to its program. */
#include "base/message.h"
#include "expression/tree.h"

#include <assert.h>
#include <stdio.h>

/* State of the compiler, shared by an expression and its definitions. */
typedef struct compiler {
  mbs_emitter *emitter;
  int *unused; /* stack of operands */
} compiler;

static int emit_tree(compiler *self, mbs_tree *tree, int top);

/* Emits a definition once; its other uses have the same node. */
static int emit_definition(compiler *self, mbs_tree *tree, int top) {
  if (tree->definition == 0) tree->definition = emit_tree(self, tree, top) + 1;
  return tree->definition - 1;
}

static int emit_leaf(mbs_emitter *emitter, const mbs_tree_node *node) {
  switch (node->meaning) {
  case MBS_MEANS_PARAMETER: return mbs_emitter_parameter(emitter, node->number, node->value);
  case MBS_MEANS_INPUT: return mbs_emitter_input(emitter, node->number);
  default: return mbs_emitter_constant(emitter, node->value);
  }
}

/* Emits a node with the operands x[]. */
static int emit(mbs_emitter *emitter, const mbs_tree_node *node, const int *x) {
  switch (node->kind) {
  case MBS_TREE_NEGATE: return mbs_emitter_apply(emitter, MBS_OP_negate, x[0], x[0], node->column);
  case MBS_TREE_NOT: return mbs_emitter_apply(emitter, MBS_OP_not, x[0], x[0], node->column);
  case MBS_TREE_POWER: return mbs_emit_power(emitter, x[0], x[1], node->column);
  case MBS_TREE_INFIX: return mbs_emit_infix(node->infix, emitter, x[0], x[1], node->column);
  case MBS_TREE_CALL:
    if (node->function != NULL) return mbs_emit_table(node->function, emitter, x, node->column);
    return mbs_emit_call(node->call, emitter, x, node->operands, node->column);
  default: return emit_leaf(emitter, node);
  }
}

/* Emits the nodes of a tree; its operands are on the stack from `top` on. Returns the node of its value. */
static int emit_tree(compiler *self, mbs_tree *tree, int top) {
  const int first = top;
  for (int i = 0; i < tree->count; i++) {
    const mbs_tree_node *node = &tree->nodes[i];
    top -= node->operands;
    assert(top >= first);
    self->unused[top] = node->meaning == MBS_MEANS_DEFINITION ? emit_definition(self, node->definition, top)
                                                              : emit(self->emitter, node, &self->unused[top]);
    top++;
  }
  assert(top == first + 1);
  return self->unused[first];
}

/* Returns the largest number of nodes that a node of the tree makes: '<' makes a comparison and its negation, a
 * composed function up to nine. */
static size_t nodes_of(const mbs_tree_node *node) {
  if (node->function != NULL) return mbs_table_nodes(node->function->table);
  return node->call != NULL && node->call->compose != NULL ? 9 : 2 + (size_t)node->operands;
}

/* Returns the largest number of nodes that a tree makes, with the definitions in it that are not counted yet. */
static size_t nodes_of_tree(mbs_tree *tree) {
  size_t most = 0;
  if (tree->counted) return 0;
  tree->counted = true;
  for (int i = 0; i < tree->count; i++) {
    const mbs_tree_node *node = &tree->nodes[i];
    most += node->meaning == MBS_MEANS_DEFINITION ? 1 + nodes_of_tree(node->definition) : nodes_of(node);
  }
  return most;
}

/* Emits all nodes. Returns NULL with a message if memory runs out, or the value is not finite. */
static mbs_expression *emit_all(mbs_tree *tree, mbs_arena *scratch, mbs_arena *arena, char message[512]) {
  const size_t most = nodes_of_tree(tree);
  compiler self = {.emitter = mbs_emitter_new(scratch, most),
                   .unused = mbs_arena_alloc(scratch, most + 1, sizeof *self.unused)};
  if (self.emitter == NULL || self.unused == NULL) {
    mbs_message(message, 512, "out of memory");
    return NULL;
  }
  return mbs_emitter_finish(self.emitter, emit_tree(&self, tree, 0), arena, message);
}

mbs_expression *mbs_expression_compile(mbs_arena *arena, const char *text, const mbs_scope *scope, char message[512]) {
  mbs_expression *expression = NULL;
  mbs_arena *scratch = mbs_arena_new(0);
  mbs_tree tree;
  if (scratch == NULL) {
    mbs_message(message, 512, "out of memory");
  } else if (mbs_tree_read(scratch, text, scope, NULL, &tree, message)) {
    expression = emit_all(&tree, scratch, arena, message);
  }
  mbs_arena_free(scratch);
  return expression;
}
