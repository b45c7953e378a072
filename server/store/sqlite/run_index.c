/* run_index.c - see run_index.h. */
#include "server/store/sqlite/run_index.h"

#include "api/base/grow.h"
#include "api/base/text.h"
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
  for (size_t i = 0; i < index->blob_count; i++) {
    free(index->blobs[i]->page_begins);
    free(index->blobs[i]->page_checks);
    free(index->blobs[i]->places);
    free(index->blobs[i]);
  }
  free(index->blobs);
  free(index->arrays);
  *index = (sqlite_run_index){0};
}

/* ---- what parts say ---------------------------------------------------------------------------------------------- */

static bool add_array(sqlite_run_index *index, const store_array *array) {
  index_array *arrays = api_grow(index->arrays, index->count, &index->capacity, sizeof *arrays);
  if (!arrays) return false;
  index->arrays = arrays;
  index_array *added = &arrays[index->count++];
  *added = (index_array){.head = {.name = api_text_copy(array->name),
                                  .unit = api_text_copy(array->unit),
                                  .doc = api_text_copy(array->doc),
                                  .labels = api_text_copy(array->labels),
                                  .units = api_text_copy(array->units),
                                  .rank = array->rank,
                                  .timeless = array->timeless,
                                  .by_run = array->by_run},
                         .columns = array->columns};
  memcpy(added->head.shape, array->shape, sizeof array->shape);
  return added->head.name != NULL;
}

static bool add_piece(index_array *array, const index_piece *piece) {
  index_piece *pieces = api_grow(array->pieces, array->piece_count, &array->piece_capacity, sizeof *pieces);
  if (!pieces) return false;
  array->pieces = pieces;
  pieces[array->piece_count++] = *piece;
  array->rows += piece->rows;
  return true;
}

/* One more blob; NULL without memory. */
static index_blob *add_blob(sqlite_run_index *index, sqlite3_int64 id) {
  index_blob **blobs = api_grow(index->blobs, index->blob_count, &index->blob_capacity, sizeof(index_blob *));
  if (!blobs) return NULL;
  index->blobs = blobs;
  index_blob *added = calloc(1, sizeof *added);
  if (!added) return NULL;
  added->id = id;
  blobs[index->blob_count++] = added;
  return added;
}

/* Room for as many places and pages as a layout can have in its rest: each is a number of it. */
static bool make_room(index_blob *blob, const layout_cursor *cursor) {
  size_t numbers = (size_t)(cursor->end - cursor->at) / sizeof(uint64_t) + 1;
  blob->page_begins = malloc(numbers * sizeof *blob->page_begins);
  blob->page_checks = malloc(numbers * sizeof *blob->page_checks);
  blob->places = malloc(numbers * sizeof *blob->places);
  return blob->page_begins && blob->page_checks && blob->places;
}

/* A part whose layout is taken. */
typedef struct open_part {
  index_blob *blob;
  size_t left;        /* bytes that further pieces may have */
  size_t place_count; /* so far */
} open_part;

/* Whether a piece can be of the part; `numbers` is how many it has. */
static bool fits(const sqlite_run_index *index, const layout_piece *piece, size_t left, size_t *numbers) {
  if (piece->position >= index->count) return false;
  const index_array *array = &index->arrays[piece->position];
  size_t row = array->columns * sizeof(double);
  if (row == 0 || piece->rows == 0 || piece->first != array->rows || piece->rows > left / row) return false;
  *numbers = piece->rows * array->columns;
  return true;
}

/* Takes the places of a piece's columns, which lie in what has come of the blob. */
static bool take_places(open_part *part, layout_cursor *cursor, index_piece *piece, size_t columns) {
  uint64_t *places = part->blob->places + part->place_count;
  size_t there = part->blob->bytes / sizeof(double);
  if (!sqlite_layout_numbers(cursor, places, columns)) return false;
  part->place_count += columns;
  piece->places = places;
  for (size_t j = 0; j < columns; j++) {
    layout_place place = sqlite_layout_place(places[j]);
    if (place.number >= there || (place.same ? 1 : piece->rows) > there - place.number) return false;
  }
  return true;
}

/* Takes the checksums of so many more bytes. */
static bool take_pages(index_blob *blob, layout_cursor *cursor, size_t begin, size_t bytes) {
  size_t pages = sqlite_layout_pages(bytes);
  if (!sqlite_layout_numbers(cursor, blob->page_checks + blob->page_count, pages)) return false;
  for (size_t i = 0; i < pages; i++) blob->page_begins[blob->page_count++] = begin + i * SQLITE_PAGE;
  return true;
}

static service_status take_piece(sqlite_run_index *index, open_part *part, layout_cursor *cursor) {
  layout_piece piece;
  size_t numbers, begin = part->blob->bytes;
  if (!sqlite_layout_piece(cursor, &piece) || !fits(index, &piece, part->left, &numbers)) return SERVICE_DAMAGED;
  index_array *array = &index->arrays[piece.position];
  index_piece found = {part->blob, piece.first, piece.rows, begin / sizeof(double), NULL};
  if (piece.brings > numbers) piece.brings = numbers;
  size_t bytes = piece.brings * sizeof(double);
  part->left -= numbers * sizeof(double);
  part->blob->bytes += bytes;
  if (piece.brings < numbers && !take_places(part, cursor, &found, array->columns)) return SERVICE_DAMAGED;
  if (!take_pages(part->blob, cursor, begin, bytes)) return SERVICE_DAMAGED;
  return add_piece(array, &found) ? SERVICE_OK : SERVICE_FAILED;
}

/* Takes the arrays and pieces of a part whose layout agrees with its checksum. `bytes`: of its pieces together. */
static service_status take_layout(sqlite_run_index *index, sqlite3_int64 id, size_t bytes, layout_cursor *cursor) {
  store_array array;
  for (uint64_t i = 0; i < cursor->arrays; i++) {
    if (!sqlite_layout_array(cursor, &array)) return SERVICE_DAMAGED;
    if (!add_array(index, &array)) return SERVICE_FAILED;
  }
  open_part part = {add_blob(index, id), bytes, 0};
  if (!part.blob || !make_room(part.blob, cursor)) return SERVICE_FAILED;
  index->parts++;
  for (uint64_t i = 0; i < cursor->pieces; i++) {
    service_status status = take_piece(index, &part, cursor);
    if (status != SERVICE_OK) return status;
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

/* The next rows of an array. */
static bool add_tile(sqlite_run_index *index, index_array *array, sqlite3_int64 id, size_t rows) {
  index_blob *blob = add_blob(index, id);
  if (!blob) return false;
  blob->bytes = rows * array->columns * sizeof(double);
  return add_piece(array, &(index_piece){.blob = blob, .first = array->rows, .rows = rows});
}

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
    if (first == array->rows && first < rows) good = add_tile(index, array, sqlite3_column_int64(query, 0), count);
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
                         .columns = (size_t)sqlite3_column_int64(query, 11)};
    for (int i = 0; i < 4; i++) array.shape[i] = (size_t)sqlite3_column_int64(query, 6 + i);
    store_take_row_kind(sqlite3_column_int(query, 10), &array.timeless, &array.by_run);
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

/* It is there as a whole or not at all. */
static bool is_whole(const index_array *array) { return array->head.timeless && !array->head.by_run; }

size_t sqlite_run_index_rows(const sqlite_run_index *index) {
  size_t rows = SIZE_MAX;
  for (size_t i = 0; i < index->count; i++) {
    const index_array *array = &index->arrays[i];
    if (!is_whole(array) && array->columns > 0 && array->rows < rows) rows = array->rows;
  }
  return rows == SIZE_MAX ? 0 : rows;
}

bool sqlite_run_index_shown(const index_array *array, size_t all, size_t *rows) {
  *rows = is_whole(array) ? array->head.shape[0] : all;
  return !is_whole(array) || array->columns == 0 || array->rows == array->head.shape[0];
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
  size_t begin, end; /* of the page that `numbers` has, in the blob [numbers] */
  double numbers[SQLITE_PAGE / sizeof(double)];
} open_piece;

static service_status open_blob(open_piece *self, const index_piece *piece) {
  int code = self->blob ? sqlite3_blob_reopen(self->blob, piece->blob->id)
                        : sqlite3_blob_open(self->db->handle, "main", self->index->old ? "tiles" : "parts", "data",
                                            piece->blob->id, 0, &self->blob);
  if (code != SQLITE_OK) return sqlite_db_failure(self->db, "read");
  self->piece = piece;
  self->begin = self->end = 0;
  if (piece->blob->bytes <= (size_t)sqlite3_blob_bytes(self->blob)) return SERVICE_OK;
  return sqlite_run_index_damaged(&self->index->run, self->array->head.name);
}

/* The last page that begins at a byte or before it. */
static size_t page_of(const index_blob *blob, size_t byte) {
  size_t low = 0, high = blob->page_count;
  while (low + 1 < high) {
    size_t middle = low + (high - low) / 2;
    if (blob->page_begins[middle] <= byte)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Reads the page that has a number of the blob. */
static service_status load_page(open_piece *self, size_t number) {
  const index_blob *blob = self->piece->blob;
  size_t byte = number * sizeof(double), page = page_of(blob, byte);
  size_t begin = blob->page_count > 0 ? blob->page_begins[page] : byte / SQLITE_PAGE * SQLITE_PAGE;
  size_t end = page + 1 < blob->page_count ? blob->page_begins[page + 1] : blob->bytes;
  if (end - begin > SQLITE_PAGE) end = begin + SQLITE_PAGE;
  self->begin = self->end = 0;
  if (sqlite3_blob_read(self->blob, self->numbers, (int)(end - begin), (int)begin) != SQLITE_OK)
    return sqlite_db_failure(self->db, "read");
  if (blob->page_count > 0 && sqlite_checksum(self->numbers, end - begin) != blob->page_checks[page])
    return sqlite_run_index_damaged(&self->index->run, self->array->head.name);
  self->begin = begin / sizeof(double);
  self->end = end / sizeof(double);
  return SERVICE_OK;
}

static bool has_number(const open_piece *self, size_t number) { return number >= self->begin && number < self->end; }

/* Where a column of the open piece is. */
static layout_place place_of(const open_piece *self, size_t column) {
  const index_piece *piece = self->piece;
  return piece->places ? sqlite_layout_place(piece->places[column])
                       : (layout_place){piece->begin + column * piece->rows, false};
}

/* Reads the slice's rows k, ... (`count` of them), which lie in the open piece. */
static service_status read_piece(open_piece *self, const index_slice *slice, size_t k, size_t count) {
  size_t first = slice->first + k * slice->stride - self->piece->first;
  for (size_t j = 0; j < slice->column_count; j++) {
    layout_place place = place_of(self, slice->columns[j]);
    size_t at = place.number + (place.same ? 0 : first), stride = place.same ? 0 : slice->stride;
    for (size_t i = 0; i < count; i++, at += stride) {
      service_status status = has_number(self, at) ? SERVICE_OK : load_page(self, at);
      if (status != SERVICE_OK) return status;
      if (slice->out) slice->out[(k + i) * slice->column_count + j] = self->numbers[at - self->begin];
    }
  }
  return SERVICE_OK;
}

/* Compares the pages that the open piece touches with their checksums. */
static service_status check_piece(open_piece *self) {
  service_status status = SERVICE_OK;
  for (size_t j = 0; j < self->array->columns && status == SERVICE_OK; j++) {
    layout_place place = place_of(self, j);
    size_t end = place.number + (place.same ? 1 : self->piece->rows);
    for (size_t at = place.number; at < end && status == SERVICE_OK; at = self->end)
      if (!has_number(self, at)) status = load_page(self, at);
  }
  return status;
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
    if (status == SERVICE_OK) status = check_piece(self);
    *bytes += array->pieces[i].rows * array->columns * sizeof(double);
  }
  sqlite3_blob_close(self->blob);
  free(self);
  return status;
}
