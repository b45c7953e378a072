#include "expression/terms.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- terms, made once ------------------------------------------------------------------------------------------ */

static size_t mix(size_t hash, size_t value) { return (hash ^ value) * 0x01000193; }

static size_t hash_of(const mbs_simple *term) {
  size_t hash = mix(0x811C9DC5, (size_t)term->kind);
  for (const char *c = term->name != NULL ? term->name : ""; *c != '\0'; c++) hash = mix(hash, (unsigned char)*c);
  hash = mix(mix(hash, (size_t)term->call >> 3), (size_t)term->infix >> 3);
  hash = mix(mix(hash, (size_t)term->number.over), (size_t)term->number.under);
  for (int i = 0; i < term->count; i++) {
    const mbs_entry *entry = &term->entries[i];
    hash = mix(mix(hash, (size_t)entry->ratio.over), (size_t)entry->term->id);
    hash = mix(hash, entry->exponent != NULL ? (size_t)entry->exponent->id : 0);
  }
  return hash ^ hash >> 15;
}

static bool same_entry(const mbs_entry *a, const mbs_entry *b) {
  return a->term == b->term && a->exponent == b->exponent && mbs_ratio_equal(a->ratio, b->ratio);
}

static bool same(const mbs_simple *a, const mbs_simple *b) {
  bool equal = a->kind == b->kind && a->call == b->call && a->infix == b->infix && a->count == b->count &&
               mbs_ratio_equal(a->number, b->number) && (a->name == NULL || strcmp(a->name, b->name) == 0);
  for (int i = 0; equal && i < a->count; i++) equal = same_entry(&a->entries[i], &b->entries[i]);
  return equal;
}

/* Returns the term like `wanted`, and creates it if there is none. */
static mbs_simple *intern(mbs_simples *terms, mbs_simple wanted) {
  if (terms->trouble != NULL) return terms->zero;
  wanted.hash = hash_of(&wanted);
  mbs_simple **bucket = &terms->buckets[wanted.hash % MBS_SIMPLE_BUCKETS];
  for (mbs_simple *each = *bucket; each != NULL; each = each->next)
    if (each->hash == wanted.hash && same(each, &wanted)) return each;
  mbs_simple *made = mbs_arena_alloc(terms->arena, 1, sizeof *made);
  if (made == NULL) {
    terms->trouble = "out of memory";
    return terms->zero;
  }
  *made = wanted;
  made->id = terms->count++;
  made->next = *bucket;
  return *bucket = made;
}

mbs_entry *mbs_simple_entries(mbs_simples *terms, int count) {
  assert(count >= 0);
  if (terms->trouble == NULL && (size_t)count > terms->room) terms->trouble = "too long";
  if (terms->trouble != NULL) return NULL;
  terms->room -= (size_t)count;
  mbs_entry *entries = mbs_arena_alloc(terms->arena, (size_t)count + 1, sizeof *entries);
  if (entries == NULL) terms->trouble = "out of memory";
  return entries;
}

mbs_simple *mbs_simple_number(mbs_simples *terms, mbs_ratio number) {
  return intern(terms, (mbs_simple){.kind = MBS_SIMPLE_NUMBER, .number = number});
}

enum { RANK_PI, RANK_CONSTANT, RANK_MOVING, RANK_SUM, RANK_FUNCTION, RANK_TRUTH, RANK_CASES };

mbs_simple *mbs_simple_name(mbs_simples *terms, const char *name) {
  assert(name != NULL && terms->rate != NULL);
  const bool moves = terms->rate(terms->context, name) != NULL;
  const int rank = strcmp(name, "pi") == 0 ? RANK_PI : moves ? RANK_MOVING : RANK_CONSTANT;
  return intern(terms, (mbs_simple){.kind = MBS_SIMPLE_NAME, .name = name, .rank = rank});
}

bool mbs_simples_begin(mbs_simples *terms, mbs_arena *arena) {
  terms->arena = arena;
  terms->zero = mbs_simple_number(terms, mbs_ratio_whole(0));
  terms->one = mbs_simple_number(terms, mbs_ratio_whole(1));
  terms->minus_one = mbs_simple_number(terms, mbs_ratio_whole(-1));
  return terms->trouble == NULL;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

typedef struct list {
  mbs_entry *entries;
  int count, number;
} entry_list;

/* Returns the number of entries that a term adds to a sum. */
static int width(const mbs_entry *entry) { return entry->term->kind == MBS_SIMPLE_SUM ? entry->term->count : 1; }

static void add(mbs_simples *terms, entry_list *sum, mbs_ratio ratio, mbs_simple *term) {
  if (term->kind == MBS_SIMPLE_NUMBER) {
    ratio = mbs_ratio_product(ratio, term->number);
    term = terms->one;
  }
  if (term->kind == MBS_SIMPLE_SUM && (term->count == 1 || mbs_ratio_is(ratio, 1) || mbs_ratio_is(ratio, -1))) {
    for (int i = 0; i < term->count; i++)
      add(terms, sum, mbs_ratio_product(ratio, term->entries[i].ratio), term->entries[i].term);
    return;
  }
  if (term->in_sum == sum->number) {
    mbs_entry *entry = &sum->entries[term->at];
    entry->ratio = mbs_ratio_sum(entry->ratio, ratio);
    return;
  }
  term->in_sum = sum->number;
  term->at = sum->count;
  sum->entries[sum->count++] = (mbs_entry){.ratio = ratio, .term = term};
}

mbs_simple *mbs_simple_sum(mbs_simples *terms, const mbs_entry *entries, int count) {
  int most = 0;
  for (int i = 0; i < count; i++) most += width(&entries[i]);
  entry_list sum = {.entries = mbs_simple_entries(terms, most), .number = ++terms->lists};
  if (sum.entries == NULL) return terms->zero;
  for (int i = 0; i < count; i++) add(terms, &sum, entries[i].ratio, entries[i].term);
  assert(sum.count <= most);
  int kept = 0;
  for (int i = 0; i < sum.count; i++)
    if (sum.entries[i].ratio.value != 0) sum.entries[kept++] = sum.entries[i];
  if (kept == 0) return terms->zero;
  const mbs_entry *first = &sum.entries[0];
  if (kept == 1 && first->term == terms->one) return mbs_simple_number(terms, first->ratio);
  if (kept == 1 && mbs_ratio_is(first->ratio, 1)) return first->term;
  return intern(terms, (mbs_simple){.kind = MBS_SIMPLE_SUM, .entries = sum.entries, .count = kept, .rank = RANK_SUM});
}

mbs_simple *mbs_simple_scaled(mbs_simples *terms, mbs_ratio ratio, mbs_simple *term) {
  return mbs_simple_sum(terms, &(mbs_entry){.ratio = ratio, .term = term}, 1);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

typedef struct factors {
  entry_list list;
  mbs_ratio ratio;
} factors;

static bool is_whole(const mbs_simple *term) {
  return term->kind == MBS_SIMPLE_NUMBER && mbs_ratio_is_small(term->number);
}

static bool calls(const mbs_simple *term, const char *function) {
  return term->kind == MBS_SIMPLE_CALL && strcmp(term->call->name, function) == 0;
}

static void multiply_number(mbs_simples *terms, factors *product, mbs_ratio ratio, int64_t exponent) {
  if (ratio.value == 0 && exponent < 0)
    terms->trouble = "a division by zero";
  else
    product->ratio = mbs_ratio_product(product->ratio, mbs_ratio_power(ratio, exponent));
}

static void put_factor(mbs_simples *terms, factors *product, mbs_simple *term, mbs_simple *exponent) {
  entry_list *list = &product->list;
  if (term->in_product == list->number) {
    mbs_entry *entry = &list->entries[term->spot];
    const mbs_entry both[] = {{mbs_ratio_whole(1), entry->exponent, NULL}, {mbs_ratio_whole(1), exponent, NULL}};
    entry->exponent = mbs_simple_sum(terms, both, 2);
    return;
  }
  term->in_product = list->number;
  term->spot = list->count;
  list->entries[list->count++] = (mbs_entry){.term = term, .exponent = exponent};
}

/* Multiplies by term ^ exponent: the factors of a product separately, if it is not raised or each power can be; a root
 * as a power of one half. */
static void multiply(mbs_simples *terms, factors *product, mbs_simple *term, mbs_simple *exponent) {
  if (term == terms->one || exponent == terms->zero) return;
  if (!is_whole(exponent)) {
    put_factor(terms, product, term, exponent);
    return;
  }
  const int64_t n = exponent->number.over;
  if (term->kind == MBS_SIMPLE_NUMBER) {
    multiply_number(terms, product, term->number, n);
  } else if (term->kind == MBS_SIMPLE_SUM && term->count == 1) {
    multiply_number(terms, product, term->entries[0].ratio, n);
    multiply(terms, product, term->entries[0].term, exponent);
  } else if (term->kind == MBS_SIMPLE_PRODUCT && (n == 1 || n == -1 || term->count == 1)) {
    for (int i = 0; i < term->count; i++) {
      const mbs_entry *each = &term->entries[i];
      put_factor(terms, product, each->term, mbs_simple_scaled(terms, exponent->number, each->exponent));
    }
  } else if (calls(term, "sqrt") && n % 2 == 0) {
    multiply(terms, product, term->entries[0].term, mbs_simple_number(terms, mbs_ratio_whole(n / 2)));
  } else {
    put_factor(terms, product, term, exponent);
  }
}

/* Replaces even powers of equal roots. */
static void take_roots(mbs_simples *terms, entry_list *list) {
  for (int i = 0; i < list->count; i++) {
    mbs_entry *entry = &list->entries[i];
    if (!calls(entry->term, "sqrt") || !is_whole(entry->exponent) || entry->exponent->number.over % 2 != 0) continue;
    entry->term = entry->term->entries[0].term;
    entry->exponent = mbs_simple_number(terms, mbs_ratio_whole(entry->exponent->number.over / 2));
  }
}

/* Replaces sign(u) u^n by abs(u) u^(n - 1), and sign(u) abs(u) by u. */
static void take_signs(mbs_simples *terms, entry_list *list) {
  for (int i = 0; i < list->count; i++) {
    mbs_entry *sign = &list->entries[i];
    if (!calls(sign->term, "sign") || sign->exponent != terms->one) continue;
    mbs_simple *inside = sign->term->entries[0].term;
    for (int k = 0; k < list->count; k++) {
      mbs_entry *other = &list->entries[k];
      if (calls(other->term, "abs") && other->term->entries[0].term == inside && other->exponent == terms->one) {
        sign->exponent = terms->zero;
        other->term = inside;
        break;
      }
      if (other->term == inside && is_whole(other->exponent) && other->exponent->number.over > 0) {
        sign->term = mbs_simple_call(terms, mbs_call_find("abs"), &inside, 1);
        other->exponent = mbs_simple_number(terms, mbs_ratio_whole(other->exponent->number.over - 1));
        break;
      }
    }
  }
}

static int by_rank(const void *a, const void *b) {
  const mbs_simple *x = ((const mbs_entry *)a)->term, *y = ((const mbs_entry *)b)->term;
  return x->rank != y->rank ? x->rank - y->rank : x->id - y->id;
}

/* Returns the largest number of factors of a term. */
static int factor_width(const mbs_simple *term) {
  while ((term->kind == MBS_SIMPLE_SUM && term->count == 1) || calls(term, "sqrt")) term = term->entries[0].term;
  return term->kind == MBS_SIMPLE_PRODUCT ? term->count : 1;
}

mbs_simple *mbs_simple_product(mbs_simples *terms, const mbs_entry *entries, int count) {
  int most = 0, kept = 0;
  for (int i = 0; i < count; i++) {
    if (entries[i].term == terms->zero && entries[i].exponent == terms->one) return terms->zero;
    most += factor_width(entries[i].term);
  }
  factors product = {.list = {.entries = mbs_simple_entries(terms, most), .number = ++terms->lists},
                     .ratio = mbs_ratio_whole(1)};
  entry_list *list = &product.list;
  if (list->entries == NULL) return terms->zero;
  for (int i = 0; i < count; i++) multiply(terms, &product, entries[i].term, entries[i].exponent);
  assert(list->count <= most);
  take_roots(terms, list);
  take_signs(terms, list);
  if (terms->trouble != NULL || product.ratio.value == 0) return terms->zero;
  for (int i = 0; i < list->count; i++) {
    const mbs_entry entry = list->entries[i];
    if (entry.term->kind == MBS_SIMPLE_NUMBER && is_whole(entry.exponent))
      multiply_number(terms, &product, entry.term->number, entry.exponent->number.over);
    else if (entry.exponent != terms->zero)
      list->entries[kept++] = entry;
  }
  qsort(list->entries, (size_t)kept, sizeof *list->entries, by_rank);
  if (kept == 0) return mbs_simple_number(terms, product.ratio);
  mbs_simple *made = list->entries[0].term;
  if (kept > 1 || list->entries[0].exponent != terms->one) {
    made = intern(terms, (mbs_simple){.kind = MBS_SIMPLE_PRODUCT,
                                      .entries = list->entries,
                                      .count = kept,
                                      .rank = kept == 1 ? made->rank : RANK_SUM});
  }
  return mbs_simple_scaled(terms, product.ratio, made);
}

mbs_simple *mbs_simple_times(mbs_simples *terms, mbs_simple *a, mbs_simple *b) {
  const mbs_entry entries[] = {{.term = a, .exponent = terms->one}, {.term = b, .exponent = terms->one}};
  return mbs_simple_product(terms, entries, 2);
}

mbs_simple *mbs_simple_power(mbs_simples *terms, mbs_simple *base, mbs_simple *exponent) {
  return mbs_simple_product(terms, &(mbs_entry){.term = base, .exponent = exponent}, 1);
}

/* ---- the others ------------------------------------------------------------------------------------------------ */

static mbs_simple *of_parts(mbs_simples *terms, mbs_simple wanted, mbs_simple *const *parts, int count) {
  wanted.entries = mbs_simple_entries(terms, count);
  wanted.count = count;
  if (wanted.entries == NULL) return terms->zero;
  for (int i = 0; i < count; i++) wanted.entries[i] = (mbs_entry){.term = parts[i]};
  return intern(terms, wanted);
}

/* Returns the value of a function at a number if it is simple; otherwise NULL. */
static mbs_simple *value_of(mbs_simples *terms, const mbs_call *call, mbs_simple *const *parts) {
  static const char *const zeros[] = {"sin", "tan", "asin", "atan", "sinh", "tanh", "sqrt", "abs", "sign", "floor"};
  if (parts[0]->kind != MBS_SIMPLE_NUMBER) return NULL;
  const mbs_ratio number = parts[0]->number;
  const char *name = call->name;
  for (size_t i = 0; i < sizeof zeros / sizeof *zeros && number.value == 0; i++)
    if (strcmp(zeros[i], name) == 0) return terms->zero;
  if (number.value == 0 && (strcmp(name, "cos") == 0 || strcmp(name, "cosh") == 0 || strcmp(name, "exp") == 0))
    return terms->one;
  if (strcmp(name, "sign") == 0) return number.value > 0 ? terms->one : terms->minus_one;
  if (strcmp(name, "abs") == 0)
    return number.value > 0 ? parts[0] : mbs_simple_number(terms, mbs_ratio_negative(number));
  if (strcmp(name, "if") == 0) return number.value != 0 ? parts[1] : parts[2];
  if (strcmp(name, "log") == 0 && number.value <= 0) terms->trouble = "a logarithm of a number that is not positive";
  return strcmp(name, "log") == 0 && mbs_ratio_is(number, 1) ? terms->zero : NULL;
}

mbs_simple *mbs_simple_call(mbs_simples *terms, const mbs_call *call, mbs_simple *const *parts, int count) {
  assert(count > 0 && count <= MBS_ARGUMENTS_MAX);
  const bool chooses = strcmp(call->name, "if") == 0;
  if (chooses && parts[1] == parts[2]) return parts[1];
  mbs_simple *value = value_of(terms, call, parts);
  if (value != NULL) return value;
  const int rank = chooses ? RANK_CASES : RANK_FUNCTION;
  return of_parts(terms, (mbs_simple){.kind = MBS_SIMPLE_CALL, .call = call, .rank = rank}, parts, count);
}

mbs_simple *mbs_simple_infix(mbs_simples *terms, const mbs_infix *infix, mbs_simple *const *parts, int count) {
  return of_parts(terms, (mbs_simple){.kind = MBS_SIMPLE_INFIX, .infix = infix, .rank = RANK_TRUTH}, parts, count);
}

mbs_simple *mbs_simple_not(mbs_simples *terms, mbs_simple *part) {
  return of_parts(terms, (mbs_simple){.kind = MBS_SIMPLE_NOT, .rank = RANK_TRUTH}, &part, 1);
}
