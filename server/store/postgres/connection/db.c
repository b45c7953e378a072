/* db.c - see db.h. */
#include "server/store/postgres/connection/db.h"

#include "api/base/text.h"
#include "server/base/clock.h"
#include "server/base/log.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Minimum and maximum pause between attempts to connect [s]. */
static const double least_pause = 0.1, longest_pause = 2;

/* Maximum time to establish a connection [s], and of waits that then notice that the database is silent [ms]. */
static const double connect_seconds = 3;
enum { SLICE_MS = 100 };

/* Share of the time limit of a response after which a statement no longer waits for a lock. */
static const double lock_share = 0.75;

/* Minimum time between warnings about lost connections [s]. */
enum { LOSS_SECONDS = 10 };

enum { MOST_PARAMETERS = 32, NUMBER_SIZE = 32, MOST_KEYWORDS = 120 };

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* Defaults of libpq's options: they detect a silent loss of the host also while nothing is asked. */
static const char *const defaults[][2] = {{"application_name", "mbsd"},  {"keepalives_idle", "15"},
                                          {"keepalives_interval", "5"},  {"keepalives_count", "3"},
                                          {"tcp_user_timeout", "20000"}, {"client_encoding", "UTF8"}};
enum { DEFAULTS = sizeof defaults / sizeof *defaults };

static const char *fallback(const char *keyword) {
  for (size_t i = 0; i < DEFAULTS; i++)
    if (strcmp(defaults[i][0], keyword) == 0) return defaults[i][1];
  return NULL;
}

static void describe(postgres_address *address, const PQconninfoOption *options) {
  const char *host = NULL, *port = NULL, *name = NULL, *user = NULL;
  for (const PQconninfoOption *option = options; option->keyword; option++) {
    const char *value = option->val && *option->val ? option->val : NULL;
    if (strcmp(option->keyword, "host") == 0) host = value;
    if (strcmp(option->keyword, "hostaddr") == 0 && !host) host = value;
    if (strcmp(option->keyword, "port") == 0) port = value;
    if (strcmp(option->keyword, "dbname") == 0) name = value;
    if (strcmp(option->keyword, "user") == 0) user = value;
  }
  snprintf(address->where, sizeof address->where, "%.50s at %.80s%s%.10s%s%.30s", name ? name : "the default database",
           host ? host : "the local socket", port ? ":" : "", port ? port : "", user ? " as " : "", user ? user : "");
}

/* Parameters of a server, in the order of `servers` of an address. */
static const char *const server_keywords[] = {"host", "hostaddr", "port"};

/* Splits the lists of servers; a single port is that of all. Returns false if memory runs out or there are too many. */
static bool split_servers(postgres_address *address) {
  address->server_count = 1;
  for (size_t i = 0; address->keywords[i]; i++) {
    for (size_t k = 0; k < 3; k++) {
      if (strcmp(address->keywords[i], server_keywords[k]) != 0) continue;
      size_t count = 0;
      for (const char *from = address->values[i], *end; from; from = *end ? end + 1 : NULL) {
        end = from + strcspn(from, ",");
        if (count == POSTGRES_HOSTS || !(address->servers[count++][k] = strndup(from, (size_t)(end - from))))
          return false;
      }
      if (count > address->server_count) address->server_count = count;
      for (size_t m = 1; k == 2 && count == 1 && m < POSTGRES_HOSTS; m++)
        if (!(address->servers[m][k] = strdup(address->values[i]))) return false;
    }
  }
  return true;
}

bool postgres_address_read(postgres_address *address, const char *url, const char *password,
                           char message[POSTGRES_MESSAGE]) {
  *address = (postgres_address){.server_count = 1};
  char *error = NULL;
  PQconninfoOption *options = PQconninfoParse(url, &error);
  PQfreemem(error); /* the message may contain the URL */
  size_t count = 0, room = 0;
  for (PQconninfoOption *option = options; option && option->keyword; option++) room++;
  address->keywords = calloc(room + 1, sizeof *address->keywords);
  address->values = calloc(room + 1, sizeof *address->values);
  bool good = options && address->keywords && address->values && room < MOST_KEYWORDS;
  for (PQconninfoOption *option = options; good && option->keyword; option++) {
    const char *instead = strcmp(option->keyword, "password") == 0 ? password : fallback(option->keyword);
    const char *value = option->val ? option->val : instead;
    if (!value) continue;
    address->keywords[count] = strdup(option->keyword);
    address->values[count] = strdup(value);
    good = address->keywords[count] && address->values[count];
    count++;
  }
  good = good && split_servers(address);
  if (good) describe(address, options);
  if (!options)
    snprintf(
        message, POSTGRES_MESSAGE,
        "--store is not a database address; expected postgresql://USER@HOST:PORT/NAME with special characters as %%XX");
  else if (!good)
    snprintf(message, POSTGRES_MESSAGE, "out of memory, or --store lists more than %d servers", POSTGRES_HOSTS);
  PQconninfoFree(options);
  if (!good) postgres_address_free(address);
  return good;
}

void postgres_address_free(postgres_address *address) {
  for (size_t i = 0; address->keywords && address->keywords[i]; i++) free(address->keywords[i]);
  for (size_t i = 0; address->values && address->values[i]; i++) free(address->values[i]);
  free(address->keywords);
  free(address->values);
  for (size_t i = 0; i < POSTGRES_HOSTS; i++)
    for (size_t k = 0; k < 3; k++) free(address->servers[i][k]);
  *address = (postgres_address){.server_count = 1};
}

/* ---- waiting for the server -------------------------------------------------------------------------------------- */

/* Waits for the socket of a connection at most until `until`. Returns false if the server does not respond in time, or
 * to no connection. */
static bool wait_for_socket(postgres_db *db, short events, double until) {
  for (;;) {
    double left = until - srv_clock_monotonic();
    bool given_up = !db->watches && atomic_load(&db->address->silent);
    if (left <= 0 || given_up) return false;
    struct pollfd file = {.fd = PQsocket(db->handle), .events = events};
    int ready = poll(&file, 1, left * 1000 < SLICE_MS ? (int)ceil(left * 1000) : SLICE_MS);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

static bool is_error(const PGresult *result) {
  ExecStatusType status = PQresultStatus(result);
  return status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY;
}

/* Sends a statement that libpq has accepted, and returns the last result, or the error. The time limit begins anew when
 * data passes. Returns NULL, and sets `unanswered`, if the server does not respond. */
static PGresult *exchange(postgres_db *db) {
  PGresult *last = NULL;
  double until = srv_clock_monotonic() + db->seconds;
  for (;;) {
    int unsent = PQflush(db->handle);
    bool broken = unsent < 0;
    while (!broken && unsent == 0 && !PQisBusy(db->handle)) {
      PGresult *next = PQgetResult(db->handle);
      if (!next) return last;
      PQclear(last);
      last = next;
      broken = PQstatus(db->handle) != CONNECTION_OK;
    }
    if (!broken && !wait_for_socket(db, unsent > 0 ? POLLIN | POLLOUT : POLLIN, until)) {
      db->unanswered = true;
      PQclear(last);
      return NULL;
    }
    until = srv_clock_monotonic() + db->seconds;
    broken = broken || !PQconsumeInput(db->handle);
    if (!broken) continue;
    if (last && is_error(last)) return last; /* the server's reason */
    PQclear(last);
    return PQgetResult(db->handle);
  }
}

PGresult *postgres_db_simple(postgres_db *db, const char *sql) {
  return PQsendQuery(db->handle, sql) ? exchange(db) : NULL;
}

/* ---- connecting -------------------------------------------------------------------------------------------------- */

void postgres_db_close(postgres_db *db) {
  PQfinish(db->handle);
  db->handle = NULL;
  db->lost = false;
  memset(db->statements, 0, sizeof db->statements);
}

/* Copies the first line of a message of libpq. */
static void first_line(const char *text, char *out, size_t size) {
  snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Returns true if a failure to connect may pass by itself: there is no server, or it starts, stops or recovers, is a
 * standby, or has too many connections. With verbose messages a refusal contains its SQLSTATE, as ":  57P03: ". */
static bool may_pass(const postgres_db *db, const char *said) {
  const char *state = strstr(said, ":  ");
  if (!state || strlen(state) < 9 || state[8] != ':') return !PQconnectionNeedsPassword(db->handle);
  return strncmp(state + 3, "57P", 3) == 0 || strncmp(state + 3, "53", 2) == 0;
}

/* Stores why there is no connection, with a remedy. */
static void tell_why(postgres_db *db) {
  char said[240];
  first_line(PQerrorMessage(db->handle), said, sizeof said);
  db->passing = db->passing || may_pass(db, said);
  if (!said[0]) snprintf(said, sizeof said, "no response within %g s", connect_seconds);
  const char *remedy = "check that it is running and accepts connections from this machine";
  if (PQconnectionNeedsPassword(db->handle))
    remedy = "it requires a password: set it in ~/.pgpass, PGPASSWORD or the address in MBSD_STORE";
  else if (PQconnectionUsedPassword(db->handle) && strstr(said, "password"))
    remedy = "the user or the password is wrong: check ~/.pgpass, PGPASSWORD or MBSD_STORE";
  else if (strstr(said, "does not exist"))
    remedy = "create it (createuser, createdb -O USER NAME), or use another one";
  else if (strstr(said, "read-only") || strstr(said, "read-write"))
    remedy = "add the primary server to the address";
  else if (strstr(said, "too many clients") || strstr(said, "connection slots"))
    remedy = "increase its max_connections: each mbsd uses eight";
  snprintf(db->why, sizeof db->why, "cannot connect to the database %.120s (%.200s): %s", db->address->where, said,
           remedy);
}

/* Settings of a connection. A daemon that stops inside a transaction does not block others for long, and a statement
 * whose client has gone ends (since PostgreSQL 14). Plans are made while tables are empty, and used when they are
 * not. */
static const char settings[] =
    "SET search_path = mbsd; SET client_min_messages = warning; SET jit = off; SET enable_seqscan = off;"
    "SET idle_in_transaction_session_timeout = '5s'; SET lock_timeout = %d; SET statement_timeout = '120s';"
    "SET default_transaction_isolation = 'read committed';"
    "SELECT set_config(name, '1s', false) FROM pg_settings WHERE name = 'client_connection_check_interval';"
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', "
    "'local')";

static bool begin_session(postgres_db *db) {
  char text[sizeof settings + 16];
  snprintf(text, sizeof text, settings, (int)(lock_share * db->seconds * 1000));
  PGresult *result = postgres_db_simple(db, text);
  bool good = result && !is_error(result);
  PQclear(result);
  if (!good) tell_why(db);
  return good && db->begin(db);
}

static void ignore_notice(void *context, const PGresult *notice) {
  (void)context;
  (void)notice;
}

/* Starts a connection to a server of the address. Later keywords override the lists before them. */
static PGconn *start_connection(const postgres_address *address, size_t server) {
  const char *keywords[MOST_KEYWORDS + 4] = {0}, *values[MOST_KEYWORDS + 4] = {0};
  size_t count = 0;
  for (; address->keywords[count]; count++) {
    keywords[count] = address->keywords[count];
    values[count] = address->values[count];
  }
  for (size_t k = 0; k < 3 && address->server_count > 1; k++) {
    if (!address->servers[server][k]) continue;
    keywords[count] = server_keywords[k];
    values[count++] = address->servers[server][k];
  }
  return PQconnectStartParams(keywords, values, 0);
}

/* Like PQconnectdbParams(), which would print the server's notices meanwhile. */
static bool open_connection(postgres_db *db, size_t server) {
  double until = srv_clock_monotonic() + connect_seconds;
  if (db->until > 0 && db->until < until) until = db->until;
  db->handle = start_connection(db->address, server);
  if (!db->handle || PQstatus(db->handle) == CONNECTION_BAD) return false;
  PQsetNoticeReceiver(db->handle, ignore_notice, NULL);
  PQsetErrorVerbosity(db->handle, PQERRORS_VERBOSE);
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) {
    if (!wait_for_socket(db, state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until)) {
      db->unanswered = true;
      return false;
    }
    state = PQconnectPoll(db->handle);
  }
  return state == PGRES_POLLING_OK && PQsetnonblocking(db->handle, 1) == 0;
}

/* Connects to a server of the address. Returns false with `why` on failure. */
static bool connect_to_server(postgres_db *db, size_t server) {
  postgres_db_close(db);
  db->changes = atomic_load(&db->address->changes);
  if (db->attempt == 0) db->unanswered = db->passing = false;
  if (!open_connection(db, server)) {
    tell_why(db);
    return false;
  }
  if (!begin_session(db)) {
    db->passing = db->passing || db->lost;
    return false;
  }
  db->unanswered = false;
  atomic_store(&db->address->server, server);
  return true;
}

bool postgres_db_connect(postgres_db *db, bool now) {
  postgres_address *address = db->address;
  bool is_current = db->changes == atomic_load(&address->changes);
  if (db->handle && !db->lost && is_current && PQstatus(db->handle) == CONNECTION_OK) return true;
  double time = srv_clock_monotonic();
  /* after a silence of the database, the pause before it no longer matters */
  bool pauses = is_current && time < db->try_at, silent = atomic_load(&address->silent) && !db->watches;
  if ((!now && (pauses || silent)) || (db->until > 0 && time >= db->until)) {
    if (!db->why[0]) snprintf(db->why, sizeof db->why, "the database %.120s does not respond", address->where);
    return false;
  }
  if (connect_to_server(db, (atomic_load(&address->server) + db->attempt) % address->server_count)) {
    db->why[0] = '\0';
    db->pause = 0;
    db->attempt = 0;
    return true;
  }
  postgres_db_close(db);
  if (++db->attempt < address->server_count) return false;
  db->attempt = 0;
  db->pause = db->pause > 0 ? 2 * db->pause : least_pause;
  if (db->pause > longest_pause) db->pause = longest_pause;
  db->try_at = srv_clock_monotonic() + db->pause;
  return false;
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static service_status status_of(const char *code) {
  if (strcmp(code, "53100") == 0) return SERVICE_NO_SPACE;
  /* Errors of values or constraints, or values that are too large: they fail each time. */
  if (strncmp(code, "22", 2) == 0 || strncmp(code, "23", 2) == 0 || strncmp(code, "54", 2) == 0)
    return SERVICE_REJECTED;
  return SERVICE_FAILED;
}

/* Returns true if the server is shutting down or no longer accepts changes: another connection may lead to one that
 * does. */
static bool ends_connection(const char *code) {
  return strncmp(code, "57P", 3) == 0 || strncmp(code, "08", 2) == 0 || strcmp(code, "25006") == 0 ||
         strcmp(code, "25P03") == 0;
}

/* Returns the level for a lost connection: a database that stops closes all connections, and one warning suffices. */
static srv_log_level level_of_loss(void) {
  static atomic_llong told_at;
  long long now = (long long)(1 + srv_clock_monotonic()), last = atomic_load(&told_at);
  bool tells = (last == 0 || now - last >= LOSS_SECONDS) && atomic_compare_exchange_strong(&told_at, &last, now);
  return tells ? SRV_WARNING : SRV_DEBUG;
}

/* Stores the failure, and frees the result. */
static void note_failure(postgres_db *db, const char *what, PGresult *result) {
  const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
  char code[6], said[200], doing[80];
  snprintf(doing, sizeof doing, "%s", what);
  snprintf(code, sizeof code, "%s", state ? state : "08006");
  const char *message = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
  first_line(message ? message : PQerrorMessage(db->handle), said, sizeof said);
  memcpy(db->code, code, sizeof code);
  db->again = strcmp(code, "40001") == 0 || strcmp(code, "40P01") == 0 || strcmp(code, "55P03") == 0;
  if (PQstatus(db->handle) != CONNECTION_OK || ends_connection(code) || db->unanswered) db->lost = true;
  if (db->unanswered) snprintf(said, sizeof said, "it does not respond");
  if (db->lost)
    snprintf(db->why, sizeof db->why, "the connection to the database %.120s was lost (%.200s)", db->address->where,
             said);
  PQclear(result);
  srv_log(db->again  ? SRV_DEBUG
          : db->lost ? level_of_loss()
                     : SRV_ERROR,
          db->lost ? "database_lost" : "database_error",
          (srv_field[]){srv_text("database", db->address->where),
                        srv_text("doing", doing),
                        srv_text("code", code),
                        srv_text("error", said),
                        {0}});
}

service_status postgres_db_failure(const postgres_db *db) { return status_of(db->code); }

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* The parameters of a statement, in libpq's format. */
typedef struct parameters {
  int count;
  const char *values[MOST_PARAMETERS];
  int lengths[MOST_PARAMETERS], formats[MOST_PARAMETERS];
  char numbers[MOST_PARAMETERS][NUMBER_SIZE];
} parameters;

static void take_parameter(parameters *all, char kind, va_list *values) {
  assert(all->count < MOST_PARAMETERS);
  int i = all->count++;
  char *number = all->numbers[i];
  all->formats[i] = kind == 'b';
  all->lengths[i] = 0;
  all->values[i] = number;
  switch (kind) {
  case 't': all->values[i] = va_arg(*values, const char *); break;
  case 'i': snprintf(number, NUMBER_SIZE, "%lld", (long long)va_arg(*values, int64_t)); break;
  case 'd': snprintf(number, NUMBER_SIZE, "%.17g", va_arg(*values, double)); break;
  case 'f': snprintf(number, NUMBER_SIZE, "%s", va_arg(*values, int) ? "t" : "f"); break;
  default:
    assert(kind == 'b');
    all->values[i] = va_arg(*values, const char *);
    all->lengths[i] = (int)va_arg(*values, size_t);
    if (!all->values[i]) all->values[i] = "";
  }
}

/* Gets the name of a prepared statement. Returns false if it cannot be prepared; stores the failure. */
static bool prepare(postgres_db *db, const char *sql, char name[16]) {
  size_t i = 0;
  while (i < POSTGRES_STATEMENTS && db->statements[i] && db->statements[i] != sql) i++;
  if (i == POSTGRES_STATEMENTS) return false;
  snprintf(name, 16, "s%zu", i);
  if (db->statements[i]) return true;
  PGresult *result = PQsendPrepare(db->handle, name, sql, 0, NULL) ? exchange(db) : NULL;
  if (PQresultStatus(result) != PGRES_COMMAND_OK) {
    note_failure(db, sql, result);
    return false;
  }
  PQclear(result);
  db->statements[i] = sql;
  return true;
}

static PGresult *execute(postgres_db *db, const char *sql, const char *kinds, va_list *values) {
  char name[16];
  parameters all = {.count = 0};
  db->again = false;
  if (!db->handle || db->lost) {
    memcpy(db->code, "08003", 6);
    db->lost = true;
    return NULL;
  }
  if (!prepare(db, sql, name)) return NULL;
  while (*kinds) take_parameter(&all, *kinds++, values);
  bool sent = PQsendQueryPrepared(db->handle, name, all.count, all.values, all.lengths, all.formats, 1);
  PGresult *result = sent ? exchange(db) : NULL;
  if (!is_error(result)) return result;
  note_failure(db, sql, result);
  return NULL;
}

PGresult *postgres_db_query(postgres_db *db, const char *sql, const char *kinds, ...) {
  va_list values;
  va_start(values, kinds);
  PGresult *result = execute(db, sql, kinds, &values);
  va_end(values);
  return result;
}

service_status postgres_db_run(postgres_db *db, size_t *changed, const char *sql, const char *kinds, ...) {
  va_list values;
  va_start(values, kinds);
  PGresult *result = execute(db, sql, kinds, &values);
  va_end(values);
  if (!result) return postgres_db_failure(db);
  if (changed) *changed = strtoull(PQcmdTuples(result), NULL, 10);
  PQclear(result);
  return SERVICE_OK;
}

service_status postgres_db_script(postgres_db *db, const char *sql) {
  db->again = false;
  if (!db->handle || db->lost) {
    memcpy(db->code, "08003", 6);
    db->lost = true;
    return SERVICE_FAILED;
  }
  PGresult *result = postgres_db_simple(db, sql);
  if (!is_error(result)) {
    PQclear(result);
    return SERVICE_OK;
  }
  note_failure(db, "a script", result);
  return postgres_db_failure(db);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static uint64_t big_endian(const char *bytes, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; i++) value = value << 8 | (unsigned char)bytes[i];
  return value;
}

int64_t postgres_integer(const PGresult *result, int row, int column) {
  int size = PQgetlength(result, row, column);
  uint64_t value = big_endian(PQgetvalue(result, row, column), size);
  return size == 4 ? (int32_t)value : size == 2 ? (int16_t)value : (int64_t)value;
}

double postgres_double(const PGresult *result, int row, int column) {
  if (PQgetlength(result, row, column) != (int)sizeof(double)) return 0;
  uint64_t bits = big_endian(PQgetvalue(result, row, column), sizeof bits);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

char *postgres_text(const PGresult *result, int row, int column) {
  return PQgetisnull(result, row, column) ? NULL : api_text_copy(PQgetvalue(result, row, column));
}

void postgres_copy(const PGresult *result, int row, int column, char *out, size_t size) {
  snprintf(out, size, "%s", PQgetvalue(result, row, column));
}
