/* run_index.c - see run_index.h. */
#include "server/store/common/run_index.h"

#include "api/base/array_grow.h"
#include "api/base/text.h"
#include "server/base/log.h"
#include "server/store/common/result_chunk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

service_status store_run_index_damaged(const store_run *run, const char *array) {
  srv_log(SRV_ERROR, "results_damaged",
          (srv_field[]){srv_text("id", run->id),
                        srv_number("attempt", run->attempt),
                        srv_text("array", array ? array : "(list of arrays)"),
                        srv_text("why", "the stored data do not match their checksum"),
                        {0}});
  return SERVICE_DAMAGED;
}

void store_run_index_free(store_run_index *index) {
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
  *index = (store_run_index){0};
}

/* ---- layouts of parts -------------------------------------------------------------------------------------------- */

static bool add_array(store_run_index *index, const store_array *array) {
  index_array *arrays = api_array_grow(index->arrays, index->count, &index->capacity, sizeof *arrays);
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
  assert(piece->first == array->rows);
  index_piece *pieces = api_array_grow(array->pieces, array->piece_count, &array->piece_capacity, sizeof *pieces);
  if (!pieces) return false;
  array->pieces = pieces;
  pieces[array->piece_count++] = *piece;
  array->rows += piece->rows;
  return true;
}

/* Adds a blob. Returns NULL if memory runs out. */
static index_blob *add_blob(store_run_index *index, int64_t id) {
  index_blob **blobs = api_array_grow(index->blobs, index->blob_count, &index->blob_capacity, sizeof(index_blob *));
  if (!blobs) return NULL;
  index->blobs = blobs;
  index_blob *added = calloc(1, sizeof *added);
  if (!added) return NULL;
  added->id = id;
  blobs[index->blob_count++] = added;
  return added;
}

/* Allocates as many places and pages as the rest of the layout can contain: each is one number of it. */
static bool make_room(index_blob *blob, const layout_cursor *cursor) {
  size_t numbers = (size_t)(cursor->end - cursor->at) / sizeof(uint64_t) + 1;
  blob->page_begins = malloc(numbers * sizeof *blob->page_begins);
  blob->page_checks = malloc(numbers * sizeof *blob->page_checks);
  blob->places = malloc(numbers * sizeof *blob->places);
  return blob->page_begins && blob->page_checks && blob->places;
}

/* A part whose layout is being read. */
typedef struct open_part {
  index_blob *blob;
  size_t left;        /* bytes available for further pieces */
  size_t place_count; /* number of places so far */
} open_part;

/* Returns true if a piece can belong to the part; sets `numbers` to its count of numbers. */
static bool fits(const store_run_index *index, const layout_piece *piece, size_t left, size_t *numbers) {
  if (piece->position >= index->count) return false;
  const index_array *array = &index->arrays[piece->position];
  size_t row = array->columns * sizeof(double);
  if (row == 0 || piece->rows == 0 || piece->first != array->rows || piece->rows > left / row) return false;
  *numbers = piece->rows * array->columns;
  return true;
}

/* Reads the places of a piece's columns, which must be in the received bytes of the blob. */
static bool take_places(open_part *part, layout_cursor *cursor, index_piece *piece, size_t columns) {
  uint64_t *places = part->blob->places + part->place_count;
  size_t there = part->blob->bytes / sizeof(double);
  if (!store_layout_numbers(cursor, places, columns)) return false;
  part->place_count += columns;
  piece->places = places;
  for (size_t j = 0; j < columns; j++) {
    layout_column place = store_layout_column(places[j]);
    if (place.number >= there || (place.same ? 1 : piece->rows) > there - place.number) return false;
  }
  return true;
}

/* Reads the checksums of `bytes` more bytes. */
static bool take_pages(index_blob *blob, layout_cursor *cursor, size_t begin, size_t bytes) {
  size_t pages = store_layout_pages(bytes);
  if (!store_layout_numbers(cursor, blob->page_checks + blob->page_count, pages)) return false;
  for (size_t i = 0; i < pages; i++) blob->page_begins[blob->page_count++] = begin + i * STORE_PAGE;
  return true;
}

static service_status take_piece(store_run_index *index, open_part *part, layout_cursor *cursor) {
  layout_piece piece;
  size_t numbers, begin = part->blob->bytes;
  if (!store_layout_piece(cursor, &piece) || !fits(index, &piece, part->left, &numbers)) return SERVICE_DAMAGED;
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

/* Reads the arrays and pieces of a part whose layout matches its checksum. `bytes`: total of its pieces. */
static service_status take_layout(store_run_index *index, int64_t id, size_t bytes, layout_cursor *cursor) {
  store_array array;
  for (uint64_t i = 0; i < cursor->arrays; i++) {
    if (!store_layout_array(cursor, &array)) return SERVICE_DAMAGED;
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

service_status store_run_index_take(store_run_index *index, const index_part *part) {
  if (part->number != (int64_t)index->parts || !part->layout ||
      store_checksum(part->layout, part->layout_size) != part->checksum) {
    return SERVICE_DAMAGED;
  }
  layout_cursor cursor = store_layout_open(part->layout, part->layout_size);
  if (cursor.failed) return SERVICE_DAMAGED;
  index->checksum = store_checksum_chain(index->checksum, part->checksum);
  return take_layout(index, part->id, part->bytes, &cursor);
}

bool store_run_index_add(store_run_index *index, const store_array *array) { return add_array(index, array); }

bool store_run_index_add_rows(store_run_index *index, index_array *array, int64_t id, size_t rows) {
  assert(index->old && array >= index->arrays && array < index->arrays + index->count);
  index_blob *blob = add_blob(index, id);
  if (!blob) return false;
  blob->bytes = rows * array->columns * sizeof(double);
  return add_piece(array, &(index_piece){.blob = blob, .first = array->rows, .rows = rows});
}

/* ---- visible arrays and rows ------------------------------------------------------------------------------------- */

/* Returns true if the array is shown only when it is complete. */
static bool is_whole(const index_array *array) { return array->head.timeless && !array->head.by_run; }

size_t store_run_index_rows(const store_run_index *index) {
  size_t rows = SIZE_MAX;
  for (size_t i = 0; i < index->count; i++) {
    const index_array *array = &index->arrays[i];
    if (!is_whole(array) && array->columns > 0 && array->rows < rows) rows = array->rows;
  }
  return rows == SIZE_MAX ? 0 : rows;
}

bool store_run_index_shown(const index_array *array, size_t all, size_t *rows) {
  *rows = is_whole(array) ? array->head.shape[0] : all;
  return !is_whole(array) || array->columns == 0 || array->rows == array->head.shape[0];
}

const index_array *store_run_index_find(const store_run_index *index, const char *name) {
  for (size_t i = 0; i < index->count; i++)
    if (strcmp(index->arrays[i].head.name, name) == 0) return &index->arrays[i];
  return NULL;
}

service_status store_run_index_list(const store_run_index *index, bool running, service_array **list, size_t *count) {
  size_t all = store_run_index_rows(index), rows;
  if (running && all == 0) return SERVICE_NOT_READY;
  *list = calloc(index->count + 1, sizeof **list);
  if (!*list) return SERVICE_FAILED;
  for (size_t i = 0; i < index->count; i++) {
    const index_array *array = &index->arrays[i];
    if (!store_run_index_shown(array, all, &rows)) continue;
    service_array *shown = &(*list)[(*count)++];
    *shown = array->head;
    shown->name = api_text_copy(array->head.name);
    shown->unit = api_text_copy(array->head.unit);
    shown->doc = api_text_copy(array->head.doc);
    shown->labels = api_text_copy(array->head.labels);
    shown->units = api_text_copy(array->head.units);
    shown->shape[0] = rows;
    shown->partial = running;
    shown->checksum = index->sealed ? index->checksum : 0;
  }
  return SERVICE_OK;
}

bool store_run_index_has(const store_run_index *index, const index_array *array, const index_slice *slice) {
  size_t rows;
  if (!array || !store_run_index_shown(array, store_run_index_rows(index), &rows)) return false;
  for (size_t j = 0; j < slice->column_count; j++)
    if (slice->columns[j] >= array->columns) return false;
  if (slice->count == 0) return true;
  return slice->stride > 0 && slice->first < rows && (rows - 1 - slice->first) / slice->stride >= slice->count - 1;
}

/* ---- reading numbers --------------------------------------------------------------------------------------------- */

/* A piece being read, page by page. */
typedef struct open_piece {
  const index_reader *reader;
  const store_run_index *index;
  const index_array *array;
  const index_piece *piece;
  size_t begin, end; /* range of the page in `numbers`, relative to the blob [numbers] */
  double numbers[STORE_PAGE / sizeof(double)];
} open_piece;

static void open_blob(open_piece *self, const index_piece *piece) {
  self->piece = piece;
  self->begin = self->end = 0;
}

/* Returns the last page that begins at a byte or before it. */
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

/* Reads the page that contains a number of the blob. */
static service_status load_page(open_piece *self, size_t number) {
  const index_blob *blob = self->piece->blob;
  size_t byte = number * sizeof(double), page = page_of(blob, byte);
  assert(byte < blob->bytes);
  size_t begin = blob->page_count > 0 ? blob->page_begins[page] : byte / STORE_PAGE * STORE_PAGE;
  size_t end = page + 1 < blob->page_count ? blob->page_begins[page + 1] : blob->bytes;
  if (end - begin > STORE_PAGE) end = begin + STORE_PAGE;
  self->begin = self->end = 0;
  service_status status =
      self->reader->read(self->reader->context, self->index, blob, begin, end - begin, self->numbers);
  if (status == SERVICE_DAMAGED) store_run_index_damaged(&self->index->run, self->array->head.name);
  if (status != SERVICE_OK) return status;
  if (blob->page_count > 0 && store_checksum(self->numbers, end - begin) != blob->page_checks[page])
    return store_run_index_damaged(&self->index->run, self->array->head.name);
  self->begin = begin / sizeof(double);
  self->end = end / sizeof(double);
  return SERVICE_OK;
}

static bool has_number(const open_piece *self, size_t number) { return number >= self->begin && number < self->end; }

/* Returns the location of a column of the open piece. */
static layout_column column_of(const open_piece *self, size_t column) {
  const index_piece *piece = self->piece;
  return piece->places ? store_layout_column(piece->places[column])
                       : (layout_column){piece->begin + column * piece->rows, false};
}

/* Reads the slice's rows k, ... (`count` of them), which are in the open piece. */
static service_status read_piece(open_piece *self, const index_slice *slice, size_t k, size_t count) {
  size_t first = slice->first + k * slice->stride - self->piece->first;
  assert(count > 0 && first + (count - 1) * slice->stride < self->piece->rows);
  for (size_t j = 0; j < slice->column_count; j++) {
    layout_column place = column_of(self, slice->columns[j]);
    size_t at = place.number + (place.same ? 0 : first), stride = place.same ? 0 : slice->stride;
    for (size_t i = 0; i < count; i++, at += stride) {
      service_status status = has_number(self, at) ? SERVICE_OK : load_page(self, at);
      if (status != SERVICE_OK) return status;
      if (slice->out) slice->out[(k + i) * slice->column_count + j] = self->numbers[at - self->begin];
    }
  }
  return SERVICE_OK;
}

/* Compares all pages that contain numbers of the open piece with their checksums. */
static service_status check_piece(open_piece *self) {
  service_status status = SERVICE_OK;
  for (size_t j = 0; j < self->array->columns && status == SERVICE_OK; j++) {
    layout_column place = column_of(self, j);
    size_t end = place.number + (place.same ? 1 : self->piece->rows);
    for (size_t at = place.number; at < end && status == SERVICE_OK; at = self->end)
      if (!has_number(self, at)) status = load_page(self, at);
  }
  return status;
}

/* Returns the piece that contains a row. */
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

service_status store_run_index_read(const index_reader *reader, const store_run_index *index, const index_array *array,
                                    const index_slice *slice) {
  assert(slice->stride > 0 || slice->count == 0);
  open_piece *self = malloc(sizeof *self);
  if (!self) return SERVICE_FAILED;
  self->reader = reader;
  self->index = index;
  self->array = array;
  service_status status = SERVICE_OK;
  for (size_t k = 0; k < slice->count && status == SERVICE_OK;) {
    size_t row = slice->first + k * slice->stride, left = slice->count - k;
    const index_piece *piece = piece_of(array, row);
    if (!piece) {
      status = SERVICE_NOT_FOUND;
      break;
    }
    open_blob(self, piece);
    size_t inside = (piece->first + piece->rows - 1 - row) / slice->stride + 1;
    size_t count = inside < left ? inside : left;
    status = read_piece(self, slice, k, count);
    k += count;
  }
  free(self);
  return status;
}

service_status store_run_index_check(const index_reader *reader, const store_run_index *index, const index_array *array,
                                     uint64_t *bytes) {
  open_piece *self = malloc(sizeof *self);
  if (!self) return SERVICE_FAILED;
  self->reader = reader;
  self->index = index;
  self->array = array;
  service_status status = SERVICE_OK;
  for (size_t i = 0; i < array->piece_count && status == SERVICE_OK; i++) {
    open_blob(self, &array->pieces[i]);
    status = check_piece(self);
    *bytes += array->pieces[i].rows * array->columns * sizeof(double);
  }
  free(self);
  return status;
}

service_status store_run_index_last_time(const index_reader *reader, const store_run_index *index, double *t,
                                         bool *found) {
  const index_array *times = store_run_index_find(index, "T");
  size_t rows = store_run_index_rows(index), column = 0;
  *found = false;
  if (!times || times->columns != 1 || rows == 0) return SERVICE_OK;
  const index_slice last = {
      .first = rows - 1, .stride = 1, .count = 1, .columns = &column, .column_count = 1, .out = t};
  service_status status = store_run_index_read(reader, index, times, &last);
  *found = status == SERVICE_OK;
  return status;
}
