/* named_calls.c - functions of the document in formulas, and the derivatives of tables. */
#include "expression/operations.h"

#include <assert.h>

/* Returns a call of a function, or of a derivative of it. */
static mbs_call *new_call(mbs_arena *arena, const char *name, const mbs_named_function *function,
                          const mbs_function_list *functions) {
  mbs_call *call = mbs_arena_alloc(arena, 1, sizeof *call);
  const mbs_call **rates = mbs_arena_alloc(arena, (size_t)function->arguments, sizeof(mbs_call *));
  if (call == NULL || rates == NULL || name == NULL) return NULL;
  *call = (mbs_call){.name = name,
                     .least = function->arguments,
                     .most = function->arguments,
                     .op = MBS_OP_COUNT,
                     .function = function,
                     .functions = functions,
                     .rates = rates};
  return call;
}

const mbs_function_list *mbs_named_calls(mbs_arena *arena, const mbs_formula_function *functions, size_t count) {
  mbs_function_list *list = mbs_arena_alloc(arena, 1, sizeof *list);
  mbs_named_function *items = mbs_arena_alloc(arena, count, sizeof *items);
  if (list == NULL || items == NULL) return NULL;
  *list = (mbs_function_list){items, count};
  for (size_t k = 0; k < count; k++) {
    const mbs_formula_function *each = &functions[k];
    items[k] = (mbs_named_function){
        .name = each->name, .arguments = each->arguments, .letters = each->letters, .text = each->text};
    items[k].call = new_call(arena, each->name, &items[k], list);
    if (items[k].call == NULL) return NULL;
  }
  return list;
}

const mbs_call *mbs_table_rate(mbs_arena *arena, const mbs_call *call, int k) {
  assert(k >= 0 && k < call->most);
  if (call->rates[k] != NULL) return call->rates[k];
  const bool first = call->name == call->function->name;
  const char *name = call->most == 1 ? mbs_arena_format(arena, "%s'", call->name)
                                     : mbs_arena_format(arena, "%s%s%c", call->name, first ? "_" : "", "xy"[k]);
  call->rates[k] = new_call(arena, name, call->function, call->functions);
  return call->rates[k];
}
