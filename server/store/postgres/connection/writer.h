/* writer.h - threads that change the database, each with its own connection and group commit.
 *
 * All waiting changes go into one transaction, so that they share the round trips and the flush of one commit. Changes
 * that need no flush go into separate transactions, so that their locks are shorter.
 *
 * If the connection is lost the whole transaction is executed again over a new one; it may then have been committed
 * before (`in_doubt`). If there is no connection for a while, or the database does not respond, commands fail, except
 * those that are patient. After a commit without a response the writer commits a change of its own before it accepts
 * commands: a database whose disk is stalled still accepts connections. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_WRITER_H
#define SERVER_STORE_POSTGRES_CONNECTION_WRITER_H

#include "server/store/postgres/connection/db.h"
#include "server/store/store.h"

#include <pthread.h>
#include <stdatomic.h>

struct postgres_store;
typedef struct postgres_writer postgres_writer;

/* A change to make. It is the first member of the struct that contains its data. */
typedef struct postgres_command postgres_command;
struct postgres_command {
  /* Makes the change, inside a transaction; it may be called again if that transaction fails. NOT_READY: nothing to do
   * yet; it is tried again after postgres_writer_look() and every second. FAILED, NO_SPACE and a failed statement undo
   * the transaction; its commands are then executed again, each in its own transaction. */
  service_status (*execute)(postgres_command *command, postgres_writer *writer);
  /* Called once, after the transaction, on the writer's thread; frees the command. */
  void (*done)(postgres_command *command, service_status status);
  size_t weight; /* bytes that it writes; limits the size of a transaction */
  bool patient;  /* waits for a connection without a time limit */
  /* the change may be lost if the database crashes: a transaction of only such changes is not flushed */
  bool may_be_lost;
  bool in_doubt; /* the transaction may have been committed before */
  double posted; /* time at which the writer received it; monotonic [s] */
  service_status status;
  postgres_command *next;
};

typedef struct postgres_commands {
  postgres_command *first, **last;
} postgres_commands;

/* An event, reported after the commit to this server's subscribers and to all other servers. */
typedef struct postgres_event {
  int event; /* a store_event, or an event between servers */
  char id[SERVICE_ID_SIZE];
} postgres_event;

/* Change of what a client uses. */
typedef struct postgres_use {
  char client[64];
  int64_t bytes;
  double cpu; /* [s] */
} postgres_use;

/* Callbacks of a writer to its store, on the writer's thread. */
typedef struct postgres_hooks {
  /* May be NULL: executes commands that are due; returns the time of the next call (monotonic). */
  double (*tick)(struct postgres_store *store, double now);
  /* Reports the events of a committed transaction, before its commands are answered. */
  void (*made)(struct postgres_store *store, const postgres_event *events, size_t count);
  /* Reports that the writer has a connection, or has lost it, and why. */
  void (*connected)(struct postgres_store *store, const struct postgres_writer *writer, bool connected,
                    const char *why);
} postgres_hooks;

struct postgres_writer {
  postgres_db db;
  struct postgres_store *store;
  const postgres_hooks *hooks;
  atomic_int process; /* server process of this connection */
  pthread_t thread;
  pthread_mutex_t mutex; /* guards the fields from here to `look` */
  pthread_cond_t wake, idle;
  postgres_commands waiting;
  bool busy, settling, stopping, look;
  /* Used only by the thread: */
  postgres_commands parked;  /* commands that were not ready */
  int64_t delta[JOB_STATES]; /* changes of the job counts in this transaction */
  int64_t delta_bytes;
  postgres_use *uses; /* changes of what clients use in this transaction, by their names */
  size_t use_count, use_capacity;
  postgres_event *events; /* events of this transaction */
  size_t event_count, event_capacity;
  bool none, none_short; /* this transaction found no more (short) jobs to claim */
  enum { WRITER_UNKNOWN, WRITER_STUDIES, WRITER_NO_STUDIES } studies; /* studies with blocks to claim exist */
  bool committing;                                                    /* this transaction may have been committed */
  bool connected;                                                     /* it was reported as connected */
  bool stalled;                                                       /* a commit had no response */
};

/* Starts the thread. `seconds`: time limit of a response. */
bool postgres_writer_start(postgres_writer *writer, struct postgres_store *store, postgres_address *address,
                           double seconds, const postgres_hooks *hooks);
void postgres_writer_post(postgres_writer *writer, postgres_command *command);
/* Retries parked commands and calls `tick`. Any thread. */
void postgres_writer_look(postgres_writer *writer);
/* Waits until no command waits or is executed; parked ones do not count. From now on no command is patient. */
void postgres_writer_settle(postgres_writer *writer);
/* Executes the waiting commands, ends the thread and closes the connection. Parked commands end as NOT_READY. */
void postgres_writer_stop(postgres_writer *writer);

/* Adds an event of a job to the current transaction. Returns false if memory runs out. */
bool postgres_writer_notify(postgres_writer *writer, int event, const char *id);
/* Adds to the bytes of a client's jobs, and to its processor time of today, in the current transaction. Returns false
 * if memory runs out. */
bool postgres_writer_use(postgres_writer *writer, const char *client, int64_t bytes, double cpu);
/* Returns the bytes that the current transaction has added for a client. */
int64_t postgres_writer_used(const postgres_writer *writer, const char *client);
/* Adds to the count of jobs in a state, and to their bytes, in the current transaction. */
void postgres_writer_count(postgres_writer *writer, job_state state, int64_t jobs, int64_t bytes);

#endif
