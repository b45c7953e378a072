/* blob.h - reading the numbers of a part, which is kept where much of it is asked for. */
#ifndef SERVER_STORE_POSTGRES_RESULTS_BLOB_H
#define SERVER_STORE_POSTGRES_RESULTS_BLOB_H

#include "server/store/common/run_index.h"
#include "server/store/postgres/connection/db.h"

/* The part that was read last is kept as a whole where much of it was asked for. */
typedef struct postgres_blob {
  postgres_db *db;
  int64_t run, part;
  size_t asked; /* bytes of it that were read one by one */
  char *data;   /* NULL: not yet */
  size_t size;
} postgres_blob;
/* Reads through such a memory; for store_run_index_read(). */
index_reader postgres_blob_reader(postgres_blob *blob);
void postgres_blob_free(postgres_blob *blob);

#endif
