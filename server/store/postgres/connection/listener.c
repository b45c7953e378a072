/* listener.c - see listener.h. */
#include "server/store/postgres/connection/listener.h"

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/postgres/connection/notifications.h"
#include "server/store/postgres/operations/health.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Silence after which the listener tests its connection, and maximum time of the test [s]. */
static const double quiet_seconds = 5, echo_seconds = 2;

enum { POLL_MS = 500 };

/* ---- notifications of the server --------------------------------------------------------------------------------- */

/* Processes a line of a notification: the number of the event, and the job. */
static void hear_line(postgres_listener *self, const char *line, size_t length) {
  char id[SERVICE_ID_SIZE] = "", *end;
  long event = strtol(line, &end, 10);
  if (end == line || end + 1 >= line + length || *end != ' ') return;
  if (event < 0 || event > POSTGRES_EVENT_BLOCKS || event == STORE_EVENT_MISSED) return;
  size_t size = length - (size_t)(end + 1 - line);
  memcpy(id, end + 1, size < sizeof id ? size : sizeof id - 1);
  postgres_notifications_event(self->store, (int)event, id);
}

static void hear(postgres_listener *self, const PGnotify *note) {
  postgres_store *store = self->store;
  self->heard_at = srv_clock_monotonic();
  self->asked_at = 0;
  if (note->be_pid == atomic_load(&store->queue_writer.process) ||
      note->be_pid == atomic_load(&store->results_writer.process))
    return; /* reported when the event was made */
  for (const char *line = note->extra, *end; (end = strchr(line, '\n')); line = end + 1)
    hear_line(self, line, (size_t)(end - line));
}

static void missed(postgres_listener *self) { postgres_notifications_event(self->store, STORE_EVENT_MISSED, ""); }

/* Tests whether notifications arrive: after a silence it sends one to itself. Until one arrives, events may be lost. */
static void try_hearing(postgres_listener *self) {
  double now = srv_clock_monotonic();
  if (self->asked_at > 0 && now - self->asked_at > echo_seconds) {
    missed(self);
    self->asked_at = 0;
    self->heard_at = now - quiet_seconds; /* tests again immediately */
  }
  if (self->asked_at > 0 || now - self->heard_at < quiet_seconds) return;
  self->asked_at = now;
  postgres_db_script(&self->db, "SET LOCAL synchronous_commit = off; NOTIFY mbsd, 'here'");
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

/* Records whether the database responds, and has accepted the connection. */
static void note_response(postgres_listener *self, bool accepted) {
  postgres_store *store = self->store;
  bool silent = !accepted && self->db.unanswered;
  if (!accepted) postgres_health_connected(store, NULL, false, self->db.why);
  bool was_silent = atomic_exchange(&store->address.silent, silent);
  if (silent && !was_silent) atomic_fetch_add(&store->address.changes, 1);
  if (was_silent && !silent) {
    postgres_writer_look(&store->queue_writer);
    postgres_writer_look(&store->results_writer);
  }
  if (accepted) postgres_health_connected(store, NULL, true, self->db.why); /* now reads succeed */
}

static bool begin(postgres_listener *self) {
  if (srv_clock_monotonic() < self->db.try_at) return false;
  bool good = postgres_db_connect(&self->db, false) && postgres_db_script(&self->db, "LISTEN mbsd") == SERVICE_OK;
  if (good || self->db.attempt == 0) note_response(self, good); /* all servers of the address were tried */
  self->heard_at = srv_clock_monotonic();
  self->asked_at = 0;
  return good;
}

/* Reads the number of jobs, which shows that the database responds. */
static void count(postgres_listener *self) {
  size_t jobs[JOB_STATES];
  if (srv_clock_monotonic() < self->count_at) return;
  self->count_at = srv_clock_monotonic() + POLL_MS / 1000.0;
  if (postgres_health_count(self->store, &self->db, jobs) != SERVICE_OK && self->db.unanswered)
    note_response(self, false);
}

/* Waits for data of the connection. Returns false to stop. */
static bool wait_for_word(postgres_listener *self) {
  bool connected = self->db.handle && !self->db.lost;
  struct pollfd files[] = {{.fd = self->stop, .events = POLLIN},
                           {.fd = connected ? PQsocket(self->db.handle) : -1, .events = POLLIN}};
  if (poll(files, 2, connected ? POLL_MS : POLL_MS / 5) < 0 && errno != EINTR) return true;
  return (files[0].revents & POLLIN) == 0;
}

static void *listener_thread(void *context) {
  postgres_listener *self = context;
  while (wait_for_word(self)) {
    if (!self->db.handle || self->db.lost) {
      if (!begin(self)) continue;
      missed(self);
    }
    if (!PQconsumeInput(self->db.handle)) {
      self->db.lost = true;
      continue;
    }
    count(self);
    for (PGnotify *note; (note = PQnotifies(self->db.handle));) {
      hear(self, note);
      PQfreemem(note);
    }
    try_hearing(self);
  }
  return NULL;
}

bool postgres_listener_start(postgres_store *store) {
  postgres_listener *self = &store->listener;
  *self = (postgres_listener){
      .store = store,
      .db = {.address = &store->address, .begin = postgres_schema_check, .seconds = POSTGRES_SECONDS, .watches = true},
      .stop = eventfd(0, EFD_CLOEXEC)};
  if (self->stop < 0) return false;
  begin(self);
  return pthread_create(&self->thread, NULL, listener_thread, self) == 0;
}

void postgres_listener_stop(postgres_store *store) {
  postgres_listener *self = &store->listener;
  uint64_t one = 1;
  if (write(self->stop, &one, sizeof one) < 0) srv_log(SRV_ERROR, "wake_failed", (srv_field[]){{0}});
  pthread_join(self->thread, NULL);
  postgres_db_close(&self->db);
  close(self->stop);
}
