/* slice.h - a slice of a result array, read from the service block by block, so that only what is asked for is read. */
#ifndef API_FORMATS_SLICE_H
#define API_FORMATS_SLICE_H

#include "api/service.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { API_RANK_MAX = 4 };

/* The array that holds the reporting times. */
#define API_TIMES "T"

/* Rows that were read in advance. */
typedef struct api_slice_cache api_slice_cache;

typedef struct api_slice {
  const service *service;
  char id[SERVICE_ID_SIZE];
  service_array array; /* owned */
  json_t *labels;      /* array of strings, one a column of the whole array */
  json_t *units;       /* likewise; NULL: not known */
  /* The slice: rows first, first + stride, ... of the columns [column_count]. */
  size_t first, stride, count;
  size_t *columns;
  size_t column_count;
  bool chosen; /* columns were chosen: the slice has rank 2 */
  /* Reading. */
  size_t done;         /* rows that were handed out */
  const double *block; /* those that were handed out last */
  size_t non_finite;   /* numbers among all that were handed out that are not finite */
  api_slice_cache *cache;
} api_slice;

/* The whole of an array of job `id`; takes `array` over. False when there is no memory; free the slice all the same.
 * The service `source` must outlive it. */
bool api_slice_open(api_slice *slice, const service *source, const char *id, service_array *array);
/* Keeps the columns whose labels `list` names, separated by commas, in that order; a label may have commas itself.
 * False where one is unknown, which `why` names. */
bool api_slice_choose(api_slice *slice, const char *list, char why[512]);
/* Keeps the rows from the first time >= `from` to the last one <= `to` (within 1e-9 relative; NaN: no bound), and of
 * those every `stride`-th. Reads single times only, by bisection. */
service_status api_slice_cut(api_slice *slice, double from, double to, size_t stride);
/* Keeps the rows from number `from` on, up to number `to` and without it, and of those every `stride`-th. */
void api_slice_rows(api_slice *slice, size_t from, size_t to, size_t stride);
/* Hands out the next rows of the slice as slice->block, rows x column_count: some kilobytes, or one row. Returns their
 * number, 0 past the end, -1 when they cannot be read. */
ssize_t api_slice_next(api_slice *slice);
/* Rows are handed out from this one of the slice on; `non_finite` then counts no longer. */
void api_slice_seek(api_slice *slice, size_t row);
/* Frees what was read in advance, which is read again when it is wanted. */
void api_slice_drop_buffer(api_slice *slice);
/* Times of rows `first` to `first + count` of the slice, which were handed out last. */
bool api_slice_times(const api_slice *slice, size_t first, size_t count, double *times);
/* The shape of the slice; returns its rank. */
int api_slice_shape(const api_slice *slice, size_t shape[API_RANK_MAX]);
/* The label of a column of the slice. */
const char *api_slice_label(const api_slice *slice, size_t column);
/* Its unit, "" where it has none or none is known. */
const char *api_slice_unit(const api_slice *slice, size_t column);
void api_slice_close(api_slice *slice);

#endif
