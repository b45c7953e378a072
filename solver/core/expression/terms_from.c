/* terms_from.c - converts a formula to terms. */
#include "expression/terms.h"

#include <string.h>

/* Returns the term of a letter a, b, ..., or da, db, ..., of a function's derivative, or of a name in the expression
 * of a function. */
static mbs_simple *letter(mbs_simples *terms, const mbs_simple_letters *letters, const char *text) {
  const mbs_named_function *function = letters->function;
  for (int k = 0; function != NULL && k < function->arguments; k++)
    if (strcmp(function->letters[k], text) == 0) return letters->arguments[k];
  if (function != NULL) return mbs_simple_name(terms, text);
  return text[1] == '\0' ? letters->arguments[text[0] - 'a'] : letters->slopes[text[1] - 'a'];
}

static int count_of(const mbs_formula *formula) {
  int count = 0;
  for (const mbs_formula_part *part = formula->first; part != NULL; part = part->next) count++;
  return count;
}

static mbs_simple *gather(mbs_simples *terms, const mbs_formula *formula, mbs_simple **parts, int count) {
  const mbs_entry one = {.exponent = terms->one};
  mbs_entry *entries = mbs_simple_entries(terms, count);
  if (entries == NULL) return terms->zero;
  const bool sum = formula->kind == MBS_FORMULA_SUM;
  const mbs_formula_part *part = formula->first;
  for (int i = 0; i < count; i++, part = part->next) {
    entries[i] = one;
    entries[i].term = parts[i];
    entries[i].ratio = mbs_ratio_whole(part->inverse ? -1 : 1);
    if (part->inverse) entries[i].exponent = terms->minus_one;
  }
  return sum ? mbs_simple_sum(terms, entries, count) : mbs_simple_product(terms, entries, count);
}

/* Converts a formula; the limit on the depth of formulas limits the recursion. */
mbs_simple *mbs_simple_from(mbs_simples *terms, const mbs_formula *formula, const mbs_simple_letters *letters) {
  if (terms->trouble != NULL) return terms->zero;
  if (formula->kind == MBS_FORMULA_NUMBER) return mbs_simple_number(terms, mbs_ratio_read(formula->text));
  if (formula->kind == MBS_FORMULA_NAME)
    return letters != NULL ? letter(terms, letters, formula->text) : mbs_simple_name(terms, formula->text);
  const int count = count_of(formula);
  mbs_simple **parts = mbs_arena_alloc(terms->arena, (size_t)count, sizeof *parts);
  if (parts == NULL) {
    terms->trouble = "out of memory";
    return terms->zero;
  }
  const mbs_formula_part *part = formula->first;
  for (int i = 0; i < count; i++, part = part->next) parts[i] = mbs_simple_from(terms, part->formula, letters);
  if (terms->trouble != NULL) return terms->zero;
  switch (formula->kind) {
  case MBS_FORMULA_SUM:
  case MBS_FORMULA_PRODUCT: return gather(terms, formula, parts, count);
  case MBS_FORMULA_NEGATE: return mbs_simple_scaled(terms, mbs_ratio_whole(-1), parts[0]);
  case MBS_FORMULA_NOT: return mbs_simple_not(terms, parts[0]);
  case MBS_FORMULA_INFIX: return mbs_simple_infix(terms, formula->infix, parts, count);
  case MBS_FORMULA_CALL:
    if (strcmp(formula->call->name, "pow") != 0) return mbs_simple_call(terms, formula->call, parts, count);
    break;
  default: break;
  }
  return mbs_simple_power(terms, parts[0], parts[1]);
}
