/* factored.c - common factors of the terms of a sum, each with its smallest power in them. */
#include "expression/terms.h"

#include <assert.h>
#include <math.h>

/* Returns the exponent of `base` in a term of a sum; NULL if it is not a factor. */
static mbs_simple *exponent_in(const mbs_simples *terms, const mbs_simple *term, const mbs_simple *base) {
  if (term == base) return terms->one;
  for (int i = 0; term->kind == MBS_SIMPLE_PRODUCT && i < term->count; i++)
    if (term->entries[i].term == base) return term->entries[i].exponent;
  return NULL;
}

/* Returns the smallest power of `base` in all terms: a common one, or the smallest number; NULL if there is none. */
static mbs_simple *least(const mbs_simples *terms, const mbs_simple *sum, const mbs_simple *base,
                         mbs_simple *exponent) {
  for (int i = 1; i < sum->count && exponent != NULL; i++) {
    mbs_simple *other = exponent_in(terms, sum->entries[i].term, base);
    const bool numbers = other != NULL && other->kind == MBS_SIMPLE_NUMBER && exponent->kind == MBS_SIMPLE_NUMBER;
    if (numbers)
      exponent = other->number.value < exponent->number.value ? other : exponent;
    else if (other != exponent)
      exponent = NULL;
  }
  return exponent;
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* Returns the common coefficient of all terms: for integers their common divisor, for others a shared one. */
static mbs_ratio common_number(const mbs_simple *sum) {
  assert(sum->kind == MBS_SIMPLE_SUM && sum->count > 0);
  const mbs_ratio first = sum->entries[0].ratio;
  bool whole = true, alike = true, negative = true;
  int64_t divisor = 0;
  for (int i = 0; i < sum->count; i++) {
    const mbs_ratio each = sum->entries[i].ratio;
    whole = whole && each.under == 1;
    alike = alike && fabs(each.value) == fabs(first.value);
    negative = negative && each.value < 0;
    divisor = common_divisor(divisor, each.over);
  }
  mbs_ratio number = whole ? mbs_ratio_whole(divisor) : alike ? first : mbs_ratio_whole(1);
  if ((number.value < 0) != negative) number = mbs_ratio_negative(number);
  return number;
}

mbs_simple *mbs_simple_factored(mbs_simples *terms, mbs_simple *sum) {
  if (terms->trouble != NULL || sum->kind != MBS_SIMPLE_SUM || sum->count < 2) return sum;
  const mbs_simple *first = sum->entries[0].term;
  const mbs_entry alone = {.term = sum->entries[0].term, .exponent = terms->one};
  const mbs_entry *candidates = first->kind == MBS_SIMPLE_PRODUCT ? first->entries : &alone;
  const int count = first->kind == MBS_SIMPLE_PRODUCT ? first->count : 1;
  const mbs_ratio number = common_number(sum);
  mbs_entry *out = mbs_simple_entries(terms, count + 2), *rest = mbs_simple_entries(terms, sum->count);
  mbs_entry *divided = mbs_simple_entries(terms, count + 2);
  if (divided == NULL) return terms->zero;
  int taken = 0;
  for (int i = 0; i < count; i++) {
    mbs_simple *exponent = least(terms, sum, candidates[i].term, candidates[i].exponent);
    if (exponent == NULL || candidates[i].term == terms->one) continue;
    divided[taken] =
        (mbs_entry){.term = candidates[i].term, .exponent = mbs_simple_scaled(terms, mbs_ratio_whole(-1), exponent)};
    out[taken++] = (mbs_entry){.term = candidates[i].term, .exponent = exponent};
  }
  if (taken == 0 && mbs_ratio_is(number, 1)) return sum;
  assert(taken <= count);
  out[taken] = (mbs_entry){.term = mbs_simple_number(terms, number), .exponent = terms->one};
  divided[taken] = (mbs_entry){.term = out[taken].term, .exponent = terms->minus_one};
  for (int i = 0; i < sum->count && terms->trouble == NULL; i++) {
    divided[taken + 1] = (mbs_entry){.term = mbs_simple_scaled(terms, sum->entries[i].ratio, sum->entries[i].term),
                                     .exponent = terms->one};
    rest[i] = (mbs_entry){.ratio = mbs_ratio_whole(1), .term = mbs_simple_product(terms, divided, taken + 2)};
  }
  if (terms->trouble != NULL) return terms->zero;
  out[taken + 1] = (mbs_entry){.term = mbs_simple_sum(terms, rest, sum->count), .exponent = terms->one};
  return mbs_simple_product(terms, out, taken + 2);
}
