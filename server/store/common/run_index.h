/* run_index.h - where the arrays of a run lie in a database: their heads, their pieces, and the checksums of these. The
 * engine reads the layouts of parts (result_chunk.h) into it, and blobs for it. */
#ifndef SERVER_STORE_COMMON_RUN_INDEX_H
#define SERVER_STORE_COMMON_RUN_INDEX_H

#include "server/store/store.h"

/* A blob of numbers, and its pages: from one beginning to the next. */
typedef struct index_blob {
  int64_t id;          /* of the table of the run's blobs */
  size_t bytes;        /* that it must have */
  size_t page_count;   /* 0: they have no checksums */
  size_t *page_begins; /* [bytes] */
  uint64_t *page_checks;
  uint64_t *places; /* what its pieces point into */
} index_blob;

typedef struct index_piece {
  const index_blob *blob;
  size_t first, rows;     /* of the array */
  size_t begin;           /* of its columns in the blob, one after the other, where they have no places [numbers] */
  const uint64_t *places; /* one a column, for store_layout_place() */
} index_piece;

typedef struct index_array {
  service_array head; /* owned; shape[0] is not set where it has time */
  size_t columns;
  size_t rows; /* that have come, one after the other */
  index_piece *pieces;
  size_t piece_count, piece_capacity;
} index_array;

typedef struct store_run_index {
  store_run run;
  int64_t row;         /* of the run; 0: nothing is known of it */
  bool old;            /* of before there were parts: its blobs are tiles, and have no checksums */
  size_t parts;        /* that were read */
  uint64_t checksum;   /* of these */
  bool sealed;         /* that is the run's: it is over */
  index_array *arrays; /* in their order */
  size_t count, capacity;
  index_blob **blobs; /* [blob_count] */
  size_t blob_count, blob_capacity;
} store_run_index;

/* A part as it was stored. */
typedef struct index_part {
  int64_t id, number; /* of its blob; 0, 1, ... of its run */
  uint64_t checksum;  /* of its layout */
  size_t bytes;       /* of its pieces together */
  const void *layout; /* NULL: it has none */
  size_t layout_size;
} index_part;

/* Takes the next part of a run. DAMAGED: it differs from its checksum, or is another one; FAILED without memory: then
 * the index is of no use. */
service_status store_run_index_take(store_run_index *index, const index_part *part);
/* One more array, and rows of an array that are a blob by themselves, without checksums; false without memory. */
bool store_run_index_add(store_run_index *index, const store_array *array);
bool store_run_index_add_rows(store_run_index *index, index_array *array, int64_t id, size_t rows);
void store_run_index_free(store_run_index *index);

/* The rows that all arrays with time have. */
size_t store_run_index_rows(const store_run_index *index);
/* The rows of an array that are shown; `all`: as store_run_index_rows(). False: it has no time, and has not come as a
 * whole. */
bool store_run_index_shown(const index_array *array, size_t all, size_t *rows);
/* The array of a name, or NULL. */
const index_array *store_run_index_find(const store_run_index *index, const char *name);

/* The arrays that are shown, as the verb; `running`: there may be more of them. */
service_status store_run_index_list(const store_run_index *index, bool running, service_array **list, size_t *count);

/* ---- reading numbers --------------------------------------------------------------------------------------------- */

/* Rows first, first + stride, ... (`count`) of some columns, row-major into `out`. */
typedef struct index_slice {
  size_t first, stride, count;
  const size_t *columns;
  size_t column_count;
  double *out; /* NULL: they are only compared with their checksums */
} index_slice;

/* Whether an array (NULL: none) has what is asked for. */
bool store_run_index_has(const store_run_index *index, const index_array *array, const index_slice *slice);

/* How the bytes of blobs are read: at most a page at once. DAMAGED: the blob is too short. */
typedef struct index_reader {
  service_status (*read)(void *context, const store_run_index *index, const index_blob *blob, size_t begin, size_t size,
                         void *out);
  void *context;
} index_reader;

/* Reads a slice that the array has. DAMAGED: a page that it touches differs from its checksum, which is logged. */
service_status store_run_index_read(const index_reader *reader, const store_run_index *index, const index_array *array,
                                    const index_slice *slice);
/* Reads a whole array that way. */
service_status store_run_index_check(const index_reader *reader, const store_run_index *index, const index_array *array,
                                     uint64_t *bytes);
/* The time of the last row that is shown; `found`: there is one. */
service_status store_run_index_last_time(const index_reader *reader, const store_run_index *index, double *t,
                                         bool *found);
/* Tells the log that results differ from their checksums; `array` NULL: their list. DAMAGED. */
service_status store_run_index_damaged(const store_run *run, const char *array);

#endif
