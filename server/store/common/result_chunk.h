/* result_chunk.h - a part of a run's results as it is put together: heads of arrays, pieces of arrays, checksums.
 *
 * The layout of a part is a list of 64-bit numbers and of texts (their size with the final 0, 0 for none, then their
 * bytes), little-endian as the numbers of the arrays:
 *
 *     version, arrays, pieces
 *     an array: rank, shape[4], timeless, columns, name, unit, doc, labels, units
 *     a piece:  position of its array, first row, rows, how many numbers it brings; where these are fewer than it
 *               has, a place for each of its columns; a checksum of each STORE_PAGE bytes of what it brings
 *
 * What the pieces bring lies in the data of the part, one after the other. The place of a column says where in the data
 * its numbers begin: columns that are equal, bit for bit, lie in one place, and of a column whose numbers are all the
 * same there is one. (Much of a Jacobian is 0 or 1; positions stand in several arrays.) In version 1 a piece brings all
 * that it has, and does not say so.
 *
 * A slice of an array is verified by the pages that it touches, so that a few rows of a large array stay cheap; the
 * checksums are found through the layout, which has one itself, and these together make the checksum of the run. So
 * nothing can change alone. The checksum is XXH3 with 64 bits, several times faster than the disk. */
#ifndef SERVER_STORE_COMMON_RESULT_CHUNK_H
#define SERVER_STORE_COMMON_RESULT_CHUNK_H

#include "api/base/buffer.h"
#include "server/store/store.h"

enum { STORE_PAGE = 16 << 10 };

/* Columns of a chunk that another one may be equal to: the last of each hash. */
enum { PACKET_COLUMNS = 1024 };

typedef struct chunk_column {
  uint32_t place, rows; /* in numbers; rows 0: there is none */
} chunk_column;

typedef struct store_chunk {
  api_buffer heads, pieces, data;
  chunk_column *columns; /* [PACKET_COLUMNS]; NULL: none yet */
  size_t arrays, piece_count;
  size_t rows;  /* of arrays with time, together */
  size_t bytes; /* of all pieces, as they came */
} store_chunk;

/* A part of a run, ready to be written. */
typedef struct store_part {
  store_run run;
  int number;
  store_chunk chunk;
  char *layout;
  size_t layout_size;
} store_part;

void store_chunk_array(store_chunk *chunk, const store_array *array);
/* `timed`: of an array with time. */
void store_chunk_piece(store_chunk *chunk, const store_tile *tile, bool timed);
bool store_chunk_is_empty(const store_chunk *chunk);
/* Out of memory: not all that came is in it. */
bool store_chunk_failed(const store_chunk *chunk);
/* Its layout, malloc'd; NULL without memory, now or before. */
char *store_chunk_layout(const store_chunk *chunk, size_t *size);
void store_chunk_free(store_chunk *chunk);

/* ---- checksums ------------------------------------------------------------------------------------------------- */

uint64_t store_checksum(const void *data, size_t size);
/* The checksum of a run, from that of the parts before and of the next one; 0 before the first. */
uint64_t store_checksum_chain(uint64_t before, uint64_t next);

/* ---- reading a layout ------------------------------------------------------------------------------------------ */

typedef struct layout_cursor {
  const char *at, *end;
  bool failed; /* it ends too early, or is of another version */
  uint64_t version;
  uint64_t arrays, pieces;
} layout_cursor;

layout_cursor store_layout_open(const void *layout, size_t size);
/* The next array; its texts point into the layout. */
bool store_layout_array(layout_cursor *cursor, store_array *array);

/* Where a column is: at a number of the data; `same`: there is one for all rows. */
typedef struct layout_place {
  size_t number;
  bool same;
} layout_place;

typedef struct layout_piece {
  uint64_t position, first, rows;
  uint64_t brings; /* numbers; in version 1 it is not said: UINT64_MAX */
} layout_piece;

bool store_layout_piece(layout_cursor *cursor, layout_piece *piece);
/* Copies as many numbers as they are: places of columns, checksums. */
bool store_layout_numbers(layout_cursor *cursor, uint64_t *numbers, size_t count);
layout_place store_layout_place(uint64_t place);
/* How many checksums so many bytes have. */
size_t store_layout_pages(size_t bytes);

#endif
