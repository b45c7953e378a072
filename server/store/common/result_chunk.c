/* result_chunk.c - see result_chunk.h. */
#include "server/store/common/result_chunk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { LAYOUT_VERSION = 2 };

/* Pieces of fewer rows are stored without places, which would take too much space in comparison. */
enum { PLACED_ROWS = 16 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_number(api_buffer *to, uint64_t value) { api_buffer_add(to, &value, sizeof value); }

static void put_text(api_buffer *to, const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  put_number(to, size);
  api_buffer_add(to, text, size);
}

void store_chunk_array(store_chunk *chunk, const store_array *array) {
  api_buffer *to = &chunk->heads;
  put_number(to, (uint64_t)array->rank);
  for (int i = 0; i < 4; i++) put_number(to, array->shape[i]);
  put_number(to, store_row_kind(array->timeless, array->by_run));
  put_number(to, array->columns);
  const char *const texts[] = {array->name, array->unit, array->doc, array->labels, array->units};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) put_text(to, texts[i]);
  chunk->arrays++;
}

static uint64_t pack_column(size_t number, bool same) {
  assert(number <= UINT64_MAX >> 1);
  return (uint64_t)number << 1 | same;
}

layout_column store_layout_column(uint64_t place) { return (layout_column){place >> 1, place & 1}; }

/* Returns the entry where a column equal to this one may be; NULL: none, or memory ran out. */
static chunk_column *likely_column(store_chunk *chunk, const double *column, size_t rows) {
  if (!chunk->columns && !(chunk->columns = calloc(CHUNK_COLUMNS, sizeof *chunk->columns))) return NULL;
  const double some[] = {column[0], column[rows / 3], column[rows / 2], column[rows - 1]};
  return &chunk->columns[store_checksum(some, sizeof some) % CHUNK_COLUMNS];
}

/* Adds a column unless an equal one is stored; returns its place. */
static uint64_t add_column(store_chunk *chunk, const double *column, size_t rows) {
  size_t end = chunk->data.size / sizeof(double), bytes = rows * sizeof(double);
  assert(rows > 1 && chunk->data.size % sizeof(double) == 0);
  if (chunk->data.failed) return 0; /* after a memory failure `data` may lack stored columns */
  if (memcmp(column, column + 1, bytes - sizeof(double)) == 0) {
    api_buffer_add(&chunk->data, column, sizeof(double));
    return pack_column(end, true);
  }
  chunk_column *known = likely_column(chunk, column, rows);
  if (known && known->rows == rows && memcmp(chunk->data.data + known->place * sizeof(double), column, bytes) == 0) {
    return pack_column(known->place, false);
  }
  if (known && end + rows < UINT32_MAX) *known = (chunk_column){(uint32_t)end, (uint32_t)rows};
  api_buffer_add(&chunk->data, column, bytes);
  return pack_column(end, false);
}

/* Adds the columns of a piece, one by one, and their places, unless all of them were new. */
static void add_columns(store_chunk *chunk, const double *numbers, size_t rows, size_t columns) {
  size_t before = chunk->data.size, places = chunk->pieces.size;
  for (size_t j = 0; j < columns; j++) put_number(&chunk->pieces, add_column(chunk, numbers + j * rows, rows));
  if (chunk->data.size - before == rows * columns * sizeof(double)) chunk->pieces.size = places;
}

static void put_checksums(api_buffer *to, const char *data, size_t size) {
  for (size_t at = 0; at < size; at += STORE_PAGE)
    put_number(to, store_checksum(data + at, size - at < STORE_PAGE ? size - at : STORE_PAGE));
}

void store_chunk_piece(store_chunk *chunk, const store_tile *tile, bool timed) {
  api_buffer *to = &chunk->pieces;
  assert(tile->rows > 0 && tile->size % (tile->rows * sizeof(double)) == 0);
  put_number(to, (uint64_t)tile->position);
  put_number(to, tile->first);
  put_number(to, tile->rows);
  size_t before = chunk->data.size, said = to->size;
  put_number(to, 0); /* count of stored numbers, set below */
  if (tile->rows >= PLACED_ROWS)
    add_columns(chunk, tile->data, tile->rows, tile->size / sizeof(double) / tile->rows);
  else
    api_buffer_add(&chunk->data, tile->data, tile->size);
  chunk->piece_count++;
  chunk->bytes += tile->size;
  if (timed) chunk->rows += tile->rows;
  if (store_chunk_failed(chunk)) return;
  uint64_t brings = (chunk->data.size - before) / sizeof(double);
  memcpy(to->data + said, &brings, sizeof brings);
  put_checksums(to, chunk->data.data + before, chunk->data.size - before);
}

bool store_chunk_is_empty(const store_chunk *chunk) { return chunk->arrays == 0 && chunk->piece_count == 0; }

bool store_chunk_failed(const store_chunk *chunk) {
  return chunk->heads.failed || chunk->pieces.failed || chunk->data.failed;
}

char *store_chunk_layout(const store_chunk *chunk, size_t *size) {
  const uint64_t counts[] = {LAYOUT_VERSION, chunk->arrays, chunk->piece_count};
  api_buffer layout = {.failed = store_chunk_failed(chunk)};
  api_buffer_add(&layout, counts, sizeof counts);
  api_buffer_add(&layout, chunk->heads.data, chunk->heads.size);
  api_buffer_add(&layout, chunk->pieces.data, chunk->pieces.size);
  if (layout.failed) api_buffer_free(&layout);
  *size = layout.size;
  return layout.data;
}

void store_chunk_free(store_chunk *chunk) {
  api_buffer_free(&chunk->heads);
  api_buffer_free(&chunk->pieces);
  api_buffer_free(&chunk->data);
  free(chunk->columns);
  *chunk = (store_chunk){0};
}

/* ---- checksums --------------------------------------------------------------------------------------------------- */

uint64_t store_checksum(const void *data, size_t size) { return XXH3_64bits(data, size); }

uint64_t store_checksum_chain(uint64_t before, uint64_t next) {
  const uint64_t both[] = {before, next};
  return store_checksum(both, sizeof both);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool take(layout_cursor *cursor, void *out, size_t size) {
  if (cursor->failed || (size_t)(cursor->end - cursor->at) < size) {
    cursor->failed = true;
    return false;
  }
  if (size > 0) memcpy(out, cursor->at, size);
  cursor->at += size;
  return true;
}

static uint64_t take_number(layout_cursor *cursor) {
  uint64_t value = 0;
  take(cursor, &value, sizeof value);
  return value;
}

static const char *take_text(layout_cursor *cursor) {
  uint64_t size = take_number(cursor);
  if (cursor->failed || size == 0) return NULL;
  if ((uint64_t)(cursor->end - cursor->at) < size || cursor->at[size - 1] != '\0') {
    cursor->failed = true;
    return NULL;
  }
  const char *text = cursor->at;
  cursor->at += size;
  return text;
}

layout_cursor store_layout_open(const void *layout, size_t size) {
  layout_cursor cursor = {.at = layout, .end = (const char *)layout + size};
  cursor.version = take_number(&cursor);
  cursor.arrays = take_number(&cursor);
  cursor.pieces = take_number(&cursor);
  cursor.failed = cursor.failed || cursor.version < 1 || cursor.version > LAYOUT_VERSION;
  return cursor;
}

bool store_layout_array(layout_cursor *cursor, store_array *array) {
  uint64_t rank = take_number(cursor);
  *array = (store_array){.rank = (int)rank};
  for (int i = 0; i < 4; i++) array->shape[i] = take_number(cursor);
  store_take_row_kind((int)take_number(cursor), &array->timeless, &array->by_run);
  array->columns = take_number(cursor);
  array->name = take_text(cursor);
  array->unit = take_text(cursor);
  array->doc = take_text(cursor);
  array->labels = take_text(cursor);
  array->units = take_text(cursor);
  if (rank < 1 || rank > 4 || !array->name) cursor->failed = true;
  return !cursor->failed;
}

bool store_layout_piece(layout_cursor *cursor, layout_piece *piece) {
  *piece = (layout_piece){.position = take_number(cursor)};
  piece->first = take_number(cursor);
  piece->rows = take_number(cursor);
  piece->brings = cursor->version == 1 ? UINT64_MAX : take_number(cursor);
  return !cursor->failed;
}

bool store_layout_numbers(layout_cursor *cursor, uint64_t *numbers, size_t count) {
  if (count > SIZE_MAX / sizeof *numbers) cursor->failed = true;
  return take(cursor, numbers, count * sizeof *numbers);
}

size_t store_layout_pages(size_t bytes) { return bytes / STORE_PAGE + (bytes % STORE_PAGE > 0); }
