/* block_size.h - how many runs the next block of a study has. */
#ifndef SERVER_STORE_BLOCK_SIZE_H
#define SERVER_STORE_BLOCK_SIZE_H

#include <stddef.h>

/* What is known of a study. */
typedef struct store_block_history {
  double run_seconds; /* of the last block that was done, for a run; 0: not known */
  size_t last_size;   /* of the last block that was handed out */
  size_t missing;     /* runs */
  size_t held;        /* blocks that others have */
} store_block_history;

/* At least one. A block is at most so many times as long as the one before: how long runs take may differ along a
 * study. What is left is shared by several blocks, so that all workers end together. */
size_t store_block_size(const store_block_history *study);

#endif
