/* open.h - the store in two SQLite files, for one daemon. */
#ifndef SERVER_STORE_SQLITE_OPEN_H
#define SERVER_STORE_SQLITE_OPEN_H

#include "server/store/store.h"

enum { STORE_MESSAGE_SIZE = 512 };

/* Opens the store in a folder, which is made where it does not exist: `queue.db` holds jobs and documents, `results.db`
 * the arrays, `lock` keeps a second daemon out. Jobs that were running when a daemon died are queued again, and results
 * that no job shows are dropped. `reserve` is the free disk space [bytes] below which has_space() says no.
 * NULL with the reason in `message`. */
srv_store *sqlite_store_open(const char *folder, size_t reserve, char message[STORE_MESSAGE_SIZE]);

#endif
