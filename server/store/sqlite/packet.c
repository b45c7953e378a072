/* packet.c - see packet.h. */
#include "server/store/sqlite/packet.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { LAYOUT_VERSION = 1 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put(sqlite_packet *packet, packet_bytes *to, const void *data, size_t size) {
  if (to->capacity - to->size < size) {
    size_t capacity = 2 * to->capacity + size + 256;
    char *larger = realloc(to->data, capacity);
    if (!larger) {
      packet->failed = true;
      return;
    }
    to->data = larger;
    to->capacity = capacity;
  }
  if (size > 0) memcpy(to->data + to->size, data, size);
  to->size += size;
}

static void put_number(sqlite_packet *packet, packet_bytes *to, uint64_t value) {
  put(packet, to, &value, sizeof value);
}

static void put_text(sqlite_packet *packet, packet_bytes *to, const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  put_number(packet, to, size);
  if (text) put(packet, to, text, size);
}

void sqlite_packet_array(sqlite_packet *packet, const store_array *array) {
  packet_bytes *to = &packet->heads;
  put_number(packet, to, (uint64_t)array->rank);
  for (int i = 0; i < 4; i++) put_number(packet, to, array->shape[i]);
  put_number(packet, to, array->timeless);
  put_number(packet, to, array->columns);
  const char *const texts[] = {array->name, array->unit, array->doc, array->labels, array->units};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) put_text(packet, to, texts[i]);
  packet->arrays++;
}

void sqlite_packet_piece(sqlite_packet *packet, const store_tile *tile, bool timed) {
  packet_bytes *to = &packet->pieces;
  put_number(packet, to, (uint64_t)tile->position);
  put_number(packet, to, tile->first);
  put_number(packet, to, tile->rows);
  for (size_t at = 0; at < tile->size; at += SQLITE_PAGE) {
    size_t left = tile->size - at;
    put_number(packet, to, sqlite_checksum((const char *)tile->data + at, left < SQLITE_PAGE ? left : SQLITE_PAGE));
  }
  put(packet, &packet->data, tile->data, tile->size);
  packet->piece_count++;
  if (timed) packet->rows += tile->rows;
}

bool sqlite_packet_is_empty(const sqlite_packet *packet) { return packet->arrays == 0 && packet->piece_count == 0; }

char *sqlite_packet_layout(const sqlite_packet *packet, size_t *size) {
  const uint64_t counts[] = {LAYOUT_VERSION, packet->arrays, packet->piece_count};
  *size = sizeof counts + packet->heads.size + packet->pieces.size;
  char *layout = packet->failed ? NULL : malloc(*size);
  if (!layout) return NULL;
  memcpy(layout, counts, sizeof counts);
  char *at = layout + sizeof counts;
  if (packet->heads.size > 0) memcpy(at, packet->heads.data, packet->heads.size);
  if (packet->pieces.size > 0) memcpy(at + packet->heads.size, packet->pieces.data, packet->pieces.size);
  return layout;
}

void sqlite_packet_free(sqlite_packet *packet) {
  free(packet->heads.data);
  free(packet->pieces.data);
  free(packet->data.data);
  *packet = (sqlite_packet){0};
}

/* ---- checksums --------------------------------------------------------------------------------------------------- */

uint64_t sqlite_checksum(const void *data, size_t size) { return XXH3_64bits(data, size); }

uint64_t sqlite_checksum_chain(uint64_t before, uint64_t next) {
  const uint64_t both[] = {before, next};
  return sqlite_checksum(both, sizeof both);
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

layout_cursor sqlite_layout_open(const void *layout, size_t size) {
  layout_cursor cursor = {.at = layout, .end = (const char *)layout + size};
  uint64_t version = take_number(&cursor);
  cursor.arrays = take_number(&cursor);
  cursor.pieces = take_number(&cursor);
  cursor.failed = cursor.failed || version != LAYOUT_VERSION;
  return cursor;
}

bool sqlite_layout_array(layout_cursor *cursor, store_array *array) {
  uint64_t rank = take_number(cursor);
  *array = (store_array){.rank = (int)rank};
  for (int i = 0; i < 4; i++) array->shape[i] = take_number(cursor);
  array->timeless = take_number(cursor) != 0;
  array->columns = take_number(cursor);
  array->name = take_text(cursor);
  array->unit = take_text(cursor);
  array->doc = take_text(cursor);
  array->labels = take_text(cursor);
  array->units = take_text(cursor);
  if (rank < 1 || rank > 4 || !array->name) cursor->failed = true;
  return !cursor->failed;
}

bool sqlite_layout_piece(layout_cursor *cursor, layout_piece *piece) {
  piece->position = take_number(cursor);
  piece->first = take_number(cursor);
  piece->rows = take_number(cursor);
  return !cursor->failed;
}

bool sqlite_layout_checksums(layout_cursor *cursor, uint64_t *checksums, size_t count) {
  return take(cursor, checksums, count * sizeof *checksums);
}

size_t sqlite_layout_pages(size_t bytes) { return bytes / SQLITE_PAGE + (bytes % SQLITE_PAGE > 0); }
