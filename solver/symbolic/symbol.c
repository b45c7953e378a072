/* symbol.c - the table of symbols; each name has one symbol. */
#include "symbolic/symbol_words.h"

#include <assert.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the table ----------------------------------------------------------------------------------------------- */

/* Sorts the points by body, those of a body in the document's order. */
static bool list_points(mbs_symbols *symbols) {
  const mbs_model *model = symbols->model;
  symbols->points = mbs_arena_alloc(symbols->algebra->arena, model->nP + 1, sizeof *symbols->points);
  symbols->first_point = mbs_arena_alloc(symbols->algebra->arena, model->nB + 3, sizeof *symbols->first_point);
  if (!symbols->points || !symbols->first_point) return false;
  for (size_t p = 0; p < model->nP; p++) symbols->first_point[model->points[p].body + 2]++;
  for (size_t b = 0; b <= model->nB; b++) symbols->first_point[b + 2] += symbols->first_point[b + 1];
  for (size_t p = 0; p < model->nP; p++) symbols->points[symbols->first_point[model->points[p].body + 1]++] = (int)p;
  return true;
}

bool mbs_symbols_open(mbs_symbols *symbols, mbs_algebra *algebra, const mbs_tree_columns *chain) {
  const mbs_model *model = chain->model;
  *symbols = (mbs_symbols){.algebra = algebra, .model = model, .constants = chain->constants, .chain = chain};
  size_t most = 512 + 32 * (model->nB + model->joint_count) + 8 * model->nP + 32 * model->bilateral_blocks;
  symbols->room = most;
  symbols->items = mbs_arena_alloc(algebra->arena, most, sizeof(mbs_variable *));
  symbols->often_room = (model->nB > chain->column_count ? model->nB : chain->column_count) + 1;
  symbols->often = mbs_arena_alloc(algebra->arena, MBS_OFTEN_COUNT * symbols->often_room, sizeof(mbs_term *));
  return symbols->items && symbols->often && list_points(symbols);
}

static void keep_item(void *item) { (void)item; /* owned by the arena */ }

void mbs_symbols_close(mbs_symbols *symbols) {
  if (symbols->index) tdestroy(symbols->index, keep_item);
  symbols->index = NULL;
}

static int by_name(const void *one, const void *other) {
  return strcmp(((const mbs_variable *)one)->name, ((const mbs_variable *)other)->name);
}

mbs_variable *mbs_symbol_known(const mbs_symbols *symbols, const char *name) {
  mbs_variable asked;
  asked.name = name;
  mbs_variable *const *found = tfind(&asked, &symbols->index, by_name);
  return found ? *found : NULL;
}

/* Returns true if the index needs no braces: one character or a number. */
static bool is_bare(const char *index) {
  return strspn(index, "0123456789") == strlen(index) || (index[0] && !index[1]);
}

const char *mbs_symbol_spelled(mbs_symbols *symbols, const mbs_symbol_name *name) {
  assert(name->rate >= 0 && name->rate <= 2);
  static const char *const rates[] = {"", "dot(", "ddot("};
  bool bare = is_bare(name->index);
  const char *text = mbs_arena_format(
      symbols->algebra->arena, "%s%s%s%s%s%s%s%s%s%s%s%s", rates[name->rate], name->local ? "loc(" : "", name->letter,
      *name->index ? "_" : "", *name->index && !bare ? "{" : "", name->index, *name->index && !bare ? "}" : "",
      *name->over ? "^{" : "", name->over, *name->over ? "}" : "", name->local ? ")" : "", name->rate > 0 ? ")" : "");
  if (!text) symbols->algebra->failed = true;
  return text ? text : "";
}

/* Doubles the capacity. */
static bool grow(mbs_symbols *symbols) {
  mbs_variable **items = mbs_arena_alloc(symbols->algebra->arena, 2 * symbols->room, sizeof(mbs_variable *));
  if (!items) return false;
  memcpy(items, symbols->items, symbols->count * sizeof(mbs_variable *));
  symbols->items = items;
  symbols->room *= 2;
  return true;
}

mbs_variable *mbs_symbol_make(mbs_symbols *symbols, const mbs_variable *like) {
  assert(like->rows > 0 && like->columns > 0);
  mbs_algebra *algebra = symbols->algebra;
  const char *name =
      mbs_symbol_spelled(symbols, &(mbs_symbol_name){like->letter, like->index, like->over, like->rate, like->local});
  mbs_variable *symbol = mbs_symbol_known(symbols, name);
  if (symbol) return symbol;
  symbol = mbs_arena_alloc(algebra->arena, 1, sizeof *symbol);
  double *value = mbs_arena_alloc(algebra->arena, (size_t)like->rows * (size_t)like->columns, sizeof *value);
  if (!symbol || !value || (symbols->count == symbols->room && !grow(symbols))) {
    algebra->failed = true;
    return NULL;
  }
  *symbol = *like;
  symbol->name = name;
  symbol->value = value;
  if (!tsearch(symbol, &symbols->index, by_name)) {
    algebra->failed = true;
    return NULL;
  }
  symbols->items[symbols->count++] = symbol;
  assert(symbols->count <= symbols->room);
  return symbol;
}

/* ---- words --------------------------------------------------------------------------------------------------- */

const char *mbs_symbol_format(mbs_symbols *symbols, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *kept = mbs_arena_text(symbols->algebra->arena, text);
  if (!kept) symbols->algebra->failed = true;
  return kept ? kept : "";
}

const mbs_term *mbs_symbol_term(mbs_symbols *symbols, const mbs_variable *like) {
  mbs_variable described = *like;
  if (!described.index) described.index = "";
  if (!described.over) described.over = "";
  return mbs_term_symbol(symbols->algebra, mbs_symbol_make(symbols, &described));
}

const mbs_term *mbs_symbol_vector(mbs_symbols *symbols, mbs_variable like) {
  like.rows = symbols->algebra->dim;
  like.columns = 1;
  like.unit = like.rate ? "m/s" : "m";
  if (like.rate) {
    mbs_symbol_name base = {like.letter, like.index, like.over ? like.over : "", 0, false};
    like.meaning = mbs_symbol_format(symbols, "rate of %s", mbs_symbol_spelled(symbols, &base));
    like.equal = NULL;
  }
  return mbs_symbol_term(symbols, &like);
}

int mbs_symbol_point_at(const mbs_symbols *symbols, const mbs_spot *spot) {
  assert(spot->body >= 0 && (size_t)spot->body <= symbols->model->nB);
  for (int k = symbols->first_point[spot->body]; k < symbols->first_point[spot->body + 1]; k++) {
    const mbs_spot known = point_of(symbols, symbols->points[k]);
    if (same_spot(&known, spot)) return symbols->points[k];
  }
  return -1;
}
