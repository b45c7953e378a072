/* block_size.h - how many runs the next block of a study has. */
#ifndef API_JOBS_BLOCK_SIZE_H
#define API_JOBS_BLOCK_SIZE_H

#include <stddef.h>

#define API_BLOCK_SECONDS 0.2      /* what a block is meant to take */
#define API_BLOCK_MOST_SECONDS 0.5 /* after which it is given back as far as it has come: others may be waited for */
enum { API_BLOCK_RUNS = 1 << 16 }; /* most of a block */

/* What is known of a study. */
typedef struct api_block_history {
  double run_seconds; /* of the last block that was done, for a run; 0: not known */
  size_t last_size;   /* of the last block that was handed out */
  size_t missing;     /* runs */
  size_t held;        /* blocks that others have */
} api_block_history;

/* At least one. A block is at most so many times as long as the one before: how long runs take may differ along a
 * study. What is left is shared by several blocks, so that all workers end together. */
size_t api_block_size(const api_block_history *study);

#endif
