/* packet.h - a part of a run's results as it is put together: heads of arrays, pieces of arrays, checksums.
 *
 * The layout of a part is a list of 64-bit numbers and of texts (their size with the final 0, 0 for none, then their
 * bytes), little-endian as the numbers of the arrays:
 *
 *     version, arrays, pieces
 *     an array: rank, shape[4], timeless, columns, name, unit, doc, labels, units
 *     a piece:  position of its array, first row, rows, then a checksum of each SQLITE_PAGE bytes of it
 *
 * The pieces lie in the data of the part one after the other. A slice of an array is verified by the pages that it
 * touches, so that a few rows of a large array stay cheap; the checksums are found through the layout, which has one
 * itself, and these together make the checksum of the run. So nothing can change alone. The checksum is XXH3 with 64
 * bits, several times faster than the disk. */
#ifndef SERVER_STORE_SQLITE_PACKET_H
#define SERVER_STORE_SQLITE_PACKET_H

#include "server/store/store.h"

enum { SQLITE_PAGE = 16 << 10 };

typedef struct packet_bytes {
  char *data;
  size_t size, capacity;
} packet_bytes;

typedef struct sqlite_packet {
  packet_bytes heads, pieces, data;
  size_t arrays, piece_count;
  size_t rows; /* of arrays with time, together */
  bool failed; /* out of memory */
} sqlite_packet;

/* A part of a run, ready to be written. */
typedef struct sqlite_part {
  store_run run;
  int number;
  sqlite_packet packet;
  char *layout;
  size_t layout_size;
} sqlite_part;

void sqlite_packet_array(sqlite_packet *packet, const store_array *array);
/* `timed`: of an array with time. */
void sqlite_packet_piece(sqlite_packet *packet, const store_tile *tile, bool timed);
bool sqlite_packet_is_empty(const sqlite_packet *packet);
/* Its layout, malloc'd; NULL without memory, now or before. */
char *sqlite_packet_layout(const sqlite_packet *packet, size_t *size);
void sqlite_packet_free(sqlite_packet *packet);

/* ---- checksums ------------------------------------------------------------------------------------------------- */

uint64_t sqlite_checksum(const void *data, size_t size);
/* The checksum of a run, from that of the parts before and of the next one; 0 before the first. */
uint64_t sqlite_checksum_chain(uint64_t before, uint64_t next);

/* ---- reading a layout ------------------------------------------------------------------------------------------ */

typedef struct layout_cursor {
  const char *at, *end;
  bool failed; /* it ends too early, or is of another version */
  uint64_t arrays, pieces;
} layout_cursor;

layout_cursor sqlite_layout_open(const void *layout, size_t size);
/* The next array; its texts point into the layout. */
bool sqlite_layout_array(layout_cursor *cursor, store_array *array);

typedef struct layout_piece {
  uint64_t position, first, rows;
} layout_piece;

bool sqlite_layout_piece(layout_cursor *cursor, layout_piece *piece);
/* Copies the checksums of that piece. */
bool sqlite_layout_checksums(layout_cursor *cursor, uint64_t *checksums, size_t count);
/* How many checksums a piece of so many bytes has. */
size_t sqlite_layout_pages(size_t bytes);

#endif
