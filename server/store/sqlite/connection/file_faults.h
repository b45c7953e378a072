/* file_faults.h - what is wrong with one of the two databases: whether its files are still those that were opened, whether
 * its transactions can be made, whether it is damaged. Any thread. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_FILE_FAULTS_H
#define SERVER_STORE_SQLITE_CONNECTION_FILE_FAULTS_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

enum { SQLITE_GUARD_TEXT = 200, SQLITE_GUARD_FILES = 3 };

typedef struct sqlite_file_fault {
  const char *name; /* of the database: "queue.db" */
  char *paths[SQLITE_GUARD_FILES];
  struct {
    dev_t device;
    ino_t number; /* 0: there was none */
  } files[SQLITE_GUARD_FILES];
  pthread_mutex_t mutex;           /* guards what follows */
  char trouble[SQLITE_GUARD_TEXT]; /* why the last transaction could not be made; "": it could */
  bool locked;                     /* because somebody else held the database */
  bool moved;                      /* what sqlite_file_fault_moved() said last */
  char damage[SQLITE_GUARD_TEXT];  /* what is broken in the file; "": nothing is known of */
} sqlite_file_fault;

/* Of FOLDER/NAME, which is open and was read. False without memory. */
bool sqlite_file_fault_init(sqlite_file_fault *self, const char *folder, const char *name);
void sqlite_file_fault_free(sqlite_file_fault *self);

/* Whether the database, its log or its index was deleted or replaced: what is written then is lost. */
bool sqlite_file_fault_moved(sqlite_file_fault *self);

/* A transaction failed; why, the connection knows. */
void sqlite_file_fault_failed(sqlite_file_fault *self, sqlite3 *handle);
/* Another program has held the database for a while. */
void sqlite_file_fault_locked(sqlite_file_fault *self);
/* A transaction was made, and had something to write or not. */
void sqlite_file_fault_worked(sqlite_file_fault *self, bool wrote);
/* A check found this. */
void sqlite_file_fault_damaged(sqlite_file_fault *self, const char *what);

/* What was wrong when somebody looked last, and what to do; "" where nothing was. Asks no disk. */
void sqlite_file_fault_text(sqlite_file_fault *self, char text[SQLITE_GUARD_TEXT]);
/* Whether the last transaction failed for another reason than a lock: whether it is over, only a write tells. */
bool sqlite_file_fault_needs_write(sqlite_file_fault *self);

#endif
