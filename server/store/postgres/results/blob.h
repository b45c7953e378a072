/* blob.h - reads the numbers of a part, and caches the whole part if much of it is read. */
#ifndef SERVER_STORE_POSTGRES_RESULTS_BLOB_H
#define SERVER_STORE_POSTGRES_RESULTS_BLOB_H

#include "server/store/common/run_index.h"
#include "server/store/postgres/connection/db.h"

/* The last part read; cached as a whole if much of it was read. */
typedef struct postgres_blob {
  postgres_db *db;
  int64_t run, part;
  size_t asked; /* bytes of it read separately so far */
  char *data;   /* cached data; NULL: none */
  size_t size;
} postgres_blob;
/* Returns a reader that uses this cache; for store_run_index_read(). */
index_reader postgres_blob_reader(postgres_blob *blob);
void postgres_blob_free(postgres_blob *blob);

#endif
