/* open.h - the store in two SQLite files, for one daemon. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_OPEN_H
#define SERVER_STORE_SQLITE_CONNECTION_OPEN_H

#include "server/store/store.h"

enum { STORE_MESSAGE_SIZE = 512 };

typedef struct sqlite_store_settings {
  const char *folder;
  size_t reserve;    /* free disk space below which has_space() returns false [bytes] */
  double keep_days;  /* time that a job is stored after its end; 0: no limit */
  size_t keep_bytes; /* maximum size of all jobs, beyond which those that ended first are removed; 0: no limit */
} sqlite_store_settings;

/* Opens the store in a directory, which is created if it is missing: `queue.db` contains jobs and documents,
 * `results.db` the arrays, `lock` excludes a second daemon. Queues again the jobs that ran when a daemon died, and
 * drops results that no job shows. Refuses a directory in which one of the two databases is missing, empty, damaged or
 * of another directory. All files that the process creates afterwards are private to its user. Returns NULL with the
 * reason in `message` on failure. */
srv_store *sqlite_store_open_with(const sqlite_store_settings *settings, char message[STORE_MESSAGE_SIZE]);
/* Opens the store without limits on age and size of jobs. */
srv_store *sqlite_store_open(const char *folder, size_t reserve, char message[STORE_MESSAGE_SIZE]);

#endif
