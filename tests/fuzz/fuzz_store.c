/* fuzz_store.c - any bytes as the data of a run in results.db: the reader finds readable arrays, or reports damage. The
 * checksums of the layouts are corrected, so that the layouts are examined. */
#include "embedded.h"
#include "server/base/log.h"
#include "server/store/common/result_chunk.h"
#include "server/store/sqlite/results/run_loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PARTS = 3, MOST_READ = 64 };

static void require(bool condition) {
  if (!condition) abort();
}

static void run_sql(sqlite_db *db, const char *sql) {
  require(sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK);
}

/* Returns an empty results.db in memory, of the newest version. */
static sqlite_db *fresh_database(void) {
  static sqlite_db db;
  if (!db.handle) {
    srv_log_setup("error", false);
    require(sqlite3_open(":memory:", &db.handle) == SQLITE_OK);
    for (size_t i = 0; i < embedded_migrations_count; i++)
      if (strncmp(embedded_migrations[i].name, "results-", 8) == 0)
        run_sql(&db, (const char *)embedded_migrations[i].data);
    run_sql(&db, "INSERT INTO runs (id, job, attempt) VALUES (1, 'job', 1)");
  }
  run_sql(&db, "DELETE FROM parts");
  return &db;
}

/* Takes up to `size` of the remaining bytes. */
static const uint8_t *take(const uint8_t **rest, size_t *left, size_t *size) {
  const uint8_t *taken = *rest;
  if (*size > *left) *size = *left;
  *rest += *size;
  *left -= *size;
  return taken;
}

/* Adds a part: sizes of its layout and of its data, two bytes each, then the two. */
static void add_part(sqlite_db *db, sqlite3_int64 number, const uint8_t **rest, size_t *left) {
  size_t head = 4;
  const uint8_t *sizes = take(rest, left, &head);
  if (head < 4) return;
  size_t layout_size = (size_t)(sizes[0] | sizes[1] << 8), data_size = (size_t)(sizes[2] | sizes[3] << 8);
  const uint8_t *layout = take(rest, left, &layout_size), *numbers = take(rest, left, &data_size);
  sqlite3_int64 checksum = (sqlite3_int64)store_checksum(layout, layout_size);
  require(sqlite_db_run(db,
                        "INSERT INTO parts (run, number, arrays, rows, bytes, checksum, layout, data)"
                        " VALUES (1, ?, 0, 0, ?, ?, ?, ?)",
                        "iiibb", number, (sqlite3_int64)data_size, checksum, (const void *)layout, layout_size,
                        (const void *)numbers, data_size) == SERVICE_OK);
}

/* Reads some rows and columns of an array, like a client. */
static void read_some(sqlite_db *db, const store_run_index *index, const index_array *array, size_t all) {
  size_t rows, columns[2] = {0, array->columns > 0 ? array->columns - 1 : 0};
  if (!store_run_index_shown(array, all, &rows) || rows == 0 || array->columns == 0 || rows > array->rows) return;
  double out[2 * MOST_READ];
  size_t count = rows < MOST_READ ? rows : MOST_READ;
  const index_slice slice = {rows - count, 1, count, columns, 2, out};
  service_status status = sqlite_run_read(db, index, array, &slice);
  require(status == SERVICE_OK || status == SERVICE_DAMAGED || status == SERVICE_FAILED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sqlite_db *db = fresh_database();
  for (sqlite3_int64 number = 0; number < MOST_PARTS && size > 0; number++) add_part(db, number, &data, &size);
  store_run_index index = {0};
  const store_run run = {.id = "job", .attempt = 1};
  service_status status = sqlite_run_load(db, &run, &index);
  require(status == SERVICE_OK || status == SERVICE_DAMAGED || status == SERVICE_FAILED);
  size_t all = status == SERVICE_OK ? store_run_index_rows(&index) : 0;
  for (size_t i = 0; status == SERVICE_OK && i < index.count; i++) read_some(db, &index, &index.arrays[i], all);
  store_run_index_free(&index);
  return 0;
}
