/* Runs the conformance tests on the PostgreSQL store: two handles on one database, like two servers. Started by
 * tests/private_postgres, which starts a database server for it. */
#include "server/base/log.h"
#include "server/store/postgres/connection/open.h"
#include "store/conformance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <libpq-fe.h>

enum { URL_SIZE = 512 };

static char url[URL_SIZE];
static double lease;

static PGconn *connect_to_server(void) {
  PGconn *server = PQconnectdb(getenv("MBSD_TEST_POSTGRES"));
  if (PQstatus(server) != CONNECTION_OK) fail_msg("%s", PQerrorMessage(server));
  return server;
}

/* Makes an empty database in place of the one before. */
static void make_database(void) {
  static int number;
  char command[64];
  PGconn *server = connect_to_server();
  if (number > 0) {
    snprintf(command, sizeof command, "DROP DATABASE test_%d WITH (FORCE)", number);
    PQclear(PQexec(server, command));
  }
  snprintf(command, sizeof command, "CREATE DATABASE test_%d", ++number);
  PGresult *result = PQexec(server, command);
  if (PQresultStatus(result) != PGRES_COMMAND_OK) fail_msg("%s", PQerrorMessage(server));
  PQclear(result);
  PQfinish(server);
  const char *base = getenv("MBSD_TEST_POSTGRES"), *rest = strstr(base, "/postgres?");
  assert_non_null(rest);
  snprintf(url, sizeof url, "%.*s/test_%d%s", (int)(rest - base), base, number, rest + strlen("/postgres"));
}

static srv_store *open_one(void) {
  char message[POSTGRES_STORE_MESSAGE] = "";
  srv_store *store = postgres_store_open(&(postgres_store_settings){.url = url, .lease_seconds = lease}, message, NULL);
  if (!store) fail_msg("%s", message);
  return store;
}

static void reopen(srv_store **a, srv_store **b) {
  *a = open_one();
  *b = open_one();
}

static void open_empty(double lease_seconds, srv_store **a, srv_store **b) {
  make_database();
  lease = lease_seconds;
  reopen(a, b);
}

/* ---- notifications of other programs ----------------------------------------------------------------------------- */

typedef struct heard {
  atomic_int odd, last; /* events that no server sends; the event behind them */
} heard;

static void told(void *context, store_event event, const char *id) {
  heard *self = context;
  if (event == STORE_EVENT_MISSED && id[0] == '\0') return; /* the listener's own event for a new connection */
  atomic_fetch_add(event == STORE_EVENT_ENDED && strcmp(id, "last") == 0 ? &self->last : &self->odd, 1);
}

/* Lines that are not events of a server are skipped, and do not hide those after them. */
static void odd_notifications_are_passed_over(void **state) {
  (void)state;
  heard counts = {0};
  store_subscriber watcher = {.notify = told, .context = &counts};
  make_database();
  lease = 0;
  srv_store *store = open_one();
  store->subscribe(store, &watcher);
  PGconn *other = PQconnectdb(url);
  PGresult *result =
      PQexec(other, "SELECT pg_notify('mbsd', E'\\n3 x\\n\\n 3\\n3\\n3 \\n6 x\\n-1 x\\n99 x\\n3 last\\n')");
  assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
  PQclear(result);
  PQfinish(other);
  for (int i = 0; i < 3000 && atomic_load(&counts.last) == 0; i++)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  assert_int_equal(atomic_load(&counts.last), 1);
  assert_int_equal(atomic_load(&counts.odd), 1); /* the line "3 x" is an event */
  store->close(store);
}

int main(void) {
  if (!getenv("MBSD_TEST_POSTGRES")) {
    fprintf(stderr, "run it by tests/private_postgres\n");
    return 77;
  }
  srv_log_setup("error", false);
  const struct CMUnitTest tests[] = {cmocka_unit_test(odd_notifications_are_passed_over)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return failed + store_conformance(&(store_engine){.open = open_empty, .reopen = reopen});
}
