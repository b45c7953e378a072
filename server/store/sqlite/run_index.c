/* run_index.c - see run_index.h. */
#include "server/store/sqlite/run_index.h"

#include "server/base/log.h"
#include "server/store/sqlite/packet.h"

#include <stdlib.h>
#include <string.h>

service_status sqlite_run_index_damaged(const store_run *run, const char *array) {
  srv_log(SRV_ERROR, "results_damaged",
          (srv_field[]){srv_text("id", run->id),
                        srv_number("attempt", run->attempt),
                        srv_text("array", array ? array : "(their list)"),
                        srv_text("why", "what is in results.db differs from its checksum"),
                        {0}});
  return SERVICE_DAMAGED;
}

void sqlite_run_index_free(sqlite_run_index *index) {
  for (size_t i = 0; i < index->count; i++) {
    service_array_free(&index->arrays[i].head);
    free(index->arrays[i].pieces);
  }
  for (size_t i = 0; index->checks && i < index->parts; i++) free(index->checks[i]);
  free(index->checks);
  free(index->arrays);
  *index = (sqlite_run_index){0};
}

/* ---- what parts say ---------------------------------------------------------------------------------------------- */

static char *copy_of(const char *text) { return text ? strdup(text) : NULL; }

static bool add_array(sqlite_run_index *index, const store_array *array) {
  if (index->count == index->capacity) {
    size_t capacity = 2 * index->capacity + 32;
    index_array *larger = realloc(index->arrays, capacity * sizeof *larger);
    if (!larger) return false;
    index->arrays = larger;
    index->capacity = capacity;
  }
  index_array *added = &index->arrays[index->count++];
  *added = (index_array){.head = {.name = copy_of(array->name),
                                  .unit = copy_of(array->unit),
                                  .doc = copy_of(array->doc),
                                  .labels = copy_of(array->labels),
                                  .units = copy_of(array->units),
                                  .rank = array->rank,
                                  .timeless = array->timeless},
                         .columns = array->columns};
  memcpy(added->head.shape, array->shape, sizeof array->shape);
  return added->head.name != NULL;
}

static bool add_piece(index_array *array, const index_piece *piece) {
  if (array->piece_count == array->piece_capacity) {
    size_t capacity = 2 * array->piece_capacity + 4;
    index_piece *larger = realloc(array->pieces, capacity * sizeof *larger);
    if (!larger) return false;
    array->pieces = larger;
    array->piece_capacity = capacity;
  }
  array->pieces[array->piece_count++] = *piece;
  array->rows += piece->rows;
  return true;
}

/* Room for the checksums of one more part of so many bytes, which has `pieces`. NULL: no memory. */
static uint64_t *add_checks(sqlite_run_index *index, size_t bytes, uint64_t pieces) {
  uint64_t **larger = realloc(index->checks, (index->parts + 1) * sizeof *larger);
  if (!larger) return NULL;
  index->checks = larger;
  uint64_t *checks = malloc((sqlite_layout_pages(bytes) + pieces + 1) * sizeof *checks);
  if (checks) index->checks[index->parts++] = checks;
  return checks;
}

/* A piece that lies at `offset` of a part of `bytes`. False: it cannot. */
static bool place_piece(const sqlite_run_index *index, const layout_piece *piece, size_t offset, size_t bytes,
                        size_t *size) {
  if (piece->position >= index->count) return false;
  const index_array *array = &index->arrays[piece->position];
  size_t row = array->columns * sizeof(double);
  if (row == 0 || piece->rows == 0 || piece->first != array->rows || piece->rows > (bytes - offset) / row) return false;
  *size = piece->rows * row;
  return true;
}

/* Takes the arrays and pieces of a part whose layout agrees with its checksum. */
static service_status take_layout(sqlite_run_index *index, sqlite3_int64 blob, size_t bytes, layout_cursor *cursor) {
  store_array array;
  for (uint64_t i = 0; i < cursor->arrays; i++) {
    if (!sqlite_layout_array(cursor, &array)) return SERVICE_DAMAGED;
    if (!add_array(index, &array)) return SERVICE_FAILED;
  }
  if (cursor->pieces > bytes / sizeof(double)) return SERVICE_DAMAGED;
  uint64_t *checks = add_checks(index, bytes, cursor->pieces);
  if (!checks) return SERVICE_FAILED;
  size_t offset = 0, size;
  for (uint64_t i = 0; i < cursor->pieces; i++) {
    layout_piece piece;
    if (!sqlite_layout_piece(cursor, &piece) || !place_piece(index, &piece, offset, bytes, &size))
      return SERVICE_DAMAGED;
    size_t pages = sqlite_layout_pages(size);
    if (!sqlite_layout_checksums(cursor, checks, pages)) return SERVICE_DAMAGED;
    const index_piece found = {blob, piece.first, piece.rows, offset, checks};
    if (!add_piece(&index->arrays[piece.position], &found)) return SERVICE_FAILED;
    checks += pages;
    offset += size;
  }
  return SERVICE_OK;
}

/* Columns: id, number, checksum, bytes, layout. */
static service_status take_part(sqlite_run_index *index, sqlite3_stmt *row) {
  const void *layout = sqlite3_column_blob(row, 4);
  size_t size = (size_t)sqlite3_column_bytes(row, 4);
  uint64_t checksum = (uint64_t)sqlite3_column_int64(row, 2);
  if (sqlite3_column_int64(row, 1) != (sqlite3_int64)index->parts || !layout ||
      sqlite_checksum(layout, size) != checksum) {
    return SERVICE_DAMAGED;
  }
  layout_cursor cursor = sqlite_layout_open(layout, size);
  if (cursor.failed) return SERVICE_DAMAGED;
  index->checksum = sqlite_checksum_chain(index->checksum, checksum);
  return take_layout(index, sqlite3_column_int64(row, 0), (size_t)sqlite3_column_int64(row, 3), &cursor);
}

static service_status load_parts(sqlite_db *results, sqlite_run_index *index) {
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

/* The lengths of tiles, whose shape0 rows may be more than are shown. */
static service_status load_tiles(sqlite_db *results, sqlite_run_index *index, sqlite3_int64 position,
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
    const index_piece piece = {sqlite3_column_int64(query, 0), first, count, 0, NULL};
    if (first == array->rows && first < rows) good = add_piece(array, &piece);
  }
  sqlite3_reset(query);
  if (array->columns > 0 && array->rows > rows) array->rows = rows;
  return good && code == SQLITE_DONE ? SERVICE_OK : SERVICE_FAILED;
}

static service_status load_old(sqlite_db *results, sqlite_run_index *index) {
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
                         .timeless = sqlite3_column_int(query, 10) != 0,
                         .columns = (size_t)sqlite3_column_int64(query, 11)};
    for (int i = 0; i < 4; i++) array.shape[i] = (size_t)sqlite3_column_int64(query, 6 + i);
    index->old = true;
    status = add_array(index, &array) ? load_tiles(results, index, sqlite3_column_int64(query, 12),
                                                   sqlite3_column_int64(query, 13), array.shape[0])
                                      : SERVICE_FAILED;
  }
  if (status == SERVICE_OK && code != SQLITE_DONE) status = sqlite_db_failure(results, "read");
  sqlite3_reset(query);
  return status;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

/* The row of the run, and whether it is over: its checksum is then in `seal`. */
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

service_status sqlite_run_index_load(sqlite_db *results, const store_run *run, sqlite_run_index *index) {
  sqlite3_int64 row = 0;
  bool over = false;
  uint64_t seal = 0;
  service_status status = find_run(results, run, &row, &over, &seal);
  bool same = status == SERVICE_OK && row == index->row && strcmp(index->run.id, run->id) == 0 &&
              index->run.attempt == run->attempt;
  if (!same || (index->sealed && !(over && seal == index->checksum))) sqlite_run_index_free(index);
  if (status != SERVICE_OK || index->sealed || index->old) return status;
  index->run = *run;
  index->row = row;
  status = load_parts(results, index);
  if (status == SERVICE_OK && index->parts == 0) status = load_old(results, index);
  if (status == SERVICE_OK && over && !index->old && index->checksum != seal) status = SERVICE_DAMAGED;
  index->sealed = over && !index->old;
  if (status == SERVICE_DAMAGED) sqlite_run_index_damaged(run, NULL);
  if (status != SERVICE_OK) sqlite_run_index_free(index);
  return status;
}

size_t sqlite_run_index_rows(const sqlite_run_index *index) {
  size_t rows = SIZE_MAX;
  for (size_t i = 0; i < index->count; i++) {
    const index_array *array = &index->arrays[i];
    if (!array->head.timeless && array->columns > 0 && array->rows < rows) rows = array->rows;
  }
  return rows == SIZE_MAX ? 0 : rows;
}

bool sqlite_run_index_shown(const index_array *array, size_t all, size_t *rows) {
  *rows = array->head.timeless ? array->head.shape[0] : all;
  return !array->head.timeless || array->columns == 0 || array->rows == array->head.shape[0];
}

const index_array *sqlite_run_index_find(const sqlite_run_index *index, const char *name) {
  for (size_t i = 0; i < index->count; i++)
    if (strcmp(index->arrays[i].head.name, name) == 0) return &index->arrays[i];
  return NULL;
}

/* ---- reading numbers --------------------------------------------------------------------------------------------- */

/* A piece that is being read, page by page. */
typedef struct open_piece {
  sqlite_db *db;
  const sqlite_run_index *index;
  const index_array *array;
  const index_piece *piece;
  sqlite3_blob *blob;
  size_t bytes;
  size_t page; /* that `numbers` has; SIZE_MAX: none */
  double numbers[SQLITE_PAGE / sizeof(double)];
} open_piece;

static service_status open_blob(open_piece *self, const index_piece *piece) {
  int code = self->blob ? sqlite3_blob_reopen(self->blob, piece->blob)
                        : sqlite3_blob_open(self->db->handle, "main", self->index->old ? "tiles" : "parts", "data",
                                            piece->blob, 0, &self->blob);
  if (code != SQLITE_OK) return sqlite_db_failure(self->db, "read");
  self->piece = piece;
  self->bytes = piece->rows * self->array->columns * sizeof(double);
  self->page = SIZE_MAX;
  if (piece->offset + self->bytes <= (size_t)sqlite3_blob_bytes(self->blob)) return SERVICE_OK;
  return sqlite_run_index_damaged(&self->index->run, self->array->head.name);
}

static service_status load_page(open_piece *self, size_t page) {
  size_t at = page * SQLITE_PAGE, left = self->bytes - at, size = left < SQLITE_PAGE ? left : SQLITE_PAGE;
  self->page = SIZE_MAX;
  if (sqlite3_blob_read(self->blob, self->numbers, (int)size, (int)(self->piece->offset + at)) != SQLITE_OK)
    return sqlite_db_failure(self->db, "read");
  if (self->piece->checks && sqlite_checksum(self->numbers, size) != self->piece->checks[page])
    return sqlite_run_index_damaged(&self->index->run, self->array->head.name);
  self->page = page;
  return SERVICE_OK;
}

/* Reads the slice's rows k, ... (`count` of them), which lie in the open piece. */
static service_status read_piece(open_piece *self, const index_slice *slice, size_t k, size_t count) {
  const size_t page_numbers = SQLITE_PAGE / sizeof(double);
  size_t first = slice->first + k * slice->stride - self->piece->first;
  for (size_t j = 0; j < slice->column_count; j++) {
    size_t at = slice->columns[j] * self->piece->rows + first;
    for (size_t i = 0; i < count; i++, at += slice->stride) {
      size_t page = at / page_numbers;
      if (page != self->page) {
        service_status status = load_page(self, page);
        if (status != SERVICE_OK) return status;
      }
      if (slice->out) slice->out[(k + i) * slice->column_count + j] = self->numbers[at % page_numbers];
    }
  }
  return SERVICE_OK;
}

/* The piece that a row lies in. */
static const index_piece *piece_of(const index_array *array, size_t row) {
  size_t low = 0, high = array->piece_count;
  while (low + 1 < high) {
    size_t middle = low + (high - low) / 2;
    if (array->pieces[middle].first <= row)
      low = middle;
    else
      high = middle;
  }
  const index_piece *piece = &array->pieces[low];
  return array->piece_count > 0 && row >= piece->first && row - piece->first < piece->rows ? piece : NULL;
}

service_status sqlite_run_index_read(sqlite_db *results, const sqlite_run_index *index, const index_array *array,
                                     const index_slice *slice) {
  open_piece *self = malloc(sizeof *self);
  if (!self) return SERVICE_FAILED;
  self->db = results;
  self->index = index;
  self->array = array;
  self->blob = NULL;
  service_status status = SERVICE_OK;
  for (size_t k = 0; k < slice->count && status == SERVICE_OK;) {
    size_t row = slice->first + k * slice->stride, left = slice->count - k;
    const index_piece *piece = piece_of(array, row);
    status = piece ? open_blob(self, piece) : SERVICE_NOT_FOUND;
    if (status != SERVICE_OK) break;
    size_t inside = (piece->first + piece->rows - 1 - row) / slice->stride + 1;
    size_t count = inside < left ? inside : left;
    status = read_piece(self, slice, k, count);
    k += count;
  }
  sqlite3_blob_close(self->blob);
  free(self);
  return status;
}

service_status sqlite_run_index_check(sqlite_db *results, const sqlite_run_index *index, const index_array *array,
                                      uint64_t *bytes) {
  open_piece *self = malloc(sizeof *self);
  if (!self) return SERVICE_FAILED;
  self->db = results;
  self->index = index;
  self->array = array;
  self->blob = NULL;
  service_status status = SERVICE_OK;
  for (size_t i = 0; i < array->piece_count && status == SERVICE_OK; i++) {
    status = open_blob(self, &array->pieces[i]);
    for (size_t page = 0; page < sqlite_layout_pages(self->bytes) && status == SERVICE_OK; page++)
      status = load_page(self, page);
    *bytes += self->bytes;
  }
  sqlite3_blob_close(self->blob);
  free(self);
  return status;
}
