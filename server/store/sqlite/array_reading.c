/* array_reading.c - see array_reading.h. */
#include "server/store/sqlite/array_reading.h"

#include "server/store/sqlite/job_reading.h"
#include "server/store/sqlite/state.h"

#include <stdlib.h>
#include <string.h>

static service_status collect(sqlite3_stmt *query, service_array **list, size_t *count) {
  size_t capacity = 0;
  int code;
  while ((code = sqlite3_step(query)) == SQLITE_ROW) {
    if (*count == capacity) {
      capacity = capacity ? 2 * capacity : 32;
      service_array *larger = realloc(*list, capacity * sizeof **list);
      if (!larger) return SERVICE_FAILED;
      *list = larger;
    }
    service_array *array = &(*list)[(*count)++];
    *array = (service_array){.name = sqlite_db_text(query, 0),
                             .unit = sqlite_db_text(query, 1),
                             .doc = sqlite_db_text(query, 2),
                             .labels = sqlite_db_text(query, 3),
                             .units = sqlite_db_text(query, 10),
                             .rank = sqlite3_column_int(query, 4),
                             .timeless = sqlite3_column_int(query, 5) != 0};
    for (int i = 0; i < 4; i++) array->shape[i] = (size_t)sqlite3_column_int64(query, 6 + i);
  }
  return code == SQLITE_DONE ? SERVICE_OK : SERVICE_FAILED;
}

static service_status read_arrays(sqlite_store *self, const char *id, service_array **list, size_t *count) {
  *list = NULL;
  *count = 0;
  int attempt = 0;
  service_status status = sqlite_job_shown(self, id, &attempt);
  if (status != SERVICE_OK) return status;
  pthread_mutex_lock(&self->results_reader.mutex);
  sqlite3_stmt *query =
      sqlite_db_query(&self->results_reader.db,
                      "SELECT a.name, a.unit, a.doc, a.labels, a.rank, a.timeless, a.shape0, a.shape1, a.shape2,"
                      " a.shape3, a.units FROM runs r JOIN arrays a ON a.run = r.id WHERE r.job = ? AND r.attempt = ?"
                      " ORDER BY a.position",
                      "ti", id, (sqlite3_int64)attempt);
  status = query ? collect(query, list, count) : SERVICE_FAILED;
  sqlite3_reset(query);
  pthread_mutex_unlock(&self->results_reader.mutex);
  if (status == SERVICE_OK) return SERVICE_OK;
  for (size_t i = 0; i < *count; i++) service_array_free(&(*list)[i]);
  free(*list);
  *list = NULL;
  *count = 0;
  return status;
}

static void arrays(srv_store *verbs, const char *id, service_array **list, size_t *count, store_done done,
                   void *context) {
  done(context, read_arrays((sqlite_store *)verbs, id, list, count));
}

/* ---- slices ---------------------------------------------------------------------------------------------------- */

typedef struct array_slice {
  size_t first, stride, count;
  const size_t *columns;
  size_t column_count;
  double *out;
} array_slice;

/* Where an array lies. */
typedef struct array_place {
  sqlite3_int64 run, position;
  size_t rows, columns, tile_rows;
} array_place;

static service_status find_place(sqlite_db *db, const char *id, int attempt, const char *name, array_place *out) {
  sqlite3_stmt *query =
      sqlite_db_query(db,
                      "SELECT a.run, a.position, a.shape0, a.columns, a.tile_rows FROM runs r JOIN arrays a"
                      " ON a.run = r.id WHERE r.job = ? AND r.attempt = ? AND a.name = ?",
                      "tit", id, (sqlite3_int64)attempt, name);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  if (code == SQLITE_ROW) {
    *out = (array_place){sqlite3_column_int64(query, 0), sqlite3_column_int64(query, 1),
                         (size_t)sqlite3_column_int64(query, 2), (size_t)sqlite3_column_int64(query, 3),
                         (size_t)sqlite3_column_int64(query, 4)};
  }
  sqlite3_reset(query);
  if (code == SQLITE_ROW) return SERVICE_OK;
  return code == SQLITE_DONE ? SERVICE_NOT_FOUND : sqlite_db_failure(db, "read");
}

/* A tile that is being read. */
typedef struct open_tile {
  sqlite3_blob *blob;
  size_t first, rows;
  double *column; /* [rows] one of its columns */
} open_tile;

/* Opens the tile that a row lies in. */
static service_status find_tile(sqlite_db *db, const array_place *place, size_t row, open_tile *tile) {
  sqlite3_stmt *query = sqlite_db_query(
      db, "SELECT id, tile FROM tiles WHERE run = ? AND position = ? AND tile <= ? ORDER BY tile DESC LIMIT 1", "iii",
      place->run, place->position, (sqlite3_int64)(row / place->tile_rows));
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  sqlite3_int64 id = code == SQLITE_ROW ? sqlite3_column_int64(query, 0) : 0;
  if (code == SQLITE_ROW) tile->first = (size_t)sqlite3_column_int64(query, 1) * place->tile_rows;
  sqlite3_reset(query);
  if (code != SQLITE_ROW) return SERVICE_FAILED;
  code = tile->blob ? sqlite3_blob_reopen(tile->blob, id)
                    : sqlite3_blob_open(db->handle, "main", "tiles", "data", id, 0, &tile->blob);
  if (code != SQLITE_OK) return sqlite_db_failure(db, "read");
  tile->rows = (size_t)sqlite3_blob_bytes(tile->blob) / (place->columns * sizeof(double));
  double *column = realloc(tile->column, (tile->rows + 1) * sizeof *column);
  if (!column) return SERVICE_FAILED;
  tile->column = column;
  return row < tile->first + tile->rows ? SERVICE_OK : SERVICE_FAILED;
}

/* Reads the slice's rows k, ... (`count` of them) that lie in one tile. */
static service_status read_tile(sqlite_db *db, const open_tile *tile, const array_slice *slice, size_t k,
                                size_t count) {
  double *buffer = tile->column;
  size_t first = slice->first + k * slice->stride - tile->first;
  size_t span = (count - 1) * slice->stride + 1;
  for (size_t j = 0; j < slice->column_count; j++) {
    size_t offset = (slice->columns[j] * tile->rows + first) * sizeof(double);
    if (sqlite3_blob_read(tile->blob, buffer, (int)(span * sizeof(double)), (int)offset) != SQLITE_OK)
      return sqlite_db_failure(db, "read");
    double *out = slice->out + k * slice->column_count + j;
    for (size_t i = 0; i < count; i++) out[i * slice->column_count] = buffer[i * slice->stride];
  }
  return SERVICE_OK;
}

static service_status read_slice(sqlite_db *db, const array_place *place, const array_slice *slice) {
  for (size_t j = 0; j < slice->column_count; j++)
    if (slice->columns[j] >= place->columns) return SERVICE_NOT_FOUND;
  if (slice->count == 0 || slice->column_count == 0) return SERVICE_OK;
  if (slice->stride == 0 || slice->first >= place->rows ||
      (place->rows - 1 - slice->first) / slice->stride < slice->count - 1) {
    return SERVICE_NOT_FOUND;
  }
  open_tile tile = {.blob = NULL};
  service_status status = SERVICE_OK;
  for (size_t k = 0; k < slice->count && status == SERVICE_OK;) {
    size_t row = slice->first + k * slice->stride, left = slice->count - k;
    status = find_tile(db, place, row, &tile);
    if (status != SERVICE_OK) break;
    size_t in_tile = (tile.first + tile.rows - 1 - row) / slice->stride + 1;
    size_t count = in_tile < left ? in_tile : left;
    status = read_tile(db, &tile, slice, k, count);
    k += count;
  }
  sqlite3_blob_close(tile.blob);
  free(tile.column);
  return status;
}

static service_status read_rows(sqlite_store *self, const char *id, const char *array, const array_slice *wanted) {
  int attempt = 0;
  service_status status = sqlite_job_shown(self, id, &attempt);
  if (status != SERVICE_OK) return status;
  array_place found = {0};
  pthread_mutex_lock(&self->results_reader.mutex);
  status = find_place(&self->results_reader.db, id, attempt, array, &found);
  if (status == SERVICE_OK) status = read_slice(&self->results_reader.db, &found, wanted);
  pthread_mutex_unlock(&self->results_reader.mutex);
  return status;
}

static void read_array(srv_store *verbs, const char *id, const char *array, size_t first, size_t stride, size_t count,
                       const size_t *columns, size_t column_count, double *out, store_done done, void *context) {
  array_slice wanted = {first, stride, count, columns, column_count, out};
  done(context, read_rows((sqlite_store *)verbs, id, array, &wanted));
}

void sqlite_array_reading_verbs(srv_store *verbs) {
  verbs->arrays = arrays;
  verbs->read = read_array;
}
