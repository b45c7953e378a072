/* npz.c - see npz.h. */
#include "npz.h"

#include "api/base/buffer.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the numbers of an .npy of version 1 to 3. The header contains its own length, and says that the numbers are
 * doubles in row-major order. */
static bool take_numbers(const api_buffer *file, cli_npz_array *out) {
  const unsigned char *bytes = (const unsigned char *)file->data;
  if (file->size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return false;
  size_t prefix = bytes[6] == 1 ? 10 : 12, length = bytes[8] | (size_t)bytes[9] << 8;
  if (prefix == 12) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (length > file->size - prefix) return false;
  const char *header = file->data + prefix;
  if (!memmem(header, length, "'<f8'", 5) || !memmem(header, length, "False", 5)) return false;
  size_t begin = prefix + length;
  out->count = (file->size - begin) / sizeof(double);
  out->data = malloc((out->count + 1) * sizeof(double));
  if (!out->data) return false;
  for (size_t i = 0; i < out->count; i++) {
    uint64_t bits = 0;
    for (int k = 7; k >= 0; k--) bits = bits << 8 | bytes[begin + 8 * i + (size_t)k];
    memcpy(&out->data[i], &bits, sizeof bits);
  }
  return true;
}

static bool take_entry(struct archive *archive, struct archive_entry *entry, cli_npz_array *out) {
  api_buffer file = {0};
  char piece[1 << 16];
  la_ssize_t got;
  const char *name = archive_entry_pathname(entry);
  *out = (cli_npz_array){.data = NULL};
  snprintf(out->name, sizeof out->name, "%.250s", name ? name : "");
  size_t length = strlen(out->name);
  if (length > 4 && strcmp(out->name + length - 4, ".npy") == 0) out->name[length - 4] = '\0';
  while ((got = archive_read_data(archive, piece, sizeof piece)) > 0) api_buffer_add(&file, piece, (size_t)got);
  bool good = got == 0 && !file.failed && take_numbers(&file, out);
  api_buffer_free(&file);
  return good;
}

void cli_npz_free(cli_npz_array *arrays, size_t count) {
  for (size_t i = 0; i < count; i++) free(arrays[i].data);
  free(arrays);
}

cli_npz_array *cli_npz_read(const char *path, size_t *count) {
  struct archive *archive = archive_read_new();
  struct archive_entry *entry;
  cli_npz_array *arrays = calloc(1, sizeof *arrays);
  *count = 0;
  bool good = archive && arrays && archive_read_support_format_zip(archive) == ARCHIVE_OK &&
              archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK;
  int next = ARCHIVE_EOF;
  while (good && (next = archive_read_next_header(archive, &entry)) == ARCHIVE_OK) {
    cli_npz_array *more = realloc(arrays, (*count + 1) * sizeof *arrays);
    good = more && take_entry(archive, entry, &more[*count]);
    if (more) arrays = more;
    *count += more != NULL;
  }
  if (archive) archive_read_free(archive);
  if (good && next == ARCHIVE_EOF) return arrays;
  fprintf(stderr, "mbs: %s: not an .npz file of results, or damaged\n", path);
  cli_npz_free(arrays, *count);
  return NULL;
}
