/* shared_blocks.c - see shared_blocks.h. */
#include "api/jobs/shared_blocks.h"

#include "api/base/array_grow.h"
#include "api/jobs/block_size.h"

#include <stdlib.h>
#include <string.h>

void api_shared_blocks_free(api_shared_blocks *blocks) {
  for (size_t i = 0; i < blocks->made_count; i++) api_block_result_free(&blocks->made[i].result);
  free(blocks->made);
  free(blocks->missing);
}

void api_shared_blocks_add(api_shared_blocks *blocks, api_run_range range) {
  api_run_range *all = api_array_grow(blocks->missing, blocks->missing_count, &blocks->missing_capacity, sizeof *all);
  blocks->failed = blocks->failed || !all;
  if (!all) return;
  size_t i = blocks->missing_count++;
  for (blocks->missing = all; i > 0 && all[i - 1].first > range.first; i--) all[i] = all[i - 1];
  all[i] = range;
}

static size_t count_missing(const api_shared_blocks *blocks) {
  size_t count = 0;
  for (size_t i = 0; i < blocks->missing_count; i++) count += blocks->missing[i].end - blocks->missing[i].first;
  return count;
}

api_run_range api_shared_blocks_next(api_shared_blocks *blocks, size_t held) {
  size_t size =
      api_block_size(&(api_block_history){blocks->run_seconds, blocks->last_size, count_missing(blocks), held});
  api_run_range *from = blocks->missing, range = *from;
  if (size < blocks->together) size = blocks->together;
  if (range.end - range.first > size) range.end = range.first + size;
  from->first = range.end;
  if (from->first == from->end) memmove(from, from + 1, --blocks->missing_count * sizeof *from);
  blocks->last_size = size;
  return range;
}

void api_shared_blocks_keep(api_shared_blocks *blocks, api_run_range range, const api_block_result *result,
                            double seconds) {
  api_made_block made = {range.first, *result};
  api_made_block *all = api_array_grow(blocks->made, blocks->made_count, &blocks->made_capacity, sizeof *all);
  if (all) blocks->made = all;
  if (!all || !result->report || result->runs == 0) {
    blocks->failed = true;
    api_block_result_free(&made.result);
    return;
  }
  size_t i = blocks->made_count++, next = range.first + result->runs;
  for (; i > 0 && all[i - 1].first > made.first; i--) all[i] = all[i - 1];
  all[i] = made;
  if (next < range.end) api_shared_blocks_add(blocks, (api_run_range){next, range.end, 0});
  if (seconds > 0) blocks->run_seconds = seconds / (double)result->runs;
}

void api_shared_blocks_crashed(api_shared_blocks *blocks, api_run_range range) {
  size_t middle = range.first + (range.end - range.first) / 2;
  if (middle > range.first) {
    api_shared_blocks_add(blocks, (api_run_range){range.first, middle, 0});
    api_shared_blocks_add(blocks, (api_run_range){middle, range.end, 0});
  } else {
    api_shared_blocks_add(blocks, (api_run_range){range.first, range.end, range.crashes + 1});
  }
}

bool api_shared_blocks_has(const api_shared_blocks *blocks, size_t first) {
  return blocks->made_count > 0 && blocks->made[0].first == first;
}

api_block_result api_shared_blocks_take(api_shared_blocks *blocks) {
  api_block_result result = blocks->made[0].result;
  memmove(blocks->made, blocks->made + 1, --blocks->made_count * sizeof *blocks->made);
  return result;
}

size_t api_shared_blocks_made(const api_shared_blocks *blocks) {
  size_t runs = 0;
  for (size_t i = 0; i < blocks->made_count; i++) runs += blocks->made[i].result.runs;
  return runs;
}
