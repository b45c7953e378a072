/* writer.h - the one thread that writes to a SQLite file, with group commit: whatever waits goes into one
 * transaction, so that a hundred clients share the price of one flush to the disk. What may be lost with the power does
 * not pay it at all (docs/decisions/20-claims-and-power.md). */
#ifndef SERVER_STORE_SQLITE_CONNECTION_WRITER_H
#define SERVER_STORE_SQLITE_CONNECTION_WRITER_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/sqlite/connection/file_faults.h"

#include <pthread.h>
#include <stdatomic.h>

/* A change to make. It is the first member of the struct that holds what it needs. */
typedef struct sqlite_command sqlite_command;
struct sqlite_command {
  /* Makes the change, inside a transaction. NOT_FOUND: there was nothing to change. NOT_READY: nothing to do yet; it is
   * tried again with every later transaction and every second. Any other failure undoes the transaction, whose
   * commands are then executed again, each in one of its own. */
  service_status (*execute)(sqlite_command *command, sqlite_db *db);
  /* Called once, after the transaction, on the writer's thread; frees the command. */
  void (*done)(sqlite_command *command, service_status status);
  size_t weight; /* bytes it writes; bounds the size of a transaction */
  service_status status;
  sqlite_command *next;
  /* Its change need not outlast a loss of power, though it outlasts the death of this process: a transaction of none
   * but such changes is not flushed. It reaches the disk with the next one that is, in order. */
  bool may_be_lost;
};

typedef struct sqlite_queue {
  sqlite_command *first, **last;
} sqlite_queue;

typedef struct sqlite_writer {
  sqlite_db db;
  sqlite_file_fault *fault; /* hears which transactions could be made */
  double patience;          /* how long another program may hold the database before commands fail for that [s] */
  atomic_bool hurried;      /* they fail at once: the store is about to close */
  pthread_t thread;
  pthread_mutex_t mutex; /* guards what follows */
  pthread_cond_t wake, idle;
  sqlite_queue waiting;
  sqlite_queue later; /* goes with the next transaction */
  bool busy, stopping;
  sqlite_queue parked; /* commands that were not ready; only the thread uses it, as the next */
  bool flushes;        /* a commit waits for the disk now */
  int log_end, moved;  /* frames of the log, and those of them that are in the file, too */
  size_t page_bytes;
  int log_frames;        /* at which the log is moved */
  atomic_size_t unmoved; /* bytes in the log that the file has still to take up, and may grow by */
} sqlite_writer;

/* Starts the thread over a connection, which it then owns. What was committed is moved into the file when the log has
 * `log_bytes`; 0: as many as SQLite finds right. */
bool sqlite_writer_start(sqlite_writer *writer, const sqlite_db *db, sqlite_file_fault *fault, double patience,
                         size_t log_bytes);
void sqlite_writer_post(sqlite_writer *writer, sqlite_command *command);
/* A change that nobody waits for, and that may be lost: it goes with the next transaction, within a second or so. */
void sqlite_writer_post_later(sqlite_writer *writer, sqlite_command *command);
/* Has commands that were not ready be tried again; without memory they are within a second. Any thread. */
void sqlite_writer_wake(sqlite_writer *writer);
/* Brings all that was committed into the file and empties its journal, where nobody reads an older state. On the
 * writer's thread, between transactions. */
void sqlite_writer_checkpoint(sqlite_writer *writer);
/* Bytes of what was committed that the file may still grow by. Any thread. */
size_t sqlite_writer_unmoved(sqlite_writer *writer);
/* Waits until nothing waits. */
void sqlite_writer_settle(sqlite_writer *writer);
/* Does what waits, ends the thread and closes the connection. Parked commands end as NOT_READY. */
void sqlite_writer_stop(sqlite_writer *writer);

#endif
