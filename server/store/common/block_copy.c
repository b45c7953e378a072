/* block_copy.c - see block_copy.h. */
#include "server/store/common/block_copy.h"

#include "server/store/common/result_chunk.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

size_t store_block_bytes(const store_block *block) { return block->runs * block->columns * sizeof(double); }

static uint64_t checksum_of(const char *report, const void *data, size_t size) {
  return store_checksum_chain(store_checksum(report, strlen(report)), store_checksum(data, size));
}

uint64_t store_block_checksum(const store_block *block) {
  return checksum_of(block->report, block->data, store_block_bytes(block));
}

size_t store_block_copy_size(const store_block *block) { return store_block_bytes(block) + strlen(block->report) + 1; }

store_block store_block_copy(const store_block *block, void *to) {
  assert((uintptr_t)to % alignof(double) == 0);
  store_block copy = *block;
  size_t bytes = store_block_bytes(block);
  copy.data = to;
  copy.report = (char *)to + bytes;
  if (bytes > 0) memcpy(copy.data, block->data, bytes);
  memcpy(copy.report, block->report, strlen(block->report) + 1);
  return copy;
}

service_status store_block_load(store_block *out, const char *report, const void *data, size_t size,
                                uint64_t checksum) {
  if (size == 0) data = "";
  if (!report || size != store_block_bytes(out) || checksum_of(report, data, size) != checksum) return SERVICE_DAMAGED;
  out->report = strdup(report);
  out->data = malloc(size + 1);
  if (!out->report || !out->data) {
    free(out->report);
    free(out->data);
    return SERVICE_FAILED;
  }
  memcpy(out->data, data, size);
  return SERVICE_OK;
}
