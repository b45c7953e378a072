/* guard.h - what is wrong with one of the two databases: whether its files are still those that were opened, whether
 * its transactions can be made, whether it is damaged. Any thread. */
#ifndef SERVER_STORE_SQLITE_GUARD_H
#define SERVER_STORE_SQLITE_GUARD_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

enum { SQLITE_GUARD_TEXT = 200, SQLITE_GUARD_FILES = 3 };

typedef struct sqlite_guard {
  const char *name; /* of the database: "queue.db" */
  char *paths[SQLITE_GUARD_FILES];
  struct {
    dev_t device;
    ino_t number; /* 0: there was none */
  } files[SQLITE_GUARD_FILES];
  pthread_mutex_t mutex;           /* guards what follows */
  char trouble[SQLITE_GUARD_TEXT]; /* why the last transaction could not be made; "": it could */
  bool locked;                     /* because somebody else held the database */
  bool moved;                      /* what sqlite_guard_moved() said last */
  char damage[SQLITE_GUARD_TEXT];  /* what is broken in the file; "": nothing is known of */
} sqlite_guard;

/* Of FOLDER/NAME, which is open and was read. False without memory. */
bool sqlite_guard_init(sqlite_guard *self, const char *folder, const char *name);
void sqlite_guard_free(sqlite_guard *self);

/* Whether the database, its log or its index was deleted or replaced: what is written then is lost. */
bool sqlite_guard_moved(sqlite_guard *self);

/* A transaction failed; why, the connection knows. */
void sqlite_guard_failed(sqlite_guard *self, sqlite3 *handle);
/* Another program has held the database for a while. */
void sqlite_guard_locked(sqlite_guard *self);
/* A transaction was made, and had something to write or not. */
void sqlite_guard_worked(sqlite_guard *self, bool wrote);
/* A check found this. */
void sqlite_guard_damaged(sqlite_guard *self, const char *what);

/* What was wrong when somebody looked last, and what to do; "" where nothing was. Asks no disk. */
void sqlite_guard_tell(sqlite_guard *self, char text[SQLITE_GUARD_TEXT]);
/* Whether the last transaction failed for another reason than a lock: whether it is over, only a write tells. */
bool sqlite_guard_needs_write(sqlite_guard *self);

#endif
