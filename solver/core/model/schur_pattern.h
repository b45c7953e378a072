/* schur_pattern.h - the pattern of S = C M^-1 C' for a list of blocks: the pairs of blocks that share velocities, and
 * the skyline in an order that makes it narrow (reverse Cuthill-McKee on the blocks). */
#ifndef MBS_SCHUR_PATTERN_H
#define MBS_SCHUR_PATTERN_H

#include "model/model.h"

typedef struct mbs_block_degree mbs_block_degree;
typedef struct mbs_occurrence mbs_occurrence;

typedef struct mbs_schur_pattern {
  mbs_skyline skyline;   /* without a fill; position[r] = -1 of rows that are not in it */
  mbs_block_pair *pairs; /* [pair_count] */
  mbs_overlap *overlaps;
  size_t pair_count;
  int *order;       /* [count] blocks in the order of elimination */
  size_t count;     /* number of blocks */
  mbs_arena *arena; /* memory of pairs and overlaps, which grow */
  size_t pair_room, overlap_room;
  int *place, *pair_of, *first, *first_at; /* workspace: [block_count] index in `order`.. ; [nv + 2] */
  mbs_occurrence *items;
  mbs_block_degree *sorted;
} mbs_schur_pattern;

/* Allocates a pattern for any blocks of a model. Returns false if memory runs out. */
bool mbs_schur_pattern_open(const mbs_model *model, mbs_arena *arena, mbs_schur_pattern *out);
/* Finds the pattern of these blocks. `ordered`: they are eliminated in this order. Returns false if memory runs out. */
bool mbs_schur_pattern_find(const mbs_model *model, const int *blocks, size_t count, bool ordered,
                            mbs_schur_pattern *out);

#endif
