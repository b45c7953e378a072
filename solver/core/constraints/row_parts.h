/* row_parts.h - parts of C, or of some of its rows and columns, that no entry connects. The loops of a mechanism are
 * often independent of one another; each part then is a small matrix of its own, whose factorization costs its own
 * size cubed. */
#ifndef MBS_ROW_PARTS_H
#define MBS_ROW_PARTS_H

#include "equations/system.h"

typedef struct mbs_row_part {
  int rows, columns;
  size_t row0, column0; /* numbers of rows and columns in the parts before it */
  size_t value0;        /* place of its entries [rows x columns], by column, among those of all parts */
} mbs_row_part;

typedef struct mbs_row_parts {
  size_t count;
  mbs_row_part *items;             /* [count], by their first column; rows without columns come last */
  size_t entries;                  /* number of entries of all parts */
  int *row_part, *column_part;     /* [rows], [columns] part of each */
  int *row_within, *column_within; /* [rows], [columns] number of each within its part, ascending */
  int *parent, *number;            /* workspace */
} mbs_row_parts;

/* Allocates the parts of matrices of at most rows x columns. Returns false if memory runs out. */
bool mbs_row_parts_open(mbs_row_parts *parts, mbs_arena *arena, size_t rows, size_t columns);
/* Finds the parts of the rows r of C with row[r] >= 0 and the columns k with column[k] >= 0, which are the numbers of
 * the rows and columns that remain. Columns of one part of `tied` are in one part, too; with NULL only rows connect
 * columns. With `whole` all are one part. */
void mbs_row_parts_find(mbs_row_parts *parts, const mbs_model *model, const int *row, size_t rows, const int *column,
                        size_t columns, const mbs_parts *tied, bool whole);
/* Writes the entries of the parts in units, C_rk [v_k] / [Phi_r], to A [entries]. The arguments are those with which
 * the parts were found. */
void mbs_row_parts_gather(const mbs_row_parts *parts, const mbs_system *system, const int *row, const int *column,
                          double *A);

#endif
