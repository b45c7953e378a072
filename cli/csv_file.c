/* csv_file.c - see csv_file.h. */
#include "csv_file.h"

#include "api/formats/csv.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Writes the chosen columns. Returns false after printing an error. */
static bool write_slice(const char *path, api_slice *slice) {
  FILE *out = fopen(path, "w");
  const bool written = out && cli_memory_write(&api_format_csv, slice, out);
  const int reason = errno;
  const bool closed = !out || fclose(out) == 0;
  if (!written || !closed) fprintf(stderr, "mbs: cannot write %s: %s\n", path, strerror(written ? errno : reason));
  return written && closed;
}

bool cli_csv_file_write(const char *path, const char *columns, const mbs_array *list, size_t count) {
  cli_table table;
  char why[512];
  bool good = cli_table_open(&table, list, count, columns, why);
  if (good)
    good = write_slice(path, &table.slice);
  else
    fprintf(stderr, "mbs: %s is not written: %s%s\n", path, why, table.table.count ? "" : "; use --out DIR");
  cli_table_close(&table);
  return good;
}
