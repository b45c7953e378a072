/* hash.h - 64-bit FNV-1a hashes, for entity tags. */
#ifndef API_BASE_HASH_H
#define API_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define API_HASH_START 0xcbf29ce484222325u

uint64_t api_hash(uint64_t hash, const void *data, size_t size);

#endif
