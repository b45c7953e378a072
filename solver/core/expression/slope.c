/* slope.c - derivatives of terms: rules for sums, products, quotients and powers; functions.def for functions.
 *
 *     (c u v)' = c (u' v + u v')        c: constant
 *     (u / v^m)' = (u' v - m u v') / v^(m + 1)
 *     (u^n)' = n u^(n - 1) u',   (u^w)' = w u^(w - 1) u' + u^w log(u) w'
 *
 * Common factors of all terms of such a sum are extracted (factored.c). */
#include "expression/terms.h"

#include <assert.h>
#include <string.h>

static mbs_entry term_once(mbs_simple *term) { return (mbs_entry){.ratio = mbs_ratio_whole(1), .term = term}; }

static mbs_simple *plus(mbs_simples *terms, mbs_simple *a, mbs_ratio ratio, mbs_simple *b) {
  const mbs_entry entries[] = {term_once(a), {.ratio = ratio, .term = b}};
  return mbs_simple_sum(terms, entries, 2);
}

static mbs_simple *sum_slope(mbs_simples *terms, const mbs_simple *term) {
  assert(term->kind == MBS_SIMPLE_SUM);
  mbs_entry *entries = mbs_simple_entries(terms, term->count);
  for (int i = 0; i < term->count && terms->trouble == NULL; i++)
    entries[i] = (mbs_entry){.ratio = term->entries[i].ratio, .term = mbs_simple_slope(terms, term->entries[i].term)};
  return terms->trouble == NULL ? mbs_simple_sum(terms, entries, term->count) : terms->zero;
}

/* Returns the derivative of base ^ exponent. */
static mbs_simple *power_slope(mbs_simples *terms, mbs_simple *base, mbs_simple *exponent) {
  mbs_simple *of_base = mbs_simple_slope(terms, base), *of_exponent = mbs_simple_slope(terms, exponent);
  mbs_simple *by_base = terms->zero, *by_exponent = terms->zero;
  if (terms->trouble != NULL) return terms->zero;
  if (of_base != terms->zero) {
    const mbs_entry entries[] = {{.term = exponent, .exponent = terms->one},
                                 {.term = base, .exponent = plus(terms, exponent, mbs_ratio_whole(-1), terms->one)},
                                 {.term = of_base, .exponent = terms->one}};
    by_base = mbs_simple_product(terms, entries, 3);
  }
  if (of_exponent != terms->zero) {
    const mbs_entry entries[] = {
        {.term = base, .exponent = exponent},
        {.term = mbs_simple_call(terms, mbs_call_find("log"), &base, 1), .exponent = terms->one},
        {.term = of_exponent, .exponent = terms->one}};
    by_exponent = mbs_simple_product(terms, entries, 3);
  }
  return mbs_simple_factored(terms, plus(terms, by_base, mbs_ratio_whole(1), by_exponent));
}

/* ---- products -------------------------------------------------------------------------------------------------- */

/* The factors of a product: variable ones first, then constant ones. */
typedef struct parted {
  mbs_entry *entries;
  mbs_simple **slopes; /* derivatives of the variable factors */
  int moving, count;
} parted;

static bool part(mbs_simples *terms, const mbs_simple *term, parted *out) {
  *out = (parted){.entries = mbs_simple_entries(terms, term->count), .count = term->count};
  out->slopes = mbs_arena_alloc(terms->arena, (size_t)term->count, sizeof *out->slopes);
  if (out->entries == NULL || out->slopes == NULL) {
    if (terms->trouble == NULL) terms->trouble = "out of memory";
    return false;
  }
  int still = term->count;
  for (int i = 0; i < term->count; i++) {
    mbs_simple *slope = power_slope(terms, term->entries[i].term, term->entries[i].exponent);
    if (slope == terms->zero) {
      out->entries[--still] = term->entries[i];
    } else {
      out->slopes[out->moving] = slope;
      out->entries[out->moving++] = term->entries[i];
    }
  }
  assert(still == out->moving);
  return terms->trouble == NULL;
}

/* Returns the sum over the variable factors, of the derivative of each times the others. */
static mbs_simple *product_rule(mbs_simples *terms, const parted *parts) {
  mbs_entry *sum = mbs_simple_entries(terms, parts->moving), *factors = mbs_simple_entries(terms, parts->moving);
  for (int i = 0; i < parts->moving && terms->trouble == NULL; i++) {
    memcpy(factors, parts->entries, (size_t)parts->moving * sizeof *factors);
    factors[i] = (mbs_entry){.term = parts->slopes[i], .exponent = terms->one};
    sum[i] = term_once(mbs_simple_product(terms, factors, parts->moving));
  }
  return terms->trouble == NULL ? mbs_simple_factored(terms, mbs_simple_sum(terms, sum, parts->moving)) : terms->zero;
}

/* Returns the index of the only divisor with an integer power among the variable factors; -1 if there are none or
 * several, or no other factor. */
static int only_divisor(const parted *parts) {
  int found = -1;
  for (int i = 0; i < parts->moving; i++) {
    const mbs_simple *exponent = parts->entries[i].exponent;
    if (exponent->kind != MBS_SIMPLE_NUMBER || exponent->number.value > 0) continue;
    if (found >= 0 || !mbs_ratio_is_small(exponent->number)) return -1;
    found = i;
  }
  return parts->moving > 1 ? found : -1;
}

static mbs_simple *quotient_rule(mbs_simples *terms, const parted *parts, int divisor) {
  assert(divisor >= 0 && divisor < parts->moving);
  mbs_entry *upper = mbs_simple_entries(terms, parts->moving);
  if (upper == NULL) return terms->zero;
  int count = 0;
  for (int i = 0; i < parts->moving; i++)
    if (i != divisor) upper[count++] = parts->entries[i];
  const mbs_entry *below = &parts->entries[divisor];
  mbs_simple *u = mbs_simple_product(terms, upper, count), *v = below->term;
  mbs_simple *left = mbs_simple_times(terms, mbs_simple_slope(terms, u), v);
  mbs_simple *right = mbs_simple_times(terms, u, mbs_simple_slope(terms, v));
  if (terms->trouble != NULL) return terms->zero;
  const mbs_entry entries[] = {
      {.term = mbs_simple_factored(terms, plus(terms, left, below->exponent->number, right)), .exponent = terms->one},
      {.term = v, .exponent = plus(terms, below->exponent, mbs_ratio_whole(-1), terms->one)}};
  return mbs_simple_product(terms, entries, 2);
}

static mbs_simple *product_slope(mbs_simples *terms, const mbs_simple *term) {
  assert(term->kind == MBS_SIMPLE_PRODUCT);
  parted parts;
  if (!part(terms, term, &parts) || parts.moving == 0) return terms->zero;
  const int divisor = only_divisor(&parts);
  mbs_simple *moving = divisor >= 0 ? quotient_rule(terms, &parts, divisor) : product_rule(terms, &parts);
  const int still = parts.count - parts.moving;
  mbs_entry *entries = mbs_simple_entries(terms, still + 1);
  if (entries == NULL) return terms->zero;
  memcpy(entries, parts.entries + parts.moving, (size_t)still * sizeof *entries);
  entries[still] = (mbs_entry){.term = moving, .exponent = terms->one};
  return mbs_simple_product(terms, entries, still + 1);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* Returns the table's derivative of a call of `parts` with these slopes. */
static mbs_simple *by_table(mbs_simples *terms, const mbs_call *call, mbs_simple *const *parts,
                            mbs_simple *const *slopes) {
  char message[512];
  const mbs_formula *formula = mbs_formula_read(terms->arena, call->derivative, message);
  if (formula == NULL) terms->trouble = "out of memory";
  const mbs_simple_letters letters = {parts, slopes, NULL};
  return formula != NULL ? mbs_simple_from(terms, formula, &letters) : terms->zero;
}

/* Returns the derivative of the expression of a function of the document, with the arguments in place of its names. */
static mbs_simple *written_out(mbs_simples *terms, const mbs_call *call, mbs_simple *const *parts) {
  char message[512];
  const mbs_simple_letters letters = {parts, NULL, call->function};
  const mbs_formula *formula = mbs_formula_read_named(terms->arena, call->function->text, call->functions, message);
  if (formula == NULL) terms->trouble = "the expression of a function is wrong";
  if (terms->nesting == MBS_FORMULA_DEPTH) terms->trouble = "functions are nested too deeply";
  if (terms->trouble != NULL) return terms->zero;
  terms->nesting++;
  mbs_simple *slope = mbs_simple_slope(terms, mbs_simple_from(terms, formula, &letters));
  terms->nesting--;
  return slope;
}

/* Returns the sum of the partial derivatives of a table times those of its arguments. */
static mbs_simple *table_slope(mbs_simples *terms, const mbs_call *call, mbs_simple *const *parts,
                               mbs_simple *const *slopes) {
  mbs_simple *sum = terms->zero;
  for (int k = 0; k < call->most && terms->trouble == NULL; k++) {
    if (slopes[k] == terms->zero) continue;
    const mbs_call *rate = mbs_table_rate(terms->arena, call, k);
    if (rate == NULL) terms->trouble = "out of memory";
    if (rate == NULL) return terms->zero;
    mbs_simple *term = mbs_simple_times(terms, mbs_simple_call(terms, rate, parts, call->most), slopes[k]);
    sum = plus(terms, sum, mbs_ratio_whole(1), term);
  }
  return sum;
}

/* Returns the derivative of a call; min and max of three and more are those of the first ones, and the last. */
static mbs_simple *call_slope(mbs_simples *terms, const mbs_simple *term) {
  assert(term->count <= MBS_ARGUMENTS_MAX);
  mbs_simple *parts[MBS_ARGUMENTS_MAX], *slopes[MBS_ARGUMENTS_MAX];
  bool moves = false;
  for (int i = 0; i < term->count; i++) {
    parts[i] = term->entries[i].term;
    slopes[i] = mbs_simple_slope(terms, parts[i]);
    moves = moves || slopes[i] != terms->zero;
  }
  if (!moves || terms->trouble != NULL) return terms->zero;
  if (term->call->function != NULL)
    return term->call->function->text != NULL ? written_out(terms, term->call, parts)
                                              : table_slope(terms, term->call, parts, slopes);
  if (term->call->most == MBS_ARGUMENTS_MAX && term->count > 2) {
    mbs_simple *first = mbs_simple_call(terms, term->call, parts, term->count - 1);
    mbs_simple *const pair[] = {first, parts[term->count - 1]};
    mbs_simple *const pair_slopes[] = {mbs_simple_slope(terms, first), slopes[term->count - 1]};
    return by_table(terms, term->call, pair, pair_slopes);
  }
  return by_table(terms, term->call, parts, slopes);
}

static mbs_simple *name_slope(mbs_simples *terms, const mbs_simple *term) {
  assert(term->name != NULL);
  const char *rate = terms->rate(terms->context, term->name);
  if (rate == NULL) return terms->zero;
  char message[512];
  const mbs_formula *formula = mbs_formula_read(terms->arena, rate, message);
  if (formula == NULL)
    terms->trouble = strstr(message, "out of memory") ? "out of memory" : "the rate of a name is not an expression";
  return formula != NULL ? mbs_simple_from(terms, formula, NULL) : terms->zero;
}

mbs_simple *mbs_simple_slope(mbs_simples *terms, mbs_simple *term) {
  if (terms->trouble != NULL) return terms->zero;
  if (term->slope == NULL) {
    mbs_simple *slope = terms->zero; /* derivative of a number, a comparison, !, && and || */
    if (term->kind == MBS_SIMPLE_NAME) slope = name_slope(terms, term);
    if (term->kind == MBS_SIMPLE_SUM) slope = sum_slope(terms, term);
    if (term->kind == MBS_SIMPLE_PRODUCT) slope = product_slope(terms, term);
    if (term->kind == MBS_SIMPLE_CALL) slope = call_slope(terms, term);
    term->slope = slope;
  }
  return term->slope;
}
