/* elimination.c - an order of the blocks of S in which its factors have little fill, for many blocks whose skyline
 * would be wide, as for a net: least degree, with a quotient graph. Sources: George, Liu, Computer Solution of Large
 * Sparse Positive Definite Systems, 1981, ch. 5; row patterns of the factors with elimination trees: Davis, Direct
 * Methods for Sparse Linear Systems, 2006, 4.1. */
#include "builder/builder.h"

#include <assert.h>
#include <string.h>

/* ---- least degree -------------------------------------------------------------------------------------------- */

/* The quotient graph. An eliminated block becomes an element: a clique of the blocks that were coupled with it. */
typedef struct graph {
  const mbs_model *model;
  size_t count;
  int *first, *length, *items; /* items[first ..] of each block: blocks and elements coupled with it */
  int **clique;                /* [count] blocks of each element */
  int *clique_size;            /* number of these blocks; -1: the element is part of a later one */
  bool *eliminated;
  int *degree;               /* number of rows coupled with a block */
  int *seen, stamp;          /* [count] */
  int *head, *next, *before; /* lists of the blocks of each degree; [rows + 1], [count], [count] */
  int least;
} graph;

static void open_lists(mbs_builder *builder, graph *g) {
  const mbs_model *model = g->model;
  g->first = mbs_builder_alloc(builder, g->count + 2, sizeof *g->first);
  g->length = mbs_builder_alloc(builder, g->count, sizeof *g->length);
  g->items = mbs_builder_alloc(builder, 2 * model->pair_count, sizeof *g->items);
  if (builder->failed) return;
  for (size_t p = 0; p < model->pair_count; p++) {
    if (model->pairs[p].block1 == model->pairs[p].block2) continue;
    g->first[model->pairs[p].block1 + 1]++;
    g->first[model->pairs[p].block2 + 1]++;
  }
  for (size_t b = 0; b < g->count; b++) g->first[b + 1] += g->first[b];
  for (size_t p = 0; p < model->pair_count; p++) {
    const int one = model->pairs[p].block1, two = model->pairs[p].block2;
    if (one == two) continue;
    g->items[g->first[one] + g->length[one]++] = two;
    g->items[g->first[two] + g->length[two]++] = one;
  }
}

static void take_out(graph *g, int block) {
  assert(block >= 0 && (size_t)block < g->count);
  const int before = g->before[block], next = g->next[block];
  *(before >= 0 ? &g->next[before] : &g->head[g->degree[block]]) = next;
  if (next >= 0) g->before[next] = before;
}

static void put_in(graph *g, int block, int degree) {
  assert(degree >= 0 && (size_t)degree <= g->model->bilateral_rows);
  g->degree[block] = degree;
  g->before[block] = -1;
  g->next[block] = g->head[degree];
  if (g->head[degree] >= 0) g->before[g->head[degree]] = block;
  g->head[degree] = block;
  if (degree < g->least) g->least = degree;
}

/* Finds the blocks coupled with a block, directly or through elements, into `out` if it is not NULL. Returns the number
 * of their rows. */
static int neighbours(graph *g, int block, int *out, int *count) {
  int rows = 0, found = 0;
  g->seen[block] = ++g->stamp;
  for (int k = g->first[block]; k < g->first[block] + g->length[block]; k++) {
    const int item = g->items[k];
    const int *members = g->eliminated[item] ? g->clique[item] : &g->items[k];
    const int size = g->eliminated[item] ? g->clique_size[item] : 1;
    for (int i = 0; i < size; i++) {
      if (g->seen[members[i]] == g->stamp) continue;
      g->seen[members[i]] = g->stamp;
      rows += g->model->blocks[members[i]].rows;
      if (out) out[found] = members[i];
      found++;
    }
  }
  if (count) *count = found;
  return rows;
}

static bool eliminate(mbs_builder *builder, graph *g, int block) {
  int size, *clique;
  neighbours(g, block, NULL, &size);
  clique = mbs_builder_alloc(builder, (size_t)size, sizeof *clique);
  if (builder->failed) return false;
  neighbours(g, block, clique, &size);
  const int within = g->stamp; /* marks the clique */
  for (int k = g->first[block]; k < g->first[block] + g->length[block]; k++)
    if (g->eliminated[g->items[k]]) g->clique_size[g->items[k]] = -1;
  g->eliminated[block] = true;
  g->clique[block] = clique;
  g->clique_size[block] = size;
  /* each block of the clique: the element replaces the items that it absorbs */
  for (int i = 0; i < size; i++) {
    const int at = clique[i], from = g->first[at];
    int kept = 0;
    for (int k = from; k < from + g->length[at]; k++) {
      const int item = g->items[k];
      if (g->eliminated[item] ? item != block && g->clique_size[item] >= 0 : g->seen[item] != within)
        g->items[from + kept++] = item;
    }
    g->items[from + kept++] = block;
    g->length[at] = kept;
  }
  for (int i = 0; i < size; i++) {
    take_out(g, clique[i]);
    put_in(g, clique[i], neighbours(g, clique[i], NULL, NULL));
  }
  return true;
}

void mbs_least_degree_order(mbs_builder *builder, int *order) {
  const mbs_model *model = builder->model;
  graph g = {.model = model, .count = model->bilateral_blocks, .least = (int)model->bilateral_rows};
  open_lists(builder, &g);
  g.clique = mbs_builder_alloc(builder, g.count, sizeof *g.clique);
  g.clique_size = mbs_builder_alloc(builder, g.count, sizeof *g.clique_size);
  g.eliminated = mbs_builder_alloc(builder, g.count, sizeof *g.eliminated);
  g.degree = mbs_builder_alloc(builder, g.count, sizeof *g.degree);
  g.seen = mbs_builder_alloc(builder, g.count, sizeof *g.seen);
  g.head = mbs_builder_alloc(builder, model->bilateral_rows + 1, sizeof *g.head);
  g.next = mbs_builder_alloc(builder, g.count, sizeof *g.next);
  g.before = mbs_builder_alloc(builder, g.count, sizeof *g.before);
  if (builder->failed) return;
  for (size_t d = 0; d <= model->bilateral_rows; d++) g.head[d] = -1;
  for (int b = (int)g.count - 1; b >= 0; b--) put_in(&g, b, neighbours(&g, b, NULL, NULL));
  for (size_t k = 0; k < g.count; k++) {
    while (g.head[g.least] < 0) g.least++;
    order[k] = g.head[g.least];
    assert(order[k] >= 0 && !g.eliminated[order[k]]);
    take_out(&g, order[k]);
    if (!eliminate(builder, &g, order[k])) return;
  }
}

/* ---- the pattern of the factors ------------------------------------------------------------------------------ */

/* Lists the rows of S in the order of elimination: for each pair of blocks all columns, in the order of the pairs. */
static void list_entries(mbs_builder *builder, mbs_fill *fill, const int *position) {
  mbs_model *model = builder->model;
  fill->start0 = mbs_builder_alloc(builder, model->bilateral_rows + 1, sizeof *fill->start0);
  if (builder->failed) return;
  for (size_t p = 0; p < model->pair_count; p++) {
    mbs_block_pair *pair = &model->pairs[p];
    const mbs_block *one = &model->blocks[pair->block1];
    pair->offset = fill->start0[position[one->first_row] + 1];
    for (int r = 0; r < one->rows; r++)
      fill->start0[position[one->first_row] + r + 1] += model->blocks[pair->block2].rows;
  }
  for (size_t i = 0; i < model->bilateral_rows; i++) fill->start0[i + 1] += fill->start0[i];
  fill->entries = (size_t)fill->start0[model->bilateral_rows];
  fill->starts = mbs_builder_alloc(builder, fill->entries, sizeof *fill->starts);
  for (size_t p = 0; p < model->pair_count && !builder->failed; p++) {
    const mbs_block_pair *pair = &model->pairs[p];
    const mbs_block *one = &model->blocks[pair->block1], *two = &model->blocks[pair->block2];
    for (int r = 0; r < one->rows; r++)
      for (int s = 0; s < two->rows; s++)
        fill->starts[fill->start0[position[one->first_row] + r] + pair->offset + s] = position[two->first_row] + s;
  }
}

/* Visits row i of L: from each entry of S up the elimination tree. Counts in column0[k + 1], or if `below` exists fills
 * it, from `filled` on. */
static void walk_row(const mbs_fill *fill, int i, int *parent, int *flag, int *filled) {
  flag[i] = i;
  for (int e = fill->start0[i]; e < fill->start0[i + 1]; e++)
    for (int k = fill->starts[e]; k < i && flag[k] != i; k = parent[k]) {
      if (parent[k] < 0) parent[k] = i;
      flag[k] = i;
      if (fill->below)
        fill->below[filled[k]++] = i;
      else
        fill->column0[k + 1]++;
    }
}

mbs_fill *mbs_find_fill(mbs_builder *builder, const int *position, double *cost) {
  const size_t n = builder->model->bilateral_rows;
  mbs_fill *fill = mbs_builder_alloc(builder, 1, sizeof *fill);
  int *parent = mbs_builder_alloc(builder, n, sizeof *parent), *flag = mbs_builder_alloc(builder, n, sizeof *flag),
      *filled = mbs_builder_alloc(builder, n + 1, sizeof *filled);
  if (builder->failed) return NULL;
  list_entries(builder, fill, position);
  fill->column0 = mbs_builder_alloc(builder, n + 1, sizeof *fill->column0);
  fill->row0 = mbs_builder_alloc(builder, n + 1, sizeof *fill->row0);
  if (builder->failed) return NULL;
  for (size_t i = 0; i < n; i++) parent[i] = flag[i] = -1;
  for (size_t i = 0; i < n; i++) walk_row(fill, (int)i, parent, flag, filled);
  *cost = 0;
  for (size_t k = 0; k < n; k++) {
    *cost += (double)fill->column0[k + 1] * fill->column0[k + 1] / 2;
    fill->column0[k + 1] += fill->column0[k];
    filled[k] = fill->column0[k];
    flag[k] = -1;
  }
  fill->size = (size_t)fill->column0[n];
  fill->below = mbs_builder_alloc(builder, fill->size, sizeof *fill->below);
  fill->left = mbs_builder_alloc(builder, fill->size, sizeof *fill->left);
  if (builder->failed) return NULL;
  for (size_t i = 0; i < n; i++) walk_row(fill, (int)i, parent, flag, filled);
  /* the pattern by rows */
  for (size_t e = 0; e < fill->size; e++) fill->row0[fill->below[e] + 1]++;
  for (size_t i = 0; i < n; i++) filled[i] = fill->row0[i + 1] += fill->row0[i];
  for (size_t i = n; i-- > 0;) filled[i] = fill->row0[i];
  for (size_t k = 0; k < n; k++)
    for (int e = fill->column0[k]; e < fill->column0[k + 1]; e++) fill->left[filled[fill->below[e]]++] = (int)k;
  return fill;
}
