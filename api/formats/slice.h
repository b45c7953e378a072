/* slice.h - a slice of a result array, read from the service block by block, so that only the requested part is
 * read. */
#ifndef API_FORMATS_SLICE_H
#define API_FORMATS_SLICE_H

#include "api/service.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { API_RANK_MAX = 4 };

/* The array of the reporting times. */
#define API_TIMES "T"

/* Rows that were read in advance. */
typedef struct api_slice_cache api_slice_cache;

typedef struct api_slice {
  const service *service;
  char id[SERVICE_ID_SIZE];
  service_array array; /* owned */
  json_t *labels;      /* array of strings, one for each column of the whole array */
  json_t *units;       /* array of strings; NULL: not known */
  /* The slice: rows first, first + stride, ... of the columns [column_count]. */
  size_t first, stride, count;
  size_t *columns;
  size_t column_count;
  bool chosen; /* columns were chosen: the slice has rank 2 */
  /* State of the reading. */
  size_t done;         /* number of rows that were returned */
  const double *block; /* the last rows that were returned */
  size_t non_finite;   /* number of non-finite values among all that were returned */
  api_slice_cache *cache;
} api_slice;

/* Opens the whole of an array of job `id`, and takes ownership of `array`. Returns false if memory runs out; close the
 * slice in any case. The service `source` must outlive it. */
bool api_slice_open(api_slice *slice, const service *source, const char *id, service_array *array);
/* Selects the columns whose labels `list` contains, separated by commas, in that order; a label may contain commas.
 * Returns false if a label is unknown, and names it in `why`. */
bool api_slice_choose(api_slice *slice, const char *list, char why[512]);
/* Selects these columns. They must be columns of the array. */
void api_slice_take(api_slice *slice, const size_t *columns, size_t count);
/* Selects the rows from the first time >= `from` to the last one <= `to` (within 1e-9 relative; NaN: no bound), and of
 * those every `stride`-th. Reads only single times, by bisection. */
service_status api_slice_cut(api_slice *slice, double from, double to, size_t stride);
/* Selects the rows from number `from` up to, but not including, number `to`, and of those every `stride`-th. */
void api_slice_rows(api_slice *slice, size_t from, size_t to, size_t stride);
/* Reads the next rows of the slice into slice->block, rows x column_count: some kilobytes, or one row. Returns their
 * number, 0 at the end, -1 if they cannot be read. */
ssize_t api_slice_next(api_slice *slice);
/* Makes the next read begin at this row of the slice. `non_finite` is no longer valid then. */
void api_slice_seek(api_slice *slice, size_t row);
/* Frees rows that were read in advance; they are read again when needed. */
void api_slice_drop_buffer(api_slice *slice);
/* Copies the times of rows `first` to `first + count` of the slice, which must be the last rows that were returned. */
bool api_slice_times(const api_slice *slice, size_t first, size_t count, double *times);
/* Writes the shape of the slice; returns its rank. */
int api_slice_shape(const api_slice *slice, size_t shape[API_RANK_MAX]);
/* Returns the label of a column of the slice. */
const char *api_slice_label(const api_slice *slice, size_t column);
/* Returns the unit of a column; "" if it has none or it is not known. */
const char *api_slice_unit(const api_slice *slice, size_t column);
void api_slice_close(api_slice *slice);

#endif
