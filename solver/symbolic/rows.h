/* rows.h - the rows of constraints in symbols: one block of the model's rows over the columns of a tree. */
#ifndef MBS_SYMBOLIC_ROWS_H
#define MBS_SYMBOLIC_ROWS_H

#include "symbolic/motion_terms.h"

/* A row of blocks of C, with its right-hand sides. What is `closed` holds on the constraint only: columns that both
 * points have in common cancel there. */
typedef struct mbs_symbolic_row {
  const mbs_term **blocks; /* [columns] */
  bool *closed;            /* [columns] */
  const mbs_term *rhsV, *rhsA;
  bool rhsA_closed;
  bool in_numbers; /* a row without blocks of its own, whose gamma has all */
} mbs_symbolic_row;

/* False: no memory. */
bool mbs_symbolic_row_of(mbs_symbols *symbols, const mbs_block *block, mbs_symbolic_row *out);

#endif
