/* row_checksum.c - see row_checksum.h. */
#include "server/store/sqlite/connection/row_checksum.h"

#include "server/store/common/result_chunk.h"

/* A value with its type; texts and blobs are represented by their checksum. */
typedef struct typed_value {
  int64_t type;
  union {
    int64_t integer;
    double real;
    uint64_t checksum;
  } value;
} typed_value;

static typed_value typed(sqlite3_value *value) {
  typed_value out = {.type = sqlite3_value_type(value), .value.integer = 0};
  if (out.type == SQLITE_INTEGER) out.value.integer = sqlite3_value_int64(value);
  if (out.type == SQLITE_FLOAT) out.value.real = sqlite3_value_double(value);
  if (out.type == SQLITE_TEXT || out.type == SQLITE_BLOB) {
    const void *data = sqlite3_value_blob(value);
    out.value.checksum = store_checksum(data, (size_t)sqlite3_value_bytes(value));
  }
  return out;
}

sqlite3_int64 sqlite_row_checksum(sqlite3_value *const *values, int count) {
  typed_value all[SQLITE_ROW_VALUES];
  for (int i = 0; i < count; i++) all[i] = typed(values[i]);
  return (sqlite3_int64)store_checksum(all, (size_t)count * sizeof all[0]);
}

static void checksum(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int64(context, sqlite_row_checksum(values, count));
}

int sqlite_row_checksum_function(sqlite3 *connection) {
  sqlite3_limit(connection, SQLITE_LIMIT_FUNCTION_ARG, SQLITE_ROW_VALUES);
  return sqlite3_create_function_v2(connection, "checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, checksum,
                                    NULL, NULL, NULL);
}
