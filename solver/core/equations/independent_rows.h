/* independent_rows.h - rows of S = C M^-1 C'. Redundant rows after the last independent row of their block are omitted
 * from S. Rows stay redundant for a motion: a joint of a plane mechanism in space has three independent rows of
 * five. */
#ifndef MBS_INDEPENDENT_ROWS_H
#define MBS_INDEPENDENT_ROWS_H

#include "model/schur_pattern.h"

typedef struct mbs_independent_row_set {
  bool *active;          /* [rows] the set for which the other members were computed */
  int *height;           /* [block_count] rows of a block up to its last independent one, which S contains */
  size_t rows;           /* number of rows of S */
  mbs_skyline skyline;   /* skyline of S; position[r] < 0 if S has no row r */
  mbs_block_pair *pairs; /* [pair_count] pairs of blocks with rows in S */
  const mbs_overlap *overlaps;
  size_t pair_count, pair_room;
  mbs_schur_pattern whole; /* pattern of all blocks with rows in S; that of the model if it has no touches */
  int *blocks;             /* [block_count] these blocks */
  int *next_block;         /* [block_count + 1] next block that is in use; the last entry is the first one */
  mbs_arena *arena;
  bool failed; /* memory ran out */
  bool gaps;   /* redundant rows precede independent rows of their block: S has a unit diagonal there */
  bool all;    /* no row is omitted */
  int *rank;   /* [rows + 1] workspace */
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

/* Visits the blocks that are in use: those of joints and drivers, and of touches the ones that are not off. */
#define MBS_EACH_BLOCK(system, b)                                                        \
  for (size_t b = (size_t)(system)->schur_rows.next_block[(system)->model->block_count]; \
       b < (system)->model->block_count; b = (size_t)(system)->schur_rows.next_block[b])

#endif
