/* independent_rows.h - rows of S = C M^-1 C'. Redundant rows after the last independent row of their block are omitted
 * from S. Rows stay redundant for a motion: a joint of a plane mechanism in space has three independent rows of
 * five. */
#ifndef MBS_INDEPENDENT_ROWS_H
#define MBS_INDEPENDENT_ROWS_H

#include "model/model.h"

typedef struct mbs_independent_row_set {
  bool *active;          /* [rows] the set for which the other members were computed */
  int *height;           /* [block_count] rows of a block up to its last independent one, which S contains */
  size_t rows;           /* number of rows of S */
  mbs_skyline skyline;   /* skyline of S; position[r] < 0 if S has no row r */
  mbs_block_pair *pairs; /* [pair_count] pairs of blocks with rows in S */
  size_t pair_count;
  bool gaps; /* some redundant rows precede independent rows of their block: S has a unit diagonal there */
  bool all;  /* no row is omitted */
  int *rank; /* [rows + 1] workspace */
} mbs_independent_row_set;

/* Allocates a set and selects all rows. Returns false if memory runs out. */
bool mbs_independent_row_set_open(const mbs_model *model, mbs_arena *arena, mbs_independent_row_set *set);
/* Selects the active rows [rows], if they differ from the present ones. If a fill orders S, all rows stay in S, and
 * redundant ones are gaps. */
void mbs_find_independent_rows(const mbs_model *model, const bool *active, mbs_independent_row_set *set);
/* Selects the active rows, as above; returns at once in the common case that all rows are selected and stay so. */
static inline void mbs_select_independent_rows(const mbs_model *model, const bool *active, bool all_active,
                                               mbs_independent_row_set *set) {
  if (!all_active || !set->all) mbs_find_independent_rows(model, active, set);
}

#endif
