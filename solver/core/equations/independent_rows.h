/* independent_rows.h - which rows S = C M^-1 C' has: those that are left out as redundant behind the last kept one of their
 * block are not in it. They stay out for a motion, and a joint of a plane mechanism in space has three of five. */
#ifndef MBS_INDEPENDENT_ROWS_H
#define MBS_INDEPENDENT_ROWS_H

#include "model/model.h"

typedef struct mbs_independent_row_set {
  bool *active;          /* [rows] those that the rest is made for */
  int *height;           /* [block_count] rows of a block up to its last kept one: those that S has */
  size_t rows;           /* of S */
  mbs_skyline skyline;   /* of S; position[r] < 0 where S has no row r */
  mbs_block_pair *pairs; /* [pair_count] of blocks that have rows in S */
  size_t pair_count;
  bool gaps; /* there are redundant rows before kept ones of their block: rows of S with a unit diagonal */
  bool all;  /* none is left out */
  int *rank; /* [rows + 1] workspace */
} mbs_independent_row_set;

/* All of them; false: no memory. */
bool mbs_independent_row_set_open(const mbs_model *model, mbs_arena *arena, mbs_independent_row_set *kept);
/* Those that are active [rows], if they are others than before. What a fill orders keeps its rows, and redundant ones
 * are gaps. */
void mbs_find_independent_rows(const mbs_model *model, const bool *active, mbs_independent_row_set *kept);
/* The same; most mechanisms keep them all. */
static inline void mbs_select_independent_rows(const mbs_model *model, const bool *active, bool all_active,
                                               mbs_independent_row_set *kept) {
  if (!all_active || !kept->all) mbs_find_independent_rows(model, active, kept);
}

#endif
