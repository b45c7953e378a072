/* result_chunk.h - a part of a run's results during its construction: headers of arrays, pieces of arrays, checksums.
 *
 * The layout of a part is a list of 64-bit numbers and texts (size with the final 0, or 0 for no text, then the bytes),
 * little-endian like the numbers of the arrays:
 *
 *     version, arrays, pieces
 *     an array: rank, shape[4], timeless, columns, name, unit, doc, labels, units
 *     a piece:  position of its array, first row, rows, count of stored numbers; if the piece stores fewer
 *               numbers than it has, a place for each of its columns; a checksum of each STORE_PAGE stored bytes
 *
 * The data of the part contains the stored numbers of the pieces, one piece after the other. The place of a column is
 * the index in the data at which its numbers begin. Columns that are equal, bit for bit, share one place; a column
 * whose numbers are all the same stores one number. (Many entries of a Jacobian are 0 or 1; positions appear in several
 * arrays.) In version 1 a piece stores all its numbers and has no count.
 *
 * Reading a slice verifies only the pages that it touches, so that a few rows of a large array are cheap to read. The
 * layout contains the checksums of the pages and has one itself; these together give the checksum of the run. So every
 * change of a byte is detected. The checksum is XXH3 with 64 bits, several times faster than the disk. */
#ifndef SERVER_STORE_COMMON_RESULT_CHUNK_H
#define SERVER_STORE_COMMON_RESULT_CHUNK_H

#include "api/base/buffer.h"
#include "server/store/store.h"

enum { STORE_PAGE = 16 << 10 };

/* Columns of a chunk that later columns are compared with: the last one of each hash. */
enum { CHUNK_COLUMNS = 1024 };

typedef struct chunk_column {
  uint32_t place, rows; /* position and length in numbers; rows 0: empty */
} chunk_column;

typedef struct store_chunk {
  api_buffer heads, pieces, data;
  chunk_column *columns; /* [CHUNK_COLUMNS]; NULL until the first piece */
  size_t arrays, piece_count;
  size_t rows;  /* total rows of arrays with time */
  size_t bytes; /* bytes of all pieces, as received */
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
/* `timed`: the array has rows in time. */
void store_chunk_piece(store_chunk *chunk, const store_tile *tile, bool timed);
bool store_chunk_is_empty(const store_chunk *chunk);
/* Returns true if memory ran out; then the chunk is incomplete. */
bool store_chunk_failed(const store_chunk *chunk);
/* Returns the layout, malloc'd; NULL if memory runs out or ran out before. */
char *store_chunk_layout(const store_chunk *chunk, size_t *size);
void store_chunk_free(store_chunk *chunk);

/* ---- checksums ------------------------------------------------------------------------------------------------- */

uint64_t store_checksum(const void *data, size_t size);
/* Returns the checksum of a run from the checksum of the parts before (0 for the first part) and that of the next
 * part. */
uint64_t store_checksum_chain(uint64_t before, uint64_t next);

/* ---- reading a layout ------------------------------------------------------------------------------------------ */

typedef struct layout_cursor {
  const char *at, *end;
  bool failed; /* the data ends too early, or has an unknown version */
  uint64_t version;
  uint64_t arrays, pieces;
} layout_cursor;

layout_cursor store_layout_open(const void *layout, size_t size);
/* Reads the next array; its texts point into the layout. */
bool store_layout_array(layout_cursor *cursor, store_array *array);

/* Location of a column: index in the data; `same`: one number is stored for all rows. */
typedef struct layout_column {
  size_t number;
  bool same;
} layout_column;

typedef struct layout_piece {
  uint64_t position, first, rows;
  uint64_t brings; /* stored numbers; UINT64_MAX in version 1, which does not contain the count */
} layout_piece;

bool store_layout_piece(layout_cursor *cursor, layout_piece *piece);
/* Copies `count` numbers without interpretation: places of columns, checksums. */
bool store_layout_numbers(layout_cursor *cursor, uint64_t *numbers, size_t count);
layout_column store_layout_column(uint64_t place);
/* Returns the number of checksums of `bytes` bytes. */
size_t store_layout_pages(size_t bytes);

#endif
