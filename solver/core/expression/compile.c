/* compile.c - compiles the text of an expression to its program. */
#include "base/message.h"
#include "expression/tree.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

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

/* Returns the largest number of nodes that a node of the tree makes: '<' makes a comparison and its negation, a
 * composed function up to nine. */
static size_t nodes_of(const mbs_tree_node *node) {
  if (node->function != NULL) return mbs_table_nodes(node->function->table);
  return node->call != NULL && node->call->compose != NULL ? 9 : 2 + (size_t)node->operands;
}

/* Emits all nodes. Returns NULL with a message if memory runs out, or the value is not finite. */
static mbs_expression *emit_all(const mbs_tree *tree, mbs_arena *scratch, mbs_arena *arena, char message[512]) {
  size_t most = 0;
  for (int i = 0; i < tree->count; i++) most += nodes_of(&tree->nodes[i]);
  mbs_emitter *emitter = mbs_emitter_new(scratch, most);
  int *unused = mbs_arena_alloc(scratch, (size_t)tree->count, sizeof *unused), top = 0;
  if (emitter == NULL || unused == NULL) {
    mbs_message(message, 512, "out of memory");
    return NULL;
  }
  for (int i = 0; i < tree->count; i++) {
    top -= tree->nodes[i].operands;
    assert(top >= 0);
    unused[top] = emit(emitter, &tree->nodes[i], &unused[top]);
    top++;
  }
  assert(top == 1);
  return mbs_emitter_finish(emitter, unused[0], arena, message);
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
