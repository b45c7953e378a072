/* npy.c - see npy.h. Layout: "\x93NUMPY", version 1.0, length of the text in two bytes, the text: a Python dictionary
 * padded with spaces and closed with a newline, so that the numbers begin at a multiple of 64. */
#include "api/formats/npy.h"

#include <assert.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

enum { PREAMBLE = 10, ALIGNMENT = 64 };

void api_npy_header(api_buffer *out, const size_t *shape, int rank) {
  api_buffer text = {0};
  api_buffer_text(&text, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
  for (int i = 0; i < rank; i++) api_buffer_print(&text, "%zu,", shape[i]);
  api_buffer_text(&text, "), }");
  size_t padding = ALIGNMENT - (PREAMBLE + text.size + 1) % ALIGNMENT;
  char *spaces = api_buffer_extend(&text, padding);
  if (spaces) memset(spaces, ' ', padding);
  api_buffer_text(&text, "\n");

  assert(text.failed || (text.size < 1 << 16 && (PREAMBLE + text.size) % ALIGNMENT == 0));
  const unsigned char preamble[PREAMBLE] = {
      0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(text.size & 0xff), (unsigned char)(text.size >> 8)};
  api_buffer_add(out, preamble, sizeof preamble);
  api_buffer_add(out, text.data, text.size);
  if (text.failed) out->failed = true;
  api_buffer_free(&text);
}

uint64_t api_npy_size(const size_t *shape, int rank) {
  api_buffer header = {0};
  api_npy_header(&header, shape, rank);
  uint64_t numbers = 1;
  for (int i = 0; i < rank; i++) numbers *= shape[i];
  uint64_t size = header.failed ? 0 : header.size + numbers * sizeof(double);
  api_buffer_free(&header);
  return size;
}

static bool npy_begin(const api_slice *slice, api_buffer *out) {
  size_t shape[API_RANK_MAX];
  int rank = api_slice_shape(slice, shape);
  api_npy_header(out, shape, rank);
  return true;
}

static bool npy_rows(const api_slice *slice, size_t first, size_t count, api_buffer *out) {
  (void)first;
  assert(slice->block && first + count == slice->done);
  api_buffer_add(out, slice->block, count * slice->column_count * sizeof *slice->block);
  return true;
}

static void npy_end(const api_slice *slice, api_buffer *out) { (void)slice, (void)out; }

const api_format api_format_npy = {
    "npy", "application/x-npy", "application/x-npy|application/octet-stream", npy_begin, npy_rows, npy_end,
};
