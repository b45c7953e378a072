/* open.h - the store in two SQLite files, for one daemon. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_OPEN_H
#define SERVER_STORE_SQLITE_CONNECTION_OPEN_H

#include "server/store/store.h"

enum { STORE_MESSAGE_SIZE = 512 };

typedef struct sqlite_store_settings {
  const char *folder;
  size_t reserve;    /* free disk space below which has_space() says no [bytes] */
  double keep_days;  /* how long a job is kept after its end; 0: for ever */
  size_t keep_bytes; /* how much the jobs may take together, before those that ended first go; 0: any number */
} sqlite_store_settings;

/* Opens the store in a folder, which is made where it does not exist: `queue.db` holds jobs and documents, `results.db`
 * the arrays, `lock` keeps a second daemon out. Jobs that were running when a daemon died are queued again, and results
 * that no job shows are dropped. A folder in which one of the two is missing, empty, damaged or of another folder is
 * refused. From then on all files that the process makes are its user's alone. NULL with the reason in `message`. */
srv_store *sqlite_store_open_with(const sqlite_store_settings *settings, char message[STORE_MESSAGE_SIZE]);
/* The same, without an end to what is kept. */
srv_store *sqlite_store_open(const char *folder, size_t reserve, char message[STORE_MESSAGE_SIZE]);

#endif
