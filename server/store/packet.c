/* packet.c - see packet.h. */
#include "server/store/packet.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { LAYOUT_VERSION = 2 };

/* Pieces of fewer rows are kept as they are: the places of their columns would take too much beside them. */
enum { PLACED_ROWS = 16 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_number(api_buffer *to, uint64_t value) { api_buffer_add(to, &value, sizeof value); }

static void put_text(api_buffer *to, const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  put_number(to, size);
  api_buffer_add(to, text, size);
}

void store_packet_array(store_packet *packet, const store_array *array) {
  api_buffer *to = &packet->heads;
  put_number(to, (uint64_t)array->rank);
  for (int i = 0; i < 4; i++) put_number(to, array->shape[i]);
  put_number(to, store_row_kind(array->timeless, array->by_run));
  put_number(to, array->columns);
  const char *const texts[] = {array->name, array->unit, array->doc, array->labels, array->units};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) put_text(to, texts[i]);
  packet->arrays++;
}

static uint64_t place_of(size_t number, bool same) {
  assert(number <= UINT64_MAX >> 1);
  return (uint64_t)number << 1 | same;
}

layout_place store_layout_place(uint64_t place) { return (layout_place){place >> 1, place & 1}; }

/* Where a column may be that is equal to this one; NULL: nowhere, or without memory. */
static packet_column *likely_column(store_packet *packet, const double *column, size_t rows) {
  if (!packet->columns && !(packet->columns = calloc(PACKET_COLUMNS, sizeof *packet->columns))) return NULL;
  const double some[] = {column[0], column[rows / 3], column[rows / 2], column[rows - 1]};
  return &packet->columns[store_checksum(some, sizeof some) % PACKET_COLUMNS];
}

/* Adds a column where it is not there; returns its place. */
static uint64_t add_column(store_packet *packet, const double *column, size_t rows) {
  size_t end = packet->data.size / sizeof(double), bytes = rows * sizeof(double);
  assert(rows > 1 && packet->data.size % sizeof(double) == 0);
  if (packet->data.failed) return 0; /* what is known need not be there */
  if (memcmp(column, column + 1, bytes - sizeof(double)) == 0) {
    api_buffer_add(&packet->data, column, sizeof(double));
    return place_of(end, true);
  }
  packet_column *known = likely_column(packet, column, rows);
  if (known && known->rows == rows && memcmp(packet->data.data + known->place * sizeof(double), column, bytes) == 0) {
    return place_of(known->place, false);
  }
  if (known && end + rows < UINT32_MAX) *known = (packet_column){(uint32_t)end, (uint32_t)rows};
  api_buffer_add(&packet->data, column, bytes);
  return place_of(end, false);
}

/* Adds the columns of a piece, one by one, and their places, unless all of them were new. */
static void add_columns(store_packet *packet, const double *numbers, size_t rows, size_t columns) {
  size_t before = packet->data.size, places = packet->pieces.size;
  for (size_t j = 0; j < columns; j++) put_number(&packet->pieces, add_column(packet, numbers + j * rows, rows));
  if (packet->data.size - before == rows * columns * sizeof(double)) packet->pieces.size = places;
}

static void put_checksums(api_buffer *to, const char *data, size_t size) {
  for (size_t at = 0; at < size; at += STORE_PAGE)
    put_number(to, store_checksum(data + at, size - at < STORE_PAGE ? size - at : STORE_PAGE));
}

void store_packet_piece(store_packet *packet, const store_tile *tile, bool timed) {
  api_buffer *to = &packet->pieces;
  assert(tile->rows > 0 && tile->size % (tile->rows * sizeof(double)) == 0);
  put_number(to, (uint64_t)tile->position);
  put_number(to, tile->first);
  put_number(to, tile->rows);
  size_t before = packet->data.size, said = to->size;
  put_number(to, 0); /* what it brings, below */
  if (tile->rows >= PLACED_ROWS)
    add_columns(packet, tile->data, tile->rows, tile->size / sizeof(double) / tile->rows);
  else
    api_buffer_add(&packet->data, tile->data, tile->size);
  packet->piece_count++;
  packet->bytes += tile->size;
  if (timed) packet->rows += tile->rows;
  if (store_packet_failed(packet)) return;
  uint64_t brings = (packet->data.size - before) / sizeof(double);
  memcpy(to->data + said, &brings, sizeof brings);
  put_checksums(to, packet->data.data + before, packet->data.size - before);
}

bool store_packet_is_empty(const store_packet *packet) { return packet->arrays == 0 && packet->piece_count == 0; }

bool store_packet_failed(const store_packet *packet) {
  return packet->heads.failed || packet->pieces.failed || packet->data.failed;
}

char *store_packet_layout(const store_packet *packet, size_t *size) {
  const uint64_t counts[] = {LAYOUT_VERSION, packet->arrays, packet->piece_count};
  api_buffer layout = {.failed = store_packet_failed(packet)};
  api_buffer_add(&layout, counts, sizeof counts);
  api_buffer_add(&layout, packet->heads.data, packet->heads.size);
  api_buffer_add(&layout, packet->pieces.data, packet->pieces.size);
  if (layout.failed) api_buffer_free(&layout);
  *size = layout.size;
  return layout.data;
}

void store_packet_free(store_packet *packet) {
  api_buffer_free(&packet->heads);
  api_buffer_free(&packet->pieces);
  api_buffer_free(&packet->data);
  free(packet->columns);
  *packet = (store_packet){0};
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
