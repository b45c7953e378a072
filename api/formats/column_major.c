/* column_major.c - see column_major.h. */
#include "api/formats/column_major.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Size from which an array is mapped from a file. */
static const size_t large_bytes = (size_t)1 << 20;

/* Maps the array from a temporary file. The mapping outlives the descriptor. */
static service_status map(api_column_major *self, const api_temp_file *scratch) {
  int file = api_temp_file_open(scratch);
  if (file < 0) return SERVICE_FAILED;
  service_status status = SERVICE_NO_SPACE;
  if (api_temp_file_reserve(scratch, file, self->bytes) && ftruncate(file, (off_t)self->bytes) == 0) {
    void *data = mmap(NULL, self->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    self->mapped = data != MAP_FAILED;
    if (self->mapped) self->numbers = data;
    status = self->mapped ? SERVICE_OK : SERVICE_FAILED;
  }
  close(file);
  return status;
}

/* Returns the column-major position of a column, counted in row-major order over all indices but the first. */
static size_t column_major_index(const service_array *array, size_t column) {
  size_t place = 0, step = 1;
  for (int i = 1; i < array->rank; i++) step *= array->shape[i];
  for (int i = array->rank - 1; i > 0; i--) {
    step /= array->shape[i];
    place += column % array->shape[i] * step;
    column /= array->shape[i];
  }
  assert(column == 0 && step == 1);
  return place;
}

static void put(const api_column_major *self, const api_slice *slice, size_t first, size_t rows) {
  assert(first + rows <= slice->count && !slice->chosen);
  for (size_t k = 0; k < slice->column_count; k++) {
    double *column = self->numbers + column_major_index(&slice->array, k) * slice->count + first;
    for (size_t i = 0; i < rows; i++) column[i] = slice->block[i * slice->column_count + k];
  }
}

service_status api_column_major_open(api_column_major *self, api_slice *slice, const api_temp_file *scratch) {
  assert(slice->done == 0);
  *self = (api_column_major){.bytes = slice->count * slice->column_count * sizeof(double)};
  if (self->bytes >= large_bytes) {
    service_status status = map(self, scratch);
    if (status != SERVICE_OK) return status;
  } else {
    self->numbers = malloc(self->bytes + 1);
    if (!self->numbers) return SERVICE_FAILED;
  }
  for (;;) {
    size_t first = slice->done;
    ssize_t rows = api_slice_next(slice);
    if (rows < 0) return SERVICE_FAILED;
    if (rows == 0) return SERVICE_OK;
    put(self, slice, first, (size_t)rows);
  }
}

void api_column_major_close(api_column_major *self) {
  if (self->mapped)
    munmap(self->numbers, self->bytes);
  else
    free(self->numbers);
  *self = (api_column_major){0};
}
