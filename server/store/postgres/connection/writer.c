/* writer.c - see writer.h. */
#include "server/store/postgres/connection/writer.h"

#include "api/base/array_grow.h"
#include "api/base/buffer.h"
#include "server/base/clock.h"
#include "server/store/postgres/connection/schema.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Limits of one transaction. */
enum { BATCH_COMMANDS = 256, BATCH_BYTES = 8 << 20 };

/* Number of attempts of a transaction that conflicts with others, and maximum bytes of a notification. */
enum { TRIES = 4, NOTE_BYTES = 7800 };

/* Time since the post of a command during which its transaction waits for a new connection [s]. */
static const double patience = 2.5;

/* Time between attempts of parked commands [s]. */
static const double look_seconds = 1;

static void commands_init(postgres_commands *commands) {
  commands->first = NULL;
  commands->last = &commands->first;
}

static void push(postgres_commands *commands, postgres_command *command) {
  assert(!*commands->last);
  command->next = NULL;
  *commands->last = command;
  commands->last = &command->next;
}

static postgres_command *pop(postgres_commands *commands) {
  postgres_command *command = commands->first;
  if (!command) return NULL;
  commands->first = command->next;
  if (!commands->first) commands->last = &commands->first;
  return command;
}

/* ---- notifications and counts of commands ------------------------------------------------------------------------ */

bool postgres_writer_notify(postgres_writer *writer, int event, const char *id) {
  assert(event >= 0 && id[0] && strlen(id) < SERVICE_ID_SIZE);
  for (size_t i = 0; i < writer->event_count && event >= STORE_EVENT_PROGRESS; i++)
    if (writer->events[i].event == event && strcmp(writer->events[i].id, id) == 0) return true;
  postgres_event *events = api_array_grow(writer->events, writer->event_count, &writer->event_capacity, sizeof *events);
  if (!events) return false;
  writer->events = events;
  postgres_event *added = &events[writer->event_count++];
  *added = (postgres_event){.event = event};
  strncpy(added->id, id, SERVICE_ID_SIZE - 1);
  return true;
}

void postgres_writer_count(postgres_writer *writer, job_state state, int64_t jobs, int64_t bytes) {
  assert(state < JOB_STATES);
  writer->delta[state] += jobs;
  writer->delta_bytes += bytes;
}

/* Returns the index of the first use of this client or of one behind it. */
static size_t find_use(const postgres_writer *writer, const char *client) {
  size_t i = 0;
  while (i < writer->use_count && strcmp(writer->uses[i].client, client) < 0) i++;
  return i;
}

static bool has_use(const postgres_writer *writer, size_t i, const char *client) {
  return i < writer->use_count && strcmp(writer->uses[i].client, client) == 0;
}

/* All transactions lock the rows of clients in the order of their names, so that none waits for another in a circle. */
bool postgres_writer_use(postgres_writer *writer, const char *client, int64_t bytes, double cpu) {
  const size_t i = find_use(writer, client);
  if (!has_use(writer, i, client)) {
    postgres_use *uses = api_array_grow(writer->uses, writer->use_count, &writer->use_capacity, sizeof *uses);
    if (!uses) return false;
    writer->uses = uses;
    memmove(&uses[i + 1], &uses[i], (writer->use_count++ - i) * sizeof *uses);
    uses[i] = (postgres_use){.bytes = 0};
    snprintf(uses[i].client, sizeof uses[i].client, "%s", client);
  }
  writer->uses[i].bytes += bytes;
  writer->uses[i].cpu += cpu;
  return true;
}

int64_t postgres_writer_used(const postgres_writer *writer, const char *client) {
  const size_t i = find_use(writer, client);
  return has_use(writer, i, client) ? writer->uses[i].bytes : 0;
}

/* ---- transactions ------------------------------------------------------------------------------------------------ */

static service_status write_uses(postgres_writer *writer) {
  service_status status = SERVICE_OK;
  for (size_t i = 0; i < writer->use_count && status == SERVICE_OK; i++) {
    const postgres_use *use = &writer->uses[i];
    status = postgres_db_run(&writer->db, NULL,
                             "INSERT INTO client_use AS used (client, part, bytes, day, cpu)"
                             " VALUES ($1, pg_backend_pid() % 64, $2::bigint, today(), $3::float8)"
                             " ON CONFLICT (client, part) DO UPDATE SET bytes = used.bytes + excluded.bytes,"
                             " cpu = excluded.cpu + CASE WHEN used.day = excluded.day THEN used.cpu ELSE 0 END,"
                             " day = excluded.day",
                             "tid", use->client, use->bytes, use->cpu);
  }
  return status;
}

static bool counts_changed(const postgres_writer *writer) {
  bool changed = writer->delta_bytes != 0;
  for (int i = 0; i < JOB_STATES; i++) changed = changed || writer->delta[i] != 0;
  return changed;
}

/* Writes the counts, and a notification if there is one. */
static service_status write_counts(postgres_writer *writer, const char *note) {
  const int64_t *delta = writer->delta;
  return postgres_db_run(&writer->db, NULL,
                         "WITH counted AS (UPDATE counts SET queued = queued + $1::bigint,"
                         " running = running + $2::bigint, succeeded = succeeded + $3::bigint,"
                         " failed = failed + $4::bigint, cancelled = cancelled + $5::bigint, bytes = bytes + $6::bigint"
                         " WHERE part = pg_backend_pid() % 64)"
                         " SELECT pg_notify('mbsd', $7) WHERE $7 IS NOT NULL",
                         "iiiiiit", delta[JOB_QUEUED], delta[JOB_RUNNING], delta[JOB_SUCCEEDED], delta[JOB_FAILED],
                         delta[JOB_CANCELLED], writer->delta_bytes, note);
}

/* Writes the counts and the notifications of a transaction, one line per event, as many lines as fit into each. */
static service_status write_news(postgres_writer *writer) {
  bool counts = counts_changed(writer);
  service_status status = counts && writer->event_count == 0 ? write_counts(writer, NULL) : SERVICE_OK;
  for (size_t i = 0; i < writer->event_count && status == SERVICE_OK;) {
    api_buffer note = {0};
    while (i < writer->event_count && note.size < NOTE_BYTES) {
      const postgres_event *event = &writer->events[i++];
      api_buffer_print(&note, "%d %s\n", event->event, event->id);
    }
    api_buffer_add(&note, "", 1);
    status = note.failed ? SERVICE_FAILED
             : counts    ? write_counts(writer, note.data)
                         : postgres_db_run(&writer->db, NULL, "SELECT pg_notify('mbsd', $1)", "t", note.data);
    counts = false;
    api_buffer_free(&note);
  }
  return status;
}

static bool is_failure(const postgres_writer *writer, service_status status) {
  return status == SERVICE_FAILED || status == SERVICE_NO_SPACE || writer->db.lost || !writer->db.handle ||
         PQtransactionStatus(writer->db.handle) != PQTRANS_INTRANS;
}

static void forget_transaction(postgres_writer *writer) {
  memset(writer->delta, 0, sizeof writer->delta);
  writer->delta_bytes = 0;
  writer->use_count = 0;
  writer->event_count = 0;
  writer->none = writer->none_short = writer->committing = false;
  writer->studies = WRITER_UNKNOWN;
}

static service_status execute_each(postgres_writer *writer, postgres_command *first, const postgres_command *end) {
  bool durable = false;
  for (postgres_command *command = first; command != end; command = command->next) {
    command->status = command->execute(command, writer);
    if (is_failure(writer, command->status)) {
      bool rejected = command->status == SERVICE_REJECTED || command->status == SERVICE_NO_SPACE;
      return rejected && !writer->db.lost ? command->status : SERVICE_FAILED;
    }
    durable = durable || !command->may_be_lost;
  }
  service_status status = write_uses(writer);
  if (status == SERVICE_OK) status = write_news(writer);
  writer->committing = status == SERVICE_OK;
  if (status != SERVICE_OK) return status;
  return postgres_db_script(&writer->db, durable ? "COMMIT" : "SET LOCAL synchronous_commit = off; COMMIT");
}

/* Executes commands up to `end` in one transaction. Returns OK if it was committed. */
static service_status execute_together(postgres_writer *writer, postgres_command *first, const postgres_command *end) {
  assert(first && first != end);
  forget_transaction(writer);
  writer->db.again = false;
  if (postgres_db_script(&writer->db, "BEGIN") != SERVICE_OK) return SERVICE_FAILED;
  service_status status = execute_each(writer, first, end);
  if (status == SERVICE_OK) {
    writer->hooks->made(writer->store, writer->events, writer->event_count);
    return status;
  }
  bool again = writer->db.again, committing = writer->committing;
  forget_transaction(writer);
  writer->committing = committing;
  if (!writer->db.lost) postgres_db_script(&writer->db, "ROLLBACK");
  writer->db.again = again;
  return status;
}

static bool is_stopping(postgres_writer *writer) {
  pthread_mutex_lock(&writer->mutex);
  bool stopping = writer->stopping;
  pthread_mutex_unlock(&writer->mutex);
  return stopping;
}

static bool is_settling(postgres_writer *writer) {
  pthread_mutex_lock(&writer->mutex);
  bool settling = writer->settling;
  pthread_mutex_unlock(&writer->mutex);
  return settling;
}

static void pause_for(double seconds) {
  nanosleep(&(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)},
            NULL);
}

/* Returns true if the database commits changes: after a commit without a response, tries one. */
static bool commits(postgres_writer *writer) {
  if (!writer->stalled) return true;
  char why[POSTGRES_MESSAGE];
  snprintf(why, sizeof why,
           "the database %.120s accepts connections but commits no changes: check its disk and its standby servers",
           writer->db.address->where);
  writer->hooks->connected(writer->store, writer, false, why);
  double seconds = writer->db.seconds;
  writer->db.seconds = POSTGRES_LONG_SECONDS; /* a stalled commit occupies a process of the server: try rarely */
  writer->stalled = postgres_db_script(&writer->db, "BEGIN; UPDATE counts SET bytes = bytes"
                                                    " WHERE part = pg_backend_pid() % 64; COMMIT") != SERVICE_OK;
  writer->db.seconds = seconds;
  if (writer->stalled) postgres_db_close(&writer->db);
  if (writer->stalled) memcpy(writer->db.why, why, sizeof why);
  return !writer->stalled;
}

/* Connects or reconnects: tries once, or, if `repeatedly`, until `until`. */
static bool connect_by(postgres_writer *writer, double until, bool repeatedly) {
  bool good = false;
  writer->db.until = until;
  while (!(good = postgres_db_connect(&writer->db, false))) {
    if (!repeatedly || srv_clock_monotonic() >= until || is_stopping(writer)) break;
    pause_for(0.05);
  }
  good = good && commits(writer);
  atomic_store(&writer->process, good ? PQbackendPID(writer->db.handle) : 0);
  if (!good || !writer->connected) writer->hooks->connected(writer->store, writer, good, writer->db.why);
  writer->connected = good;
  return good;
}

/* Executes commands up to `end`, repeatedly while that may help, at most until `until`. */
static service_status execute_until_made(postgres_writer *writer, postgres_command *first, const postgres_command *end,
                                         double until) {
  service_status status = SERVICE_FAILED;
  for (int i = 0; i < TRIES; i++) {
    status = execute_together(writer, first, end);
    if (status == SERVICE_OK) return status;
    if (writer->db.lost || !writer->db.handle) {
      writer->stalled = writer->stalled || (writer->committing && writer->db.unanswered);
      for (postgres_command *command = first; command != end; command = command->next)
        command->in_doubt = command->in_doubt || writer->committing;
      if (writer->db.unanswered) {
        writer->connected = false;
        writer->hooks->connected(writer->store, writer, false, writer->db.why);
        return SERVICE_FAILED;
      }
      if (!connect_by(writer, until, true)) return SERVICE_FAILED;
    } else if (writer->db.again && srv_clock_monotonic() < until) {
      pause_for(0.001 * (1 + writer->process % 7) * (1 << i)); /* different pauses for different servers */
    } else {
      return status;
    }
  }
  return status;
}

/* Executes commands in one transaction; if that fails, each in its own. */
static void execute_batch(postgres_writer *writer, const postgres_commands *batch, double until) {
  service_status status = execute_until_made(writer, batch->first, NULL, until);
  if (status == SERVICE_OK) return;
  bool alone = !batch->first->next, connected = writer->db.handle && !writer->db.lost;
  for (postgres_command *command = batch->first; command; command = command->next) {
    if (!alone && connected) status = execute_until_made(writer, command, command->next, until);
    if (status != SERVICE_OK) command->status = status;
    connected = writer->db.handle && !writer->db.lost;
  }
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

static struct timespec time_of(double monotonic) {
  struct timespec time = {.tv_sec = (time_t)monotonic};
  time.tv_nsec = (long)((monotonic - (double)time.tv_sec) * 1e9);
  return time;
}

/* Waits for commands until a time, and takes some. Returns false to stop. */
static bool take_batch(postgres_writer *writer, double until, postgres_commands *batch, bool *look) {
  struct timespec time = time_of(until);
  size_t weight = 0, count = 0;
  pthread_mutex_lock(&writer->mutex);
  writer->busy = false;
  if (!writer->waiting.first) pthread_cond_broadcast(&writer->idle);
  while (!writer->waiting.first && !writer->look && !writer->stopping)
    if (pthread_cond_timedwait(&writer->wake, &writer->mutex, &time) != 0) break;
  while (writer->waiting.first && count++ < BATCH_COMMANDS && weight <= BATCH_BYTES) {
    weight += writer->waiting.first->weight;
    push(batch, pop(&writer->waiting));
  }
  *look = writer->look;
  writer->look = false;
  bool go_on = !writer->stopping || batch->first;
  writer->busy = batch->first != NULL;
  pthread_mutex_unlock(&writer->mutex);
  return go_on;
}

/* Puts patient commands back, before those posted since. */
static void put_back(postgres_writer *writer, postgres_commands *patient) {
  pthread_mutex_lock(&writer->mutex);
  if (patient->first) {
    *patient->last = writer->waiting.first;
    if (!writer->waiting.first) writer->waiting.last = patient->last;
    writer->waiting.first = patient->first;
  }
  pthread_mutex_unlock(&writer->mutex);
}

/* Takes the first commands that may share a transaction. Commands that need no flush do not wait for those that do:
 * meanwhile other servers would wait for the rows that they have locked, for example a study's. */
static void take_alike(postgres_commands *batch, postgres_commands *alike) {
  bool may_be_lost = batch->first && batch->first->may_be_lost;
  commands_init(alike);
  while (batch->first && batch->first->may_be_lost == may_be_lost) push(alike, pop(batch));
}

/* Answers the commands. */
static void answer(postgres_writer *writer, postgres_commands *batch) {
  postgres_commands patient;
  commands_init(&patient);
  bool lost = !writer->db.handle || writer->db.lost;
  for (postgres_command *command; (command = pop(batch));) {
    if (command->status == SERVICE_NOT_READY)
      push(&writer->parked, command);
    else if (command->patient && command->status == SERVICE_FAILED && lost && !is_settling(writer))
      push(&patient, command);
    else
      command->done(command, command->status);
  }
  if (patient.first) pause_for(0.05);
  put_back(writer, &patient);
}

/* Prepares commands for their execution. Returns the time until which they may wait for a connection: the first one has
 * waited longest, except patient ones. */
static double prepare(const postgres_commands *batch) {
  double until = srv_clock_monotonic() + patience;
  for (postgres_command *command = batch->first; command; command = command->next) {
    command->status = SERVICE_FAILED;
    if (!command->patient && command->posted + patience < until) until = command->posted + patience;
  }
  return until;
}

static void execute_and_answer(postgres_writer *writer, postgres_commands *batch) {
  postgres_commands alike;
  for (take_alike(batch, &alike); alike.first; take_alike(batch, &alike)) {
    double until = prepare(&alike);
    if (connect_by(writer, until, false)) execute_batch(writer, &alike, until);
    answer(writer, &alike);
  }
}

static void *writer_thread(void *context) {
  postgres_writer *writer = context;
  postgres_commands batch;
  double tick_at = 0, look_at = 0;
  for (;;) {
    double now = srv_clock_monotonic(), until = now + look_seconds;
    if (writer->hooks->tick && now >= tick_at) tick_at = writer->hooks->tick(writer->store, now);
    if (writer->hooks->tick && tick_at < until) until = tick_at;
    bool look;
    commands_init(&batch);
    if (!take_batch(writer, until, &batch, &look)) break;
    now = srv_clock_monotonic();
    look = look || now >= look_at;
    if (look) look_at = now + look_seconds;
    if (look) tick_at = 0;
    /* Commands that were not ready come last, because the new ones may make them ready. */
    for (postgres_command *command; look && (command = pop(&writer->parked));) {
      command->posted = now;
      push(&batch, command);
    }
    if (!batch.first) connect_by(writer, now + patience, false);
    execute_and_answer(writer, &batch);
  }
  for (postgres_command *command; (command = pop(&writer->parked));) command->done(command, SERVICE_NOT_READY);
  return NULL;
}

bool postgres_writer_start(postgres_writer *writer, struct postgres_store *store, postgres_address *address,
                           double seconds, const postgres_hooks *hooks) {
  *writer = (postgres_writer){
      .db = {.address = address, .begin = postgres_schema_check, .seconds = seconds}, .store = store, .hooks = hooks};
  commands_init(&writer->waiting);
  commands_init(&writer->parked);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&writer->mutex, NULL);
  pthread_cond_init(&writer->wake, &monotonic);
  pthread_cond_init(&writer->idle, NULL);
  pthread_condattr_destroy(&monotonic);
  return pthread_create(&writer->thread, NULL, writer_thread, writer) == 0;
}

void postgres_writer_post(postgres_writer *writer, postgres_command *command) {
  assert(command->execute && command->done);
  pthread_mutex_lock(&writer->mutex);
  command->posted = srv_clock_monotonic();
  push(&writer->waiting, command);
  pthread_cond_signal(&writer->wake);
  pthread_mutex_unlock(&writer->mutex);
}

void postgres_writer_look(postgres_writer *writer) {
  pthread_mutex_lock(&writer->mutex);
  writer->look = true;
  pthread_cond_signal(&writer->wake);
  pthread_mutex_unlock(&writer->mutex);
}

void postgres_writer_settle(postgres_writer *writer) {
  pthread_mutex_lock(&writer->mutex);
  writer->settling = true;
  while (writer->busy || writer->waiting.first) pthread_cond_wait(&writer->idle, &writer->mutex);
  pthread_mutex_unlock(&writer->mutex);
}

void postgres_writer_stop(postgres_writer *writer) {
  pthread_mutex_lock(&writer->mutex);
  writer->stopping = true;
  pthread_cond_signal(&writer->wake);
  pthread_mutex_unlock(&writer->mutex);
  pthread_join(writer->thread, NULL);
  pthread_cond_destroy(&writer->idle);
  pthread_cond_destroy(&writer->wake);
  pthread_mutex_destroy(&writer->mutex);
  postgres_db_close(&writer->db);
  free(writer->events);
  free(writer->uses);
}
