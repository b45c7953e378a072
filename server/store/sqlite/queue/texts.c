/* texts.c - see texts.h. */
#include "server/store/sqlite/queue/texts.h"

#include "server/base/log.h"
#include "server/store/common/result_chunk.h"

#include <string.h>

sqlite3_int64 sqlite_text_checksum(const void *text, size_t size) {
  return text ? (sqlite3_int64)store_checksum(text, size) : 0;
}

sqlite3_int64 sqlite_string_checksum(const char *text) { return sqlite_text_checksum(text, text ? strlen(text) : 0); }

bool sqlite_text_is_intact(sqlite3_stmt *row, int text, int checksum) {
  sqlite3_int64 known = sqlite3_column_int64(row, checksum);
  const void *data = sqlite3_column_blob(row, text);
  return known == 0 || sqlite_text_checksum(data, (size_t)sqlite3_column_bytes(row, text)) == known;
}

service_status sqlite_text_damaged(const char *job, const char *what) {
  srv_log(SRV_ERROR, "job_damaged",
          (srv_field[]){srv_text("id", job),
                        srv_text("text", what),
                        srv_text("why", "the text stored in queue.db does not match its checksum"),
                        {0}});
  return SERVICE_DAMAGED;
}

service_status sqlite_texts_verify(sqlite_db *queue, void (*damaged)(void *context, const char *job, const char *what),
                                   void *context) {
  sqlite3_stmt *list = sqlite_db_query(queue,
                                       "SELECT j.id, d.text, d.checksum, j.report, j.report_checksum FROM jobs j"
                                       " LEFT JOIN documents d ON d.job = j.seq",
                                       "");
  static const char *const names[] = {"document", "report"};
  int code = SQLITE_ERROR;
  while (list && (code = sqlite3_step(list)) == SQLITE_ROW)
    for (int i = 0; i < 2; i++)
      if (!sqlite_text_is_intact(list, 1 + 2 * i, 2 + 2 * i))
        damaged(context, (const char *)sqlite3_column_text(list, 0), names[i]);
  sqlite3_reset(list);
  return code == SQLITE_DONE ? SERVICE_OK : SERVICE_FAILED;
}
