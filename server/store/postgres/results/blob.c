/* blob.c - see blob.h. */
#include "server/store/postgres/results/blob.h"

#include <stdlib.h>
#include <string.h>

/* A part is cached as a whole when at least this fraction (1/8) of it was read. */
enum { WHOLE_SHARE = 8 };

void postgres_blob_free(postgres_blob *blob) {
  free(blob->data);
  blob->data = NULL;
  blob->size = 0;
}

/* Queries bytes of a part, as the only column of the only row; `size` 0: all. */
static PGresult *query_bytes(const postgres_blob *self, size_t begin, size_t size) {
  if (size == 0)
    return postgres_db_query(self->db, "SELECT data FROM parts WHERE run = $1 AND number = $2::int", "ii", self->run,
                             self->part);
  return postgres_db_query(self->db,
                           "SELECT substring(data FROM $3::int FOR $4::int) FROM parts"
                           " WHERE run = $1 AND number = $2::int",
                           "iiii", self->run, self->part, (int64_t)begin + 1, (int64_t)size);
}

static service_status read_whole(postgres_blob *self) {
  PGresult *result = query_bytes(self, 0, 0);
  if (!result) return postgres_db_failure(self->db);
  service_status status = PQntuples(result) > 0 ? SERVICE_OK : SERVICE_DAMAGED;
  self->size = status == SERVICE_OK ? (size_t)PQgetlength(result, 0, 0) : 0;
  self->data = malloc(self->size + 1);
  if (!self->data) status = SERVICE_FAILED;
  if (status == SERVICE_OK) memcpy(self->data, PQgetvalue(result, 0, 0), self->size);
  if (status != SERVICE_OK) postgres_blob_free(self);
  PQclear(result);
  return status;
}

static service_status read_few(const postgres_blob *self, size_t begin, size_t size, void *out) {
  PGresult *result = query_bytes(self, begin, size);
  if (!result) return postgres_db_failure(self->db);
  bool whole = PQntuples(result) > 0 && (size_t)PQgetlength(result, 0, 0) == size;
  if (whole) memcpy(out, PQgetvalue(result, 0, 0), size);
  PQclear(result);
  return whole ? SERVICE_OK : SERVICE_DAMAGED;
}

static service_status read_blob(void *context, const store_run_index *index, const index_blob *blob, size_t begin,
                                size_t size, void *out) {
  postgres_blob *self = context;
  if (self->run != index->row || self->part != blob->id) {
    postgres_blob_free(self);
    self->run = index->row;
    self->part = blob->id;
    self->asked = 0;
  }
  self->asked += size;
  if (!self->data && self->asked <= blob->bytes / WHOLE_SHARE) return read_few(self, begin, size, out);
  service_status status = self->data ? SERVICE_OK : read_whole(self);
  if (status != SERVICE_OK) return status;
  if (begin > self->size || size > self->size - begin) return SERVICE_DAMAGED;
  memcpy(out, self->data + begin, size);
  return SERVICE_OK;
}

index_reader postgres_blob_reader(postgres_blob *blob) { return (index_reader){read_blob, blob}; }
