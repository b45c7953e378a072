/* formula.c - converts the text of an expression to a formula, without simplification. */
#include "expression/formula.h"

#include "base/message.h"
#include "expression/tree.h"

#include <stdio.h>
#include <string.h>

mbs_formula *mbs_formula_leaf(mbs_arena *arena, mbs_formula_kind kind, const char *text) {
  mbs_formula *made = text != NULL ? mbs_arena_alloc(arena, 1, sizeof *made) : NULL;
  if (made != NULL) *made = (mbs_formula){.kind = kind, .text = text};
  return made;
}

mbs_formula *mbs_formula_append(mbs_arena *arena, mbs_formula *whole, const mbs_formula *part, bool inverse) {
  mbs_formula_part *made = whole != NULL && part != NULL ? mbs_arena_alloc(arena, 1, sizeof *made) : NULL;
  if (made == NULL) return NULL;
  *made = (mbs_formula_part){part, inverse, NULL};
  *(whole->last != NULL ? &whole->last->next : &whole->first) = made;
  whole->last = made;
  if (whole->depth <= part->depth) whole->depth = part->depth + 1;
  return whole;
}

mbs_formula *mbs_formula_of(mbs_arena *arena, mbs_formula_kind kind, const mbs_formula *first) {
  mbs_formula *made = mbs_formula_leaf(arena, kind, "");
  return first != NULL ? mbs_formula_append(arena, made, first, false) : made;
}

/* ---- from the tree --------------------------------------------------------------------------------------------- */

/* Joins a chain: a - b + c is one sum, a*b/c one product, a || b || c one chain; the left operand is extended. */
static mbs_formula *chain(mbs_arena *arena, const mbs_tree_node *node, mbs_formula *left, const mbs_formula *right) {
  const char *operator= node->infix->text;
  const bool sum = strchr("+-", *operator) != NULL, product = strchr("*/", *operator) != NULL;
  const mbs_formula_kind kind = sum ? MBS_FORMULA_SUM : product ? MBS_FORMULA_PRODUCT : MBS_FORMULA_INFIX;
  const bool goes_on = left->kind == kind && (kind != MBS_FORMULA_INFIX || left->infix == node->infix) &&
                       node->infix->precedence != MBS_PRECEDENCE_COMPARISON;
  mbs_formula *whole = goes_on ? left : mbs_formula_of(arena, kind, left);
  if (whole != NULL) whole->infix = node->infix;
  return mbs_formula_append(arena, whole, right, *operator== '-' || * operator== '/');
}

static mbs_formula *take(mbs_arena *arena, const mbs_tree_node *node, mbs_formula **operands) {
  static const mbs_formula_kind kinds[] = {[MBS_TREE_NEGATE] = MBS_FORMULA_NEGATE,
                                           [MBS_TREE_NOT] = MBS_FORMULA_NOT,
                                           [MBS_TREE_POWER] = MBS_FORMULA_POWER,
                                           [MBS_TREE_CALL] = MBS_FORMULA_CALL};
  switch (node->kind) {
  case MBS_TREE_NUMBER: return mbs_formula_leaf(arena, MBS_FORMULA_NUMBER, node->text);
  case MBS_TREE_NAME:
  case MBS_TREE_MEASURE: return mbs_formula_leaf(arena, MBS_FORMULA_NAME, node->text);
  case MBS_TREE_INFIX: return chain(arena, node, operands[0], operands[1]);
  default: break;
  }
  mbs_formula *made = mbs_formula_of(arena, kinds[node->kind], operands[0]);
  for (int i = 1; i < node->operands; i++) made = mbs_formula_append(arena, made, operands[i], false);
  if (made != NULL) made->call = node->function != NULL ? node->function->call : node->call;
  return made;
}

const mbs_formula *mbs_formula_read_named(mbs_arena *arena, const char *text, const mbs_function_list *functions,
                                          char message[512]) {
  mbs_tree tree;
  if (!mbs_tree_read(arena, text, NULL, functions, &tree, message)) return NULL;
  mbs_formula **unused = mbs_arena_alloc(arena, (size_t)tree.count, sizeof(mbs_formula *));
  mbs_message(message, 512, "out of memory");
  if (unused == NULL) return NULL;
  int top = 0;
  for (int i = 0; i < tree.count; i++) {
    top -= tree.nodes[i].operands;
    unused[top] = take(arena, &tree.nodes[i], &unused[top]);
    if (unused[top] == NULL) return NULL;
    top++;
  }
  if (unused[0]->depth > MBS_FORMULA_DEPTH) {
    mbs_message(message, 512, "nested too deeply to be shown (the limit is %d levels)", MBS_FORMULA_DEPTH);
    return NULL;
  }
  message[0] = '\0';
  return unused[0];
}

const mbs_formula *mbs_formula_read(mbs_arena *arena, const char *text, char message[512]) {
  return mbs_formula_read_named(arena, text, NULL, message);
}

const mbs_formula *mbs_formula_read_with(mbs_arena *arena, const char *text, const mbs_formula_function *functions,
                                         size_t count, char message[512]) {
  const mbs_function_list *list = mbs_named_calls(arena, functions, count);
  mbs_message(message, 512, "out of memory");
  return list != NULL ? mbs_formula_read_named(arena, text, list, message) : NULL;
}

/* ---- its names ------------------------------------------------------------------------------------------------- */

static bool is_listed(const char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

/* Counts the names that are not listed yet, and lists them as far as `room` permits. */
static size_t list_names(const mbs_formula *formula, const char **names, size_t count, size_t room) {
  if (formula->kind == MBS_FORMULA_NAME && strcmp(formula->text, "pi") != 0 &&
      !is_listed(names, count, formula->text)) {
    if (count < room) names[count++] = formula->text;
  }
  for (const mbs_formula_part *part = formula->first; part != NULL; part = part->next)
    count = list_names(part->formula, names, count, room);
  return count;
}

const char *const *mbs_formula_names(const mbs_formula *formula, mbs_arena *arena, size_t *count) {
  enum { MOST = 200 };
  const char **names = mbs_arena_alloc(arena, MOST, sizeof *names);
  *count = names != NULL ? list_names(formula, names, 0, MOST) : 0;
  return names;
}
