/* block_copy.h - copies of a study's blocks, and their checksums. */
#ifndef SERVER_STORE_COMMON_BLOCK_COPY_H
#define SERVER_STORE_COMMON_BLOCK_COPY_H

#include "server/store/store.h"

/* Returns the bytes of a block's data. */
size_t store_block_bytes(const store_block *block);
/* Returns the checksum of a block's report and data. */
uint64_t store_block_checksum(const store_block *block);
/* Returns the bytes that store_block_copy() writes. */
size_t store_block_copy_size(const store_block *block);
/* Copies a block whose data and report go to `to`, which is aligned for doubles. */
store_block store_block_copy(const store_block *block, void *to);
/* Copies data and report, malloc'd, as they were stored with a checksum, into `out`, which has the numbers of the
 * block. Returns DAMAGED if they differ from the checksum, and FAILED if memory runs out. */
service_status store_block_load(store_block *out, const char *report, const void *data, size_t size, uint64_t checksum);

#endif
