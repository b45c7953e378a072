/* run_index.h - where the arrays of a run lie in results.db: their heads, their pieces, and the checksums of these. */
#ifndef SERVER_STORE_SQLITE_RUN_INDEX_H
#define SERVER_STORE_SQLITE_RUN_INDEX_H

#include "server/store/sqlite/db.h"
#include "server/store/store.h"

/* A blob of numbers, and its pages: from one beginning to the next. */
typedef struct index_blob {
  sqlite3_int64 id;    /* of the table of the run's blobs */
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
  const uint64_t *places; /* one a column, for sqlite_layout_place() */
} index_piece;

typedef struct index_array {
  service_array head; /* owned; shape[0] is not set where it has time */
  size_t columns;
  size_t rows; /* that have come, one after the other */
  index_piece *pieces;
  size_t piece_count, piece_capacity;
} index_array;

typedef struct sqlite_run_index {
  store_run run;
  sqlite3_int64 row;   /* of the run; 0: nothing is known of it */
  bool old;            /* of before there were parts: its blobs are tiles, and have no checksums */
  size_t parts;        /* that were read */
  uint64_t checksum;   /* of these */
  bool sealed;         /* that is the run's: it is over */
  index_array *arrays; /* in their order */
  size_t count, capacity;
  index_blob **blobs; /* [blob_count] */
  size_t blob_count, blob_capacity;
} sqlite_run_index;

/* Brings an index up to date for a run; one of another run, or {0}, is made anew. NOT_FOUND: there is no such run.
 * DAMAGED: it differs from its checksums, which is logged. The caller frees it in any case. */
service_status sqlite_run_index_load(sqlite_db *results, const store_run *run, sqlite_run_index *index);
void sqlite_run_index_free(sqlite_run_index *index);

/* The rows that all arrays with time have. */
size_t sqlite_run_index_rows(const sqlite_run_index *index);
/* The rows of an array that are shown; `all`: as sqlite_run_index_rows(). False: it has no time, and has not come as a
 * whole. */
bool sqlite_run_index_shown(const index_array *array, size_t all, size_t *rows);
/* The array of a name, or NULL. */
const index_array *sqlite_run_index_find(const sqlite_run_index *index, const char *name);

/* ---- reading numbers --------------------------------------------------------------------------------------------- */

/* Rows first, first + stride, ... (`count`) of some columns, row-major into `out`. */
typedef struct index_slice {
  size_t first, stride, count;
  const size_t *columns;
  size_t column_count;
  double *out; /* NULL: they are only compared with their checksums */
} index_slice;

/* Reads a slice that the array has. DAMAGED: a page that it touches differs from its checksum, which is logged. */
service_status sqlite_run_index_read(sqlite_db *results, const sqlite_run_index *index, const index_array *array,
                                     const index_slice *slice);
/* Reads a whole array that way. */
service_status sqlite_run_index_check(sqlite_db *results, const sqlite_run_index *index, const index_array *array,
                                      uint64_t *bytes);
/* Tells the log that results differ from their checksums; `array` NULL: their list. DAMAGED. */
service_status sqlite_run_index_damaged(const store_run *run, const char *array);

#endif
