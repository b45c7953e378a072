/* run_index.h - index of the arrays of a run in a database: their headers, their pieces, and the checksums of these.
 *
 * The engine reads the layouts of parts (result_chunk.h) into it, and reads blobs for it. */
#ifndef SERVER_STORE_COMMON_RUN_INDEX_H
#define SERVER_STORE_COMMON_RUN_INDEX_H

#include "server/store/store.h"

/* A blob of numbers, and its pages, which begin at the pieces and every STORE_PAGE bytes. */
typedef struct index_blob {
  int64_t id;          /* id in the table of the run's blobs */
  size_t bytes;        /* expected size */
  size_t page_count;   /* number of checksums; 0: none */
  size_t *page_begins; /* [bytes] */
  uint64_t *page_checks;
  uint64_t *places; /* places of columns; its pieces point into them */
} index_blob;

typedef struct index_piece {
  const index_blob *blob;
  size_t first, rows;     /* rows of the array */
  size_t begin;           /* begin of its columns in the blob, one after the other, if they have no places [numbers] */
  const uint64_t *places; /* places of the columns, for store_layout_column() */
} index_piece;

typedef struct index_array {
  service_array head; /* owned; shape[0] is not set if the array has time */
  size_t columns;
  size_t rows; /* rows received without a gap */
  index_piece *pieces;
  size_t piece_count, piece_capacity;
} index_array;

typedef struct store_run_index {
  store_run run;
  int64_t row;         /* row of the run; 0: unknown */
  bool old;            /* stored before parts existed: its blobs are tiles and have no checksums */
  size_t parts;        /* number of parts read */
  uint64_t checksum;   /* checksum of these parts */
  bool sealed;         /* the checksum is the final one: the run is over */
  index_array *arrays; /* [count], in the order of their positions */
  size_t count, capacity;
  index_blob **blobs; /* [blob_count] */
  size_t blob_count, blob_capacity;
} store_run_index;

/* A part as stored in the database. */
typedef struct index_part {
  int64_t id, number; /* id of its blob; 0, 1, ... in its run */
  uint64_t checksum;  /* checksum of its layout */
  size_t bytes;       /* bytes of its pieces together */
  const void *layout; /* stored layout; NULL: missing */
  size_t layout_size;
} index_part;

/* Adds the next part of a run. Returns DAMAGED if it differs from its checksum or is not the next part, FAILED if
 * memory runs out; then the index is unusable. */
service_status store_run_index_take(store_run_index *index, const index_part *part);
/* Adds an array, or rows of an array that are a separate blob without checksums. Return false if memory runs out. */
bool store_run_index_add(store_run_index *index, const store_array *array);
bool store_run_index_add_rows(store_run_index *index, index_array *array, int64_t id, size_t rows);
void store_run_index_free(store_run_index *index);

/* Returns the number of rows that all arrays with time have. */
size_t store_run_index_rows(const store_run_index *index);
/* Gets the number of visible rows of an array; `all`: from store_run_index_rows(). Returns false if the array has no
 * time and is incomplete. */
bool store_run_index_shown(const index_array *array, size_t all, size_t *rows);
/* Returns the array of a name, or NULL. */
const index_array *store_run_index_find(const store_run_index *index, const char *name);

/* Lists the visible arrays, as the verb arrays; `running`: more arrays may follow. */
service_status store_run_index_list(const store_run_index *index, bool running, service_array **list, size_t *count);

/* ---- reading numbers --------------------------------------------------------------------------------------------- */

/* Rows first, first + stride, ... (`count`) of some columns; written row-major to `out`. */
typedef struct index_slice {
  size_t first, stride, count;
  const size_t *columns;
  size_t column_count;
  double *out; /* output; NULL: only compare with the checksums */
} index_slice;

/* Returns true if an array (NULL: none) contains the slice. */
bool store_run_index_has(const store_run_index *index, const index_array *array, const index_slice *slice);

/* Reads the bytes of blobs, at most a page in a call. Returns DAMAGED if the blob is too short. */
typedef struct index_reader {
  service_status (*read)(void *context, const store_run_index *index, const index_blob *blob, size_t begin, size_t size,
                         void *out);
  void *context;
} index_reader;

/* Reads a slice that the array contains. Returns DAMAGED if a page that it touches differs from its checksum, and logs
 * it. */
service_status store_run_index_read(const index_reader *reader, const store_run_index *index, const index_array *array,
                                    const index_slice *slice);
/* Reads a whole array and compares it with its checksums. */
service_status store_run_index_check(const index_reader *reader, const store_run_index *index, const index_array *array,
                                     uint64_t *bytes);
/* Gets the time of the last visible row; `found`: there is one. */
service_status store_run_index_last_time(const index_reader *reader, const store_run_index *index, double *t,
                                         bool *found);
/* Logs that results differ from their checksums; `array` NULL: the list of arrays. Returns DAMAGED. */
service_status store_run_index_damaged(const store_run *run, const char *array);

#endif
