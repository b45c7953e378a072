/* blocks.h - the runs of a study that helpers make (worker_pool.h): which are missing, and which were made and wait for
 * those before them. */
#ifndef CLI_BLOCKS_H
#define CLI_BLOCKS_H

#include "api/jobs/block.h"

#include <stdbool.h>
#include <stddef.h>

/* Consecutive runs. */
typedef struct cli_range {
  size_t first, end;
  int crashes; /* of helpers that had this one alone */
} cli_range;

typedef struct cli_made {
  size_t first;
  api_block_result result;
} cli_made;

typedef struct cli_blocks {
  cli_range *missing; /* in their order */
  size_t missing_count, missing_capacity;
  cli_made *made; /* in their order */
  size_t made_count, made_capacity;
  size_t together;    /* runs of which so many take about as long as one */
  double run_seconds; /* that takes; 0: it is not known */
  size_t last_size;   /* runs of the block that was given out last */
  bool failed;        /* there was no memory: some runs are in neither list */
} cli_blocks;

void cli_blocks_free(cli_blocks *blocks);
/* Adds runs that are missing. */
void cli_blocks_add(cli_blocks *blocks, cli_range range);
/* Takes a block out of those that are missing, which some are; `held` others are being made. */
cli_range cli_blocks_next(cli_blocks *blocks, size_t held);
/* Keeps what the first runs of a block came to, or all of them, made in so many seconds, 0: nobody knows. Takes
 * `result` over, which may be without a report where there was no memory. */
void cli_blocks_keep(cli_blocks *blocks, cli_range range, const api_block_result *result, double seconds);
/* The helper that had a block died: of several runs each half is made by itself, so that the one is found that helpers
 * die of. */
void cli_blocks_crashed(cli_blocks *blocks, cli_range range);
/* Whether the block that begins with run `first`, the first that was not taken, is made. */
bool cli_blocks_has(const cli_blocks *blocks, size_t first);
/* Takes it; the result is the caller's. */
api_block_result cli_blocks_take(cli_blocks *blocks);
/* Runs that are made. */
size_t cli_blocks_made(const cli_blocks *blocks);

#endif
