/* Parts of results: equal columns are stored once, and constant ones as a single number. Data read equals data written,
 * bit for bit. Parts of version 1 can still be read. */
#include "server/base/log.h"
#include "server/store/sqlite/results/results.h"
#include "server/store/sqlite/results/run_loading.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { COLUMNS = 8, MOST_ROWS = 4096 };

static char folder[64];
static sqlite_db db;

static int set_up(void **state) {
  (void)state;
  char message[SQLITE_DB_MESSAGE] = "";
  snprintf(folder, sizeof folder, "/tmp/mbsd-parts-XXXXXX");
  assert_non_null(mkdtemp(folder));
  if (!sqlite_db_open(&db, folder, "results", true, message)) fail_msg("%s", message);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char path[96];
  sqlite_db_close(&db);
  snprintf(path, sizeof path, "%s/results.db", folder);
  unlink(path);
  return rmdir(folder);
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

static const store_run run = {.id = "job", .attempt = 1};

/* Returns a number that neither repeats nor ends in zeros. */
static double wild(size_t i) { return sin(1.0 + (double)i); }

/* Fills the columns: irregular; zeros; the first again; the first with a different end; -0 among zeros; a NaN with its
 * own bits; and two equal ones. */
static void fill(double *numbers, size_t rows) {
  const uint64_t payload = 0x7ff8000000abcdefU;
  for (size_t i = 0; i < rows; i++) {
    const double columns[COLUMNS] = {
        wild(i), 0, wild(i), i + 1 < rows ? wild(i) : 7, i == rows / 2 ? -0.0 : 0, 0, wild(2 * i), wild(2 * i)};
    for (size_t j = 0; j < COLUMNS; j++) numbers[j * rows + i] = columns[j];
    memcpy(&numbers[5 * rows + i], &payload, sizeof payload);
  }
}

/* Writes one array in pieces of `piece` rows, each as a part. Returns the bytes of data in the file. */
static sqlite3_int64 write_parts(const double *numbers, size_t rows, size_t piece) {
  double *block = malloc(rows * COLUMNS * sizeof *block);
  for (size_t first = 0, number = 0; first < rows; first += piece, number++) {
    size_t count = rows - first < piece ? rows - first : piece;
    store_part part = {.run = run, .number = (int)number};
    const store_array head = {.name = "Jac", .rank = 2, .shape = {1, COLUMNS, 1, 1}, .columns = COLUMNS};
    if (number == 0) store_chunk_array(&part.chunk, &head);
    for (size_t j = 0; j < COLUMNS; j++) memcpy(block + j * count, numbers + j * rows + first, count * sizeof *block);
    const store_tile tile = {0, first, count, block, count * COLUMNS * sizeof *block};
    store_chunk_piece(&part.chunk, &tile, true);
    part.layout = store_chunk_layout(&part.chunk, &part.layout_size);
    assert_non_null(part.layout);
    assert_int_equal(sqlite_results_write(&db, &part), SERVICE_OK);
    free(part.layout);
    store_chunk_free(&part.chunk);
  }
  free(block);
  return sqlite_db_integer(&db, "SELECT sum(length(data)) FROM parts");
}

/* Reads rows first, first + stride, ... of some columns and compares them. */
static void expect_rows(const double *numbers, size_t rows, size_t first, size_t stride, const size_t *columns,
                        size_t column_count) {
  store_run_index index = {0};
  assert_int_equal(sqlite_run_load(&db, &run, &index), SERVICE_OK);
  size_t count = (rows - 1 - first) / stride + 1;
  double *out = calloc(count * column_count, sizeof *out);
  const index_slice slice = {first, stride, count, columns, column_count, out};
  assert_int_equal(store_run_index_rows(&index), rows);
  assert_int_equal(sqlite_run_read(&db, &index, &index.arrays[0], &slice), SERVICE_OK);
  for (size_t k = 0; k < count; k++)
    for (size_t j = 0; j < column_count; j++)
      assert_memory_equal(&out[k * column_count + j], &numbers[columns[j] * rows + first + k * stride], sizeof *out);
  uint64_t bytes = 0;
  assert_int_equal(sqlite_run_check(&db, &index, &index.arrays[0], &bytes), SERVICE_OK);
  assert_int_equal(bytes, rows * COLUMNS * sizeof(double));
  free(out);
  store_run_index_free(&index);
}

static void expect_all(const double *numbers, size_t rows) {
  const size_t all[COLUMNS] = {0, 1, 2, 3, 4, 5, 6, 7}, some[] = {7, 1, 3};
  expect_rows(numbers, rows, 0, 1, all, COLUMNS);
  expect_rows(numbers, rows, rows / 3, 3, some, 3);
  expect_rows(numbers, rows, rows - 1, 1, all, COLUMNS);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_equal_columns(void **state) {
  (void)state;
  double *numbers = malloc(MOST_ROWS * COLUMNS * sizeof *numbers);
  fill(numbers, MOST_ROWS);
  /* Four columns, and two constant ones. */
  assert_int_equal(write_parts(numbers, MOST_ROWS, MOST_ROWS), (4 * MOST_ROWS + 2) * sizeof(double));
  expect_all(numbers, MOST_ROWS);
  store_run_index index = {0};
  store_extent there;
  uint64_t checksum;
  size_t stored;
  assert_int_equal(sqlite_results_seal(&db, &run, &there, &checksum, &stored), SERVICE_OK);
  assert_int_equal(stored, (4 * MOST_ROWS + 2) * sizeof(double));
  assert_int_equal(there.bytes, MOST_ROWS * COLUMNS * sizeof(double)); /* as received */
  assert_int_equal(sqlite_run_load(&db, &run, &index), SERVICE_OK);
  assert_true(index.sealed);
  store_run_index_free(&index);
  free(numbers);
}

static void test_pieces(void **state) {
  (void)state;
  double numbers[100 * COLUMNS];
  fill(numbers, 100);
  assert_true(write_parts(numbers, 100, 33) < (sqlite3_int64)sizeof numbers);
  expect_all(numbers, 100);
}

/* The table of places would take too much space for short columns. */
static void test_few_rows(void **state) {
  (void)state;
  double numbers[15 * COLUMNS];
  fill(numbers, 15);
  assert_int_equal(write_parts(numbers, 15, 4), sizeof numbers);
  expect_all(numbers, 15);
}

static void test_nothing_equal(void **state) {
  (void)state;
  double numbers[64 * COLUMNS];
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) numbers[i] = wild(i);
  assert_int_equal(write_parts(numbers, 64, 64), sizeof numbers);
  assert_true(sqlite_db_integer(&db, "SELECT length(layout) FROM parts") < 256); /* no table of places */
  expect_all(numbers, 64);
}

/* A flipped bit is found in the columns that contain it, and only there. */
static void test_damage(void **state) {
  (void)state;
  double *numbers = malloc(MOST_ROWS * COLUMNS * sizeof *numbers);
  fill(numbers, MOST_ROWS);
  write_parts(numbers, MOST_ROWS, MOST_ROWS);
  assert_int_equal(sqlite_db_script(&db, "UPDATE parts SET data = CAST(x'01' || substr(data, 2) AS BLOB)"), SERVICE_OK);
  store_run_index index = {0};
  assert_int_equal(sqlite_run_load(&db, &run, &index), SERVICE_OK);
  for (size_t j = 0; j < COLUMNS; j++) {
    double out;
    const index_slice first = {0, 1, 1, &j, 1, &out}, last = {MOST_ROWS - 1, 1, 1, &j, 1, &out};
    bool hit = j == 0 || j == 2; /* the third column is stored as the first */
    assert_int_equal(sqlite_run_read(&db, &index, &index.arrays[0], &first), hit ? SERVICE_DAMAGED : SERVICE_OK);
    assert_int_equal(sqlite_run_read(&db, &index, &index.arrays[0], &last), SERVICE_OK);
  }
  store_run_index_free(&index);
  free(numbers);
}

/* Version 1: pieces in sequence, each with the checksums of its pages. */
static void test_version_1(void **state) {
  (void)state;
  enum { ROWS = 1000, PIECE = ROWS * COLUMNS * sizeof(double) };
  double *numbers = malloc(PIECE);
  fill(numbers, ROWS);
  store_chunk heads = {0};
  const store_array head = {.name = "Jac", .rank = 2, .shape = {1, COLUMNS, 1, 1}, .columns = COLUMNS};
  store_chunk_array(&heads, &head);
  const uint64_t counts[] = {1, 1, 1}, piece[] = {0, 0, ROWS};
  api_buffer layout = {0};
  api_buffer_add(&layout, counts, sizeof counts);
  api_buffer_add(&layout, heads.heads.data, heads.heads.size);
  api_buffer_add(&layout, piece, sizeof piece);
  for (size_t at = 0; at < PIECE; at += STORE_PAGE) {
    uint64_t check = store_checksum((char *)numbers + at, PIECE - at < STORE_PAGE ? PIECE - at : STORE_PAGE);
    api_buffer_add(&layout, &check, sizeof check);
  }
  assert_int_equal(sqlite_db_script(&db, "INSERT INTO runs (id, job, attempt) VALUES (1, 'job', 1)"), SERVICE_OK);
  assert_int_equal(sqlite_db_run(&db,
                                 "INSERT INTO parts (run, number, arrays, rows, bytes, checksum, layout, data)"
                                 " VALUES (1, 0, 1, ?, ?, ?, ?, ?)",
                                 "iiibb", (sqlite3_int64)ROWS, (sqlite3_int64)PIECE,
                                 (sqlite3_int64)store_checksum(layout.data, layout.size), (const void *)layout.data,
                                 layout.size, (const void *)numbers, (size_t)PIECE),
                   SERVICE_OK);
  expect_all(numbers, ROWS);
  api_buffer_free(&layout);
  store_chunk_free(&heads);
  free(numbers);
}

int main(void) {
  srv_log_setup("error", false);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_equal_columns, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_pieces, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_few_rows, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_nothing_equal, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_damage, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_version_1, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
