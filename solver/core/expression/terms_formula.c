/* terms_formula.c - converts terms to formulas: a sum starts with a positive term, negative powers are divisors. */
#include "expression/terms.h"

#include <string.h>

static const mbs_formula *number_formula(mbs_simples *terms, const char *text) {
  return mbs_formula_leaf(terms->arena, MBS_FORMULA_NUMBER, mbs_arena_text(terms->arena, text));
}

static mbs_formula *with_parts(mbs_simples *terms, mbs_formula_kind kind, const mbs_simple *term) {
  mbs_formula *made = mbs_formula_leaf(terms->arena, kind, "");
  for (int i = 0; i < term->count; i++)
    made = mbs_formula_append(terms->arena, made, mbs_simple_formula(terms, term->entries[i].term), false);
  if (made != NULL) {
    made->call = term->call;
    made->infix = term->infix;
  }
  return made;
}

static bool is_negative(mbs_ratio ratio) { return ratio.value < 0; }

/* Returns true if an exponent is negative. */
static bool is_divisor(const mbs_simple *exponent) {
  if (exponent->kind == MBS_SIMPLE_NUMBER) return is_negative(exponent->number);
  return exponent->kind == MBS_SIMPLE_SUM && exponent->count == 1 && is_negative(exponent->entries[0].ratio);
}

static const mbs_formula *power_formula(mbs_simples *terms, const mbs_entry *entry, bool inverse) {
  mbs_simple *exponent = entry->exponent;
  if (inverse) exponent = mbs_simple_scaled(terms, mbs_ratio_whole(-1), exponent);
  const mbs_formula *base = mbs_simple_formula(terms, entry->term);
  if (exponent == terms->one) return base;
  mbs_formula *power = base != NULL ? mbs_formula_of(terms->arena, MBS_FORMULA_POWER, base) : NULL;
  return mbs_formula_append(terms->arena, power, mbs_simple_formula(terms, exponent), false);
}

/* A product during construction. */
typedef struct product {
  mbs_formula *upper, *lower;
  int above, below;
} product;

static void put(mbs_simples *terms, product *made, const mbs_formula *factor, bool inverse) {
  mbs_formula **side = inverse ? &made->lower : &made->upper;
  *side = mbs_formula_append(terms->arena, *side, factor, false);
  *(inverse ? &made->below : &made->above) += 1;
}

static const mbs_formula *finish(mbs_simples *terms, product *made) {
  if (made->upper == NULL || made->lower == NULL) return NULL;
  if (made->above == 0) put(terms, made, number_formula(terms, "1"), false);
  if (made->upper == NULL) return NULL;
  if (made->below == 0) return made->above == 1 ? made->upper->first->formula : made->upper;
  const mbs_formula *divisor = made->below == 1 ? made->lower->first->formula : made->lower;
  return mbs_formula_append(terms->arena, made->upper, divisor, true);
}

/* Returns |ratio| term. */
static const mbs_formula *scaled_formula(mbs_simples *terms, mbs_ratio ratio, mbs_simple *term) {
  const mbs_entry once = {.term = term, .exponent = terms->one};
  const bool product_term = term->kind == MBS_SIMPLE_PRODUCT;
  const mbs_entry *entries = product_term ? term->entries : &once;
  const int count = term == terms->one ? 0 : product_term ? term->count : 1;
  product made = {.upper = mbs_formula_leaf(terms->arena, MBS_FORMULA_PRODUCT, ""),
                  .lower = mbs_formula_leaf(terms->arena, MBS_FORMULA_PRODUCT, "")};
  char over[MBS_RATIO_TEXT], under[MBS_RATIO_TEXT];
  mbs_ratio_text(ratio, over, under);
  if (strcmp(over, "1") != 0) put(terms, &made, number_formula(terms, over), false);
  if (strcmp(under, "1") != 0) put(terms, &made, number_formula(terms, under), true);
  for (int i = 0; i < count; i++) {
    const bool inverse = is_divisor(entries[i].exponent);
    put(terms, &made, power_formula(terms, &entries[i], inverse), inverse);
  }
  return finish(terms, &made);
}

static const mbs_formula *negated(mbs_simples *terms, const mbs_formula *formula, bool negative) {
  return !negative || formula == NULL ? formula : mbs_formula_of(terms->arena, MBS_FORMULA_NEGATE, formula);
}

static const mbs_formula *sum_formula(mbs_simples *terms, const mbs_simple *term) {
  const mbs_entry *entries = term->entries;
  if (term->count == 1)
    return negated(terms, scaled_formula(terms, entries[0].ratio, entries[0].term), is_negative(entries[0].ratio));
  int first = 0; /* index of the first positive term */
  while (first < term->count && is_negative(entries[first].ratio)) first++;
  if (first == term->count) first = 0;
  const mbs_formula *beginning = scaled_formula(terms, entries[first].ratio, entries[first].term);
  beginning = negated(terms, beginning, is_negative(entries[first].ratio));
  mbs_formula *sum = beginning != NULL ? mbs_formula_of(terms->arena, MBS_FORMULA_SUM, beginning) : NULL;
  for (int i = 0; i < term->count; i++) {
    if (i == first) continue;
    const mbs_formula *part = scaled_formula(terms, entries[i].ratio, entries[i].term);
    sum = mbs_formula_append(terms->arena, sum, part, is_negative(entries[i].ratio));
  }
  return sum;
}

const mbs_formula *mbs_simple_formula(mbs_simples *terms, mbs_simple *term) {
  if (term->formula != NULL || terms->trouble != NULL) return term->formula;
  switch (term->kind) {
  case MBS_SIMPLE_NUMBER:
    term->formula = negated(terms, scaled_formula(terms, term->number, terms->one), is_negative(term->number));
    break;
  case MBS_SIMPLE_NAME: term->formula = mbs_formula_leaf(terms->arena, MBS_FORMULA_NAME, term->name); break;
  case MBS_SIMPLE_SUM: term->formula = sum_formula(terms, term); break;
  case MBS_SIMPLE_PRODUCT: term->formula = scaled_formula(terms, mbs_ratio_whole(1), term); break;
  case MBS_SIMPLE_CALL: term->formula = with_parts(terms, MBS_FORMULA_CALL, term); break;
  case MBS_SIMPLE_INFIX: term->formula = with_parts(terms, MBS_FORMULA_INFIX, term); break;
  case MBS_SIMPLE_NOT: term->formula = with_parts(terms, MBS_FORMULA_NOT, term); break;
  }
  return term->formula;
}
