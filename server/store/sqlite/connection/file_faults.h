/* file_faults.h - faults of one of the two databases: files deleted or replaced, transactions that fail, damage.
 *
 * Any thread may call. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_FILE_FAULTS_H
#define SERVER_STORE_SQLITE_CONNECTION_FILE_FAULTS_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

enum { SQLITE_FAULT_TEXT = 200, SQLITE_FAULT_FILES = 3 };

typedef struct sqlite_file_fault {
  const char *name; /* name of the database: "queue.db" */
  char *paths[SQLITE_FAULT_FILES];
  struct {
    dev_t device;
    ino_t number; /* inode; 0: the file did not exist */
  } files[SQLITE_FAULT_FILES];
  pthread_mutex_t mutex;           /* guards the fields below */
  char trouble[SQLITE_FAULT_TEXT]; /* reason why the last transaction failed; "": it succeeded */
  bool locked;                     /* another program held the database */
  bool moved;                      /* last result of sqlite_file_fault_moved() */
  char damage[SQLITE_FAULT_TEXT];  /* damage in the file; "": none known */
} sqlite_file_fault;

/* Starts to watch FOLDER/NAME, which is open and was read. Returns false if memory runs out. */
bool sqlite_file_fault_init(sqlite_file_fault *self, const char *folder, const char *name);
void sqlite_file_fault_free(sqlite_file_fault *self);

/* Returns true if the database, its log or its index was deleted or replaced: then later writes are lost. */
bool sqlite_file_fault_moved(sqlite_file_fault *self);

/* Records that a transaction failed; `handle` has the reason. */
void sqlite_file_fault_failed(sqlite_file_fault *self, sqlite3 *handle);
/* Records that another program has held the database for a while. */
void sqlite_file_fault_locked(sqlite_file_fault *self);
/* Records that a transaction succeeded, and whether it wrote. */
void sqlite_file_fault_worked(sqlite_file_fault *self, bool wrote);
/* Records damage that a check found. */
void sqlite_file_fault_damaged(sqlite_file_fault *self, const char *what);

/* Copies the fault found by the last check, with its remedy, to `text`; empty if none. No disk access. */
void sqlite_file_fault_text(sqlite_file_fault *self, char text[SQLITE_FAULT_TEXT]);
/* Returns true if the last transaction failed for another reason than a lock: only a write shows whether the fault is
 * over. */
bool sqlite_file_fault_needs_write(sqlite_file_fault *self);

#endif
