/* writer.h - threads that change the database, each with a connection and group commit: whatever waits goes into one
 * transaction, so that many changes share the round trips and the flush of one commit; what need not be flushed goes
 * into others, so that its locks do not last as long as that.
 *
 * Where the connection is lost a transaction is made again as a whole once there is another one, soon; it may then have
 * been made before (`in_doubt`). Where there is none for a while, commands fail, but for those that are patient. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_WRITER_H
#define SERVER_STORE_POSTGRES_CONNECTION_WRITER_H

#include "server/store/postgres/connection/db.h"
#include "server/store/store.h"

#include <pthread.h>
#include <stdatomic.h>

struct postgres_store;
typedef struct postgres_writer postgres_writer;

/* A change to make. It is the first member of the struct that holds what it needs. */
typedef struct postgres_command postgres_command;
struct postgres_command {
  /* Makes the change, inside a transaction; it may be called again where that came to nothing. NOT_READY: nothing to do
   * yet; it is tried again when the writer is told to look, and every second. FAILED and NO_SPACE undo the transaction,
   * as does a statement that fails; its commands are then executed again, each in one of its own. */
  service_status (*execute)(postgres_command *command, postgres_writer *writer);
  /* Called once, after the transaction, on the writer's thread; frees the command. */
  void (*done)(postgres_command *command, service_status status);
  size_t weight;    /* bytes it writes; bounds the size of a transaction */
  bool patient;     /* it waits for a connection as long as that takes */
  bool may_be_lost; /* its change need not outlast a crash of the database: a transaction of none but such is not
                     * flushed */
  bool in_doubt;    /* it may have been made before */
  service_status status;
  postgres_command *next;
};

typedef struct postgres_commands {
  postgres_command *first, **last;
} postgres_commands;

/* Something that happened, told after the commit to this server's subscribers and to all other servers. */
typedef struct postgres_event {
  int event; /* a store_event, or one between servers */
  char id[SERVICE_ID_SIZE];
} postgres_event;

/* What a writer tells its store, on its thread. */
typedef struct postgres_hooks {
  /* May be NULL: makes commands that are due; returns when to be called again (monotonic). */
  double (*tick)(struct postgres_store *store, double now);
  /* What a transaction that was made has changed, before its commands hear of it. */
  void (*made)(struct postgres_store *store, const postgres_event *events, size_t count);
  /* It has a connection, or has none (any more), and why. */
  void (*connected)(struct postgres_store *store, const struct postgres_writer *writer, bool connected,
                    const char *why);
} postgres_hooks;

struct postgres_writer {
  postgres_db db;
  struct postgres_store *store;
  const postgres_hooks *hooks;
  atomic_int process; /* of the server, that this connection is */
  pthread_t thread;
  pthread_mutex_t mutex; /* guards what follows */
  pthread_cond_t wake, idle;
  postgres_commands waiting;
  bool busy, stopping, look;
  /* Only the thread uses what follows. */
  postgres_commands parked;  /* commands that were not ready */
  int64_t delta[JOB_STATES]; /* what this transaction changes of the counts */
  int64_t delta_bytes;
  postgres_event *events; /* of this transaction */
  size_t event_count, event_capacity;
  bool none, none_short; /* in this transaction there was nothing more to claim */
  enum { WRITER_UNKNOWN, WRITER_STUDIES, WRITER_NO_STUDIES } studies; /* whether there are any to claim blocks of */
  bool committing;                                                    /* this transaction may have been made */
};

/* Starts the thread. */
bool postgres_writer_start(postgres_writer *writer, struct postgres_store *store, const postgres_address *address,
                           const postgres_hooks *hooks);
void postgres_writer_post(postgres_writer *writer, postgres_command *command);
/* Has parked commands tried again, and `tick` called. Any thread. */
void postgres_writer_look(postgres_writer *writer);
/* Waits until nothing waits. */
void postgres_writer_settle(postgres_writer *writer);
/* Does what waits, ends the thread and closes the connection. Parked commands end as NOT_READY. */
void postgres_writer_stop(postgres_writer *writer);

/* In a command: something happens to a job with this transaction; false without memory. */
bool postgres_writer_notify(postgres_writer *writer, int event, const char *id);
/* In a command: so many jobs more are in a state; with the bytes that they have. */
void postgres_writer_count(postgres_writer *writer, job_state state, int64_t jobs, int64_t bytes);

#endif
