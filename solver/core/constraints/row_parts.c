/* row_parts.c - see row_parts.h. */
#include "constraints/row_parts.h"

#include <assert.h>
#include <string.h>

bool mbs_row_parts_open(mbs_row_parts *parts, mbs_arena *arena, size_t rows, size_t columns) {
  parts->items = mbs_arena_alloc(arena, rows + columns + 1, sizeof *parts->items);
  int **arrays[] = {&parts->row_part,      &parts->column_part, &parts->row_within,
                    &parts->column_within, &parts->parent,      &parts->number};
  const size_t sizes[] = {rows, columns, rows, columns, rows + columns, rows + columns};
  bool fine = parts->items != NULL;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    fine = (*arrays[i] = mbs_arena_alloc(arena, sizes[i] + 1, sizeof(int))) != NULL && fine;
  return fine;
}

/* Returns the node that stands for all nodes connected with this one. */
static int root_of(int *parent, int node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

/* Connects a node with the first one, if there is one yet. Returns the node that stands for them. */
static int join(int *parent, int first, int node) {
  node = root_of(parent, node);
  if (first < 0) return node;
  first = root_of(parent, first);
  return parent[node] = first;
}

/* Connects the columns (nodes from 0) and the rows (nodes from `columns`) of each block of C. */
static void join_blocks(mbs_row_parts *parts, const mbs_model *model, const int *row, const int *column,
                        size_t columns) {
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    int first = -1;
    for (int r = 0; r < block->rows; r++)
      if (row[block->first_row + r] >= 0) first = join(parts->parent, first, (int)columns + row[block->first_row + r]);
    for (int c = 0; c < block->columns && first >= 0; c++) {
      const int at = column[model->pattern[block->pattern0 + c]];
      if (at >= 0) first = join(parts->parent, first, at);
    }
  }
}

/* Enters a node into its part, which is new if it is the first node. Returns the part's number. */
static int enter(mbs_row_parts *parts, int node) {
  int *number = &parts->number[root_of(parts->parent, node)];
  if (*number < 0) {
    *number = (int)parts->count++;
    parts->items[*number] = (mbs_row_part){0};
  }
  return *number;
}

void mbs_row_parts_find(mbs_row_parts *parts, const mbs_model *model, const int *row, size_t rows, const int *column,
                        size_t columns, const mbs_parts *tied, bool whole) {
  const int nodes = (int)(rows + columns);
  parts->count = 0;
  for (int i = 0; i < nodes; i++) {
    parts->parent[i] = whole ? 0 : i;
    parts->number[i] = -1;
  }
  if (!whole) join_blocks(parts, model, row, column, columns);
  for (int k = 0; tied && !whole && k < (int)columns; k++)
    join(parts->parent, tied->members[tied->first[tied->of[k]]], k);
  for (size_t k = 0; k < columns; k++) {
    parts->column_part[k] = enter(parts, (int)k);
    parts->column_within[k] = parts->items[parts->column_part[k]].columns++;
  }
  for (size_t r = 0; r < rows; r++) {
    parts->row_part[r] = enter(parts, (int)(columns + r));
    parts->row_within[r] = parts->items[parts->row_part[r]].rows++;
  }
  mbs_row_part next = {0};
  for (size_t p = 0; p < parts->count; p++) {
    mbs_row_part *part = &parts->items[p];
    part->row0 = next.row0;
    part->column0 = next.column0;
    part->value0 = next.value0;
    next.row0 += (size_t)part->rows;
    next.column0 += (size_t)part->columns;
    next.value0 += (size_t)part->rows * (size_t)part->columns;
  }
  parts->entries = next.value0;
}

void mbs_row_parts_gather(const mbs_row_parts *parts, const mbs_system *system, const int *row, const int *column,
                          double *A) {
  const mbs_model *model = system->model;
  memset(A, 0, parts->entries * sizeof *A);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *values = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, values += block->columns) {
      const int at = row[block->first_row + r];
      if (at < 0) continue;
      const mbs_row_part *part = &parts->items[parts->row_part[at]];
      const double unit = system->row_units[block->first_row + r];
      double *into = A + part->value0 + parts->row_within[at];
      for (int c = 0; c < block->columns; c++) {
        const int k = column[pattern[c]];
        if (k < 0) continue;
        assert(parts->column_part[k] == parts->row_part[at]);
        into[(size_t)parts->column_within[k] * (size_t)part->rows] = values[c] * (system->v_units[pattern[c]] / unit);
      }
    }
  }
}
