/* verify.c - see verify.h. Arrays are compared with their shapes alone: as long as tiles have no checksums. */
#include "server/store/sqlite/verify.h"

service_status sqlite_results_verify(sqlite_db *results, sqlite_results_check *check,
                                     void (*damaged)(void *context, const char *job, int attempt, const char *array),
                                     void *context) {
  *check = (sqlite_results_check){.runs = (uint64_t)sqlite_db_integer(results, "SELECT count(*) FROM runs")};
  sqlite3_stmt *query = sqlite_db_query(
      results,
      "SELECT r.job, r.attempt, a.name, coalesce(sum(length(t.data)), 0), 8 * a.shape0 * a.columns"
      " FROM runs r JOIN arrays a ON a.run = r.id LEFT JOIN tiles t ON t.run = a.run AND"
      " t.position = a.position WHERE r.settled = 1 OR NOT a.timeless GROUP BY r.id, a.position ORDER BY r.id",
      "");
  int code = SQLITE_ERROR;
  while (query && (code = sqlite3_step(query)) == SQLITE_ROW) {
    sqlite3_int64 bytes = sqlite3_column_int64(query, 3);
    check->arrays++;
    check->bytes += (uint64_t)bytes;
    check->unchecked += (uint64_t)bytes;
    /* Rows that were cut off the end of a broken run may still be there. */
    if (bytes >= sqlite3_column_int64(query, 4)) continue;
    check->damaged++;
    if (damaged)
      damaged(context, (const char *)sqlite3_column_text(query, 0), sqlite3_column_int(query, 1),
              (const char *)sqlite3_column_text(query, 2));
  }
  sqlite3_reset(query);
  return code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(results, "verify");
}
