/* format_npy.c - NumPy's .npy of a slice. */
#include "formats.h"
#include "npy.h"

static bool npy_begin(const api_table *table, api_buffer *out) {
  size_t shape[API_RANK_MAX];
  int rank = api_table_shape(table, shape);
  api_npy_header(out, shape, rank);
  return true;
}

static bool npy_rows(const api_table *table, size_t first, size_t count, api_buffer *out) {
  (void)first;
  api_buffer_add(out, table->block, count * table->column_count * sizeof *table->block);
  return true;
}

static void npy_end(const api_table *table, api_buffer *out) { (void)table, (void)out; }

const api_format api_format_npy = {
    "npy", "application/x-npy", "application/x-npy|application/octet-stream", npy_begin, npy_rows, npy_end,
};
