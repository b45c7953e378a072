/* run_loading.c - see run_loading.h. */
#include "server/store/sqlite/results/run_loading.h"

#include <string.h>

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Columns: id, number, checksum, bytes, layout. */
static service_status take_part(store_run_index *index, sqlite3_stmt *row) {
  const index_part part = {.id = sqlite3_column_int64(row, 0),
                           .number = sqlite3_column_int64(row, 1),
                           .checksum = (uint64_t)sqlite3_column_int64(row, 2),
                           .bytes = (size_t)sqlite3_column_int64(row, 3),
                           .layout = sqlite3_column_blob(row, 4),
                           .layout_size = (size_t)sqlite3_column_bytes(row, 4)};
  return store_run_index_take(index, &part);
}

static service_status load_parts(sqlite_db *results, store_run_index *index) {
  sqlite3_stmt *query = sqlite_db_query(results,
                                        "SELECT id, number, checksum, bytes, layout FROM parts"
                                        " WHERE run = ? AND number >= ? ORDER BY number",
                                        "ii", index->row, (sqlite3_int64)index->parts);
  if (!query) return SERVICE_FAILED;
  service_status status = SERVICE_OK;
  int code = SQLITE_DONE;
  while (status == SERVICE_OK && (code = sqlite3_step(query)) == SQLITE_ROW) status = take_part(index, query);
  if (status == SERVICE_OK && code != SQLITE_DONE) status = sqlite_db_failure(results, "read");
  sqlite3_reset(query);
  return status;
}

/* ---- runs of before ---------------------------------------------------------------------------------------------- */

/* Loads the lengths of tiles; they may have more rows than are shown. */
static service_status load_tiles(sqlite_db *results, store_run_index *index, sqlite3_int64 position,
                                 sqlite3_int64 tile_rows, size_t rows) {
  index_array *array = &index->arrays[index->count - 1];
  sqlite3_stmt *query =
      sqlite_db_query(results, "SELECT id, tile, length(data) FROM tiles WHERE run = ? AND position = ? ORDER BY tile",
                      "ii", index->row, position);
  if (!query) return SERVICE_FAILED;
  int code;
  bool good = true;
  while (good && (code = sqlite3_step(query)) == SQLITE_ROW) {
    if (array->columns == 0) continue;
    size_t count = (size_t)sqlite3_column_int64(query, 2) / (array->columns * sizeof(double));
    size_t first = (size_t)(sqlite3_column_int64(query, 1) * tile_rows);
    if (first == array->rows && first < rows)
      good = store_run_index_add_rows(index, array, sqlite3_column_int64(query, 0), count);
  }
  sqlite3_reset(query);
  if (array->columns > 0 && array->rows > rows) array->rows = rows;
  return good && code == SQLITE_DONE ? SERVICE_OK : SERVICE_FAILED;
}

static service_status load_old(sqlite_db *results, store_run_index *index) {
  sqlite3_stmt *query =
      sqlite_db_query(results,
                      "SELECT name, unit, doc, labels, units, rank, shape0, shape1, shape2, shape3, timeless, columns,"
                      " position, tile_rows FROM arrays WHERE run = ? ORDER BY position",
                      "i", index->row);
  if (!query) return SERVICE_FAILED;
  service_status status = SERVICE_OK;
  int code = SQLITE_DONE;
  while (status == SERVICE_OK && (code = sqlite3_step(query)) == SQLITE_ROW) {
    store_array array = {.name = (const char *)sqlite3_column_text(query, 0),
                         .unit = (const char *)sqlite3_column_text(query, 1),
                         .doc = (const char *)sqlite3_column_text(query, 2),
                         .labels = (const char *)sqlite3_column_text(query, 3),
                         .units = (const char *)sqlite3_column_text(query, 4),
                         .rank = sqlite3_column_int(query, 5),
                         .columns = (size_t)sqlite3_column_int64(query, 11)};
    for (int i = 0; i < 4; i++) array.shape[i] = (size_t)sqlite3_column_int64(query, 6 + i);
    store_take_row_kind(sqlite3_column_int(query, 10), &array.timeless, &array.by_run);
    index->old = true;
    status = store_run_index_add(index, &array) ? load_tiles(results, index, sqlite3_column_int64(query, 12),
                                                             sqlite3_column_int64(query, 13), array.shape[0])
                                                : SERVICE_FAILED;
  }
  if (status == SERVICE_OK && code != SQLITE_DONE) status = sqlite_db_failure(results, "read");
  sqlite3_reset(query);
  return status;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

/* Gets the row of the run; if it is over its checksum is in `seal`. */
static service_status find_run(sqlite_db *results, const store_run *run, sqlite3_int64 *row, bool *over,
                               uint64_t *seal) {
  sqlite3_stmt *query = sqlite_db_query(results, "SELECT id, checksum FROM runs WHERE job = ? AND attempt = ?", "ti",
                                        run->id, (sqlite3_int64)run->attempt);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  if (code == SQLITE_ROW) {
    *row = sqlite3_column_int64(query, 0);
    *over = sqlite3_column_type(query, 1) != SQLITE_NULL;
    *seal = (uint64_t)sqlite3_column_int64(query, 1);
  }
  sqlite3_reset(query);
  if (code == SQLITE_ROW) return SERVICE_OK;
  return code == SQLITE_DONE ? SERVICE_NOT_FOUND : sqlite_db_failure(results, "read");
}

service_status sqlite_run_load(sqlite_db *results, const store_run *run, store_run_index *index) {
  sqlite3_int64 row = 0;
  bool over = false;
  uint64_t seal = 0;
  service_status status = find_run(results, run, &row, &over, &seal);
  bool same = status == SERVICE_OK && row == index->row && store_run_is(&index->run, run);
  if (!same || (index->sealed && !(over && seal == index->checksum))) store_run_index_free(index);
  if (status != SERVICE_OK || index->sealed || index->old) return status;
  index->run = *run;
  index->row = row;
  status = load_parts(results, index);
  if (status == SERVICE_OK && index->parts == 0) status = load_old(results, index);
  if (status == SERVICE_OK && over && !index->old && index->checksum != seal) status = SERVICE_DAMAGED;
  index->sealed = over && !index->old;
  if (status == SERVICE_DAMAGED) store_run_index_damaged(run, NULL);
  if (status != SERVICE_OK) store_run_index_free(index);
  return status;
}

/* ---- blobs ------------------------------------------------------------------------------------------------------- */

/* The last blob read stays open. */
typedef struct open_blob {
  sqlite_db *db;
  sqlite3_blob *handle;
  int64_t id;
} open_blob;

static service_status open_another(open_blob *self, const store_run_index *index, const index_blob *blob) {
  int code = self->handle ? sqlite3_blob_reopen(self->handle, blob->id)
                          : sqlite3_blob_open(self->db->handle, "main", index->old ? "tiles" : "parts", "data",
                                              blob->id, 0, &self->handle);
  if (code != SQLITE_OK) return sqlite_db_failure(self->db, "read");
  self->id = blob->id;
  return blob->bytes <= (size_t)sqlite3_blob_bytes(self->handle) ? SERVICE_OK : SERVICE_DAMAGED;
}

static service_status read_blob(void *context, const store_run_index *index, const index_blob *blob, size_t begin,
                                size_t size, void *out) {
  open_blob *self = context;
  service_status status = self->handle && self->id == blob->id ? SERVICE_OK : open_another(self, index, blob);
  if (status != SERVICE_OK) return status;
  if (sqlite3_blob_read(self->handle, out, (int)size, (int)begin) == SQLITE_OK) return SERVICE_OK;
  return sqlite_db_failure(self->db, "read");
}

service_status sqlite_run_read(sqlite_db *results, const store_run_index *index, const index_array *array,
                               const index_slice *slice) {
  open_blob blob = {.db = results};
  service_status status = store_run_index_read(&(index_reader){read_blob, &blob}, index, array, slice);
  sqlite3_blob_close(blob.handle);
  return status;
}

service_status sqlite_run_check(sqlite_db *results, const store_run_index *index, const index_array *array,
                                uint64_t *bytes) {
  open_blob blob = {.db = results};
  service_status status = store_run_index_check(&(index_reader){read_blob, &blob}, index, array, bytes);
  sqlite3_blob_close(blob.handle);
  return status;
}

service_status sqlite_run_last_time(sqlite_db *results, const store_run_index *index, double *t, bool *found) {
  open_blob blob = {.db = results};
  service_status status = store_run_index_last_time(&(index_reader){read_blob, &blob}, index, t, found);
  sqlite3_blob_close(blob.handle);
  return status;
}
