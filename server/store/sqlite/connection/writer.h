/* writer.h - the only thread that writes to a SQLite file, with group commit.
 *
 * All waiting changes go into one transaction, so that a hundred clients share one flush to the disk. Changes that may
 * be lost when the power fails need no flush (docs/decisions/20-claims-and-power.md). */
#ifndef SERVER_STORE_SQLITE_CONNECTION_WRITER_H
#define SERVER_STORE_SQLITE_CONNECTION_WRITER_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/sqlite/connection/file_faults.h"

#include <pthread.h>
#include <stdatomic.h>

/* A change to make. It is the first member of the struct that contains its data. */
typedef struct sqlite_command sqlite_command;
struct sqlite_command {
  /* Makes the change, inside a transaction. NOT_FOUND: there was nothing to change. NOT_READY: nothing to do yet; it is
   * tried again with every later transaction and every second. Any other failure undoes the transaction; its commands
   * are then executed again, each in its own transaction. */
  service_status (*execute)(sqlite_command *command, sqlite_db *db);
  /* Called once, after the transaction, on the writer's thread; frees the command. */
  void (*done)(sqlite_command *command, service_status status);
  size_t weight; /* bytes that it writes; limits the size of a transaction */
  service_status status;
  sqlite_command *next;
  /* The change survives the death of this process but may be lost when the power fails: a transaction of only such
   * changes is not flushed. It reaches the disk with the next flush, in order. */
  bool may_be_lost;
};

typedef struct sqlite_queue {
  sqlite_command *first, **last;
} sqlite_queue;

typedef struct sqlite_writer {
  sqlite_db db;
  sqlite_file_fault *fault; /* records which transactions succeed */
  double patience;          /* time that another program may hold the database before commands fail [s] */
  atomic_bool hurried;      /* commands fail without waiting: the store is about to close */
  pthread_t thread;
  pthread_mutex_t mutex; /* guards the fields from here to `stopping` */
  pthread_cond_t wake, idle;
  sqlite_queue waiting;
  sqlite_queue later; /* joins the next transaction */
  bool busy, stopping;
  sqlite_queue parked; /* commands that were not ready; used only by the thread while it is busy */
  /* Used only by the thread: */
  bool flushes;       /* a commit waits for the disk now */
  int log_end, moved; /* frames of the log, and the number of them already copied into the file */
  size_t page_bytes;
  int log_frames;        /* frames at which the log is copied into the file */
  atomic_size_t unmoved; /* bytes in the log not yet copied into the file, which may grow by as many */
} sqlite_writer;

/* Starts the thread over a connection, which it then owns. It copies the log into the file when the log has
 * `log_bytes`; 0: SQLite's default. */
bool sqlite_writer_start(sqlite_writer *writer, const sqlite_db *db, sqlite_file_fault *fault, double patience,
                         size_t log_bytes);
/* Posts a change. If the thread is idle, and a command with the same `execute` was not ready in the last transaction,
 * this one is not ready, either: it joins the next transaction, within about a second. */
void sqlite_writer_post(sqlite_writer *writer, sqlite_command *command);
/* Posts a change without a waiting caller that may be lost: it joins the next transaction, within about a second. */
void sqlite_writer_post_later(sqlite_writer *writer, sqlite_command *command);
/* Retries the commands that were not ready; if memory runs out, within a second. Any thread. */
void sqlite_writer_wake(sqlite_writer *writer);
/* Copies all committed changes into the file and empties its log, unless a reader needs an older state. On the writer's
 * thread, between transactions. */
void sqlite_writer_checkpoint(sqlite_writer *writer);
/* Returns the committed bytes by which the file may still grow. Any thread. */
size_t sqlite_writer_unmoved(sqlite_writer *writer);
/* Waits until no command waits or is executed; parked ones do not count. */
void sqlite_writer_settle(sqlite_writer *writer);
/* Executes the waiting commands, ends the thread and closes the connection. Parked commands end as NOT_READY. */
void sqlite_writer_stop(sqlite_writer *writer);

#endif
