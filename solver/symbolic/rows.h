/* rows.h - constraint rows in symbols: one block of the model's rows over the columns of a tree. */
#ifndef MBS_SYMBOLIC_ROWS_H
#define MBS_SYMBOLIC_ROWS_H

#include "symbolic/motion_terms.h"

/* A row of blocks of C, with its right-hand sides. Expressions marked `closed` are valid only if the constraint is
 * satisfied: columns that move both points cancel there. */
typedef struct mbs_symbolic_row {
  const mbs_term **blocks; /* [columns] */
  bool *closed;            /* [columns] */
  const mbs_term *rhsV, *rhsA;
  bool rhsA_closed;
  bool in_numbers; /* a row without symbolic blocks: gamma contains all of it */
} mbs_symbolic_row;

/* Returns true if rhsV of a row may differ from 0: rows of drivers, expressions that depend on time, and those of
 * velocity level, whose terms without velocities it contains. */
bool mbs_symbolic_row_has_rate(const mbs_model *model, const mbs_block *block);

/* Derives a row. Returns false if memory runs out. */
bool mbs_symbolic_row_of(mbs_symbols *symbols, const mbs_block *block, mbs_symbolic_row *out);

#endif
