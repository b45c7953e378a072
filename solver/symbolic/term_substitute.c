/* term_substitute.c - see term_substitute.h. */
#include "symbolic/term_substitute.h"

#include <assert.h>
#include <string.h>

typedef struct editing {
  mbs_algebra *algebra;
  mbs_term_substitution *editor;
  void *context;
  size_t number; /* number of the next part */
} editing;

static const mbs_term *edit(editing *e, const mbs_term *x);

/* Rebuilds a term from its remaining parts. Returns NULL if nothing remains; only products and sums may lose parts. */
static const mbs_term *rebuilt(const editing *e, const mbs_term *x, const mbs_term *const *parts, size_t count) {
  bool many = x->kind == MBS_TERM_PRODUCT || x->kind == MBS_TERM_SUM;
  if (count == x->count) return mbs_term_of(e->algebra, x->kind, parts, count);
  if (!many || count == 0) return NULL;
  return count == 1 ? parts[0] : mbs_term_of(e->algebra, x->kind, parts, count);
}

static const mbs_term *edit_parts(editing *e, const mbs_term *x) {
  const mbs_term **parts = mbs_arena_alloc(e->algebra->arena, x->count, sizeof(mbs_term *));
  size_t count = 0;
  bool changed = false;
  if (!parts) return x;
  for (size_t k = 0; k < x->count; k++) {
    const mbs_term *part = edit(e, x->parts[k]);
    changed = changed || part != x->parts[k];
    if (part) parts[count++] = part;
    assert(count <= x->count);
  }
  if (!changed) return x;
  const mbs_term *out = rebuilt(e, x, parts, count);
  return out && x->negative ? mbs_term_negative(e->algebra, out) : out;
}

static const mbs_term *edit(editing *e, const mbs_term *x) {
  bool done = false;
  const mbs_term *by = e->editor(e->context, x, e->number++, &done);
  if (done) {
    e->number += mbs_term_part_count(x) - 1;
    return by && x->negative ? mbs_term_negative(e->algebra, by) : by;
  }
  return x->count ? edit_parts(e, x) : x;
}

const mbs_term *mbs_term_substitute(mbs_algebra *algebra, const mbs_term *x, mbs_term_substitution *editor,
                                    void *context) {
  editing e = {.algebra = algebra, .editor = editor, .context = context};
  return edit(&e, x);
}

typedef struct exchange {
  size_t number;
  const mbs_variable *symbol;
  const mbs_term *by;
} exchange;

static const mbs_term *exchange_part(void *context, const mbs_term *part, size_t number, bool *done) {
  const exchange *asked = context;
  (void)part;
  *done = number == asked->number;
  return asked->by;
}

static const mbs_term *exchange_symbol(void *context, const mbs_term *part, size_t number, bool *done) {
  const exchange *asked = context;
  (void)number;
  *done = part->kind == MBS_TERM_SYMBOL && part->symbol == asked->symbol;
  return asked->by;
}

const mbs_term *mbs_term_with_part(mbs_algebra *algebra, const mbs_term *x, size_t number, const mbs_term *by) {
  return mbs_term_substitute(algebra, x, exchange_part, &(exchange){.number = number, .by = by});
}

const mbs_term *mbs_term_with_symbol(mbs_algebra *algebra, const mbs_term *x, const mbs_variable *symbol,
                                     const mbs_term *by) {
  return mbs_term_substitute(algebra, x, exchange_symbol, &(exchange){.symbol = symbol, .by = by});
}

size_t mbs_term_part_count(const mbs_term *x) {
  size_t count = 1;
  for (size_t k = 0; k < x->count; k++) count += mbs_term_part_count(x->parts[k]);
  return count;
}

const mbs_term *mbs_term_part(const mbs_term *x, size_t number, const mbs_term **above) {
  if (number == 0) return x;
  number--;
  for (size_t k = 0; k < x->count; k++) {
    size_t count = mbs_term_part_count(x->parts[k]);
    if (number == 0 && above) *above = x;
    if (number < count) return mbs_term_part(x->parts[k], number, above);
    number -= count;
  }
  return NULL;
}
