/* The PostgreSQL store does what every store must: two handles on one database, as of two servers. Run by
 * tests/private_postgres, which starts a server for it. */
#include "server/base/log.h"
#include "server/store/postgres/open.h"
#include "store/conformance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  srv_store *store = postgres_store_open(&(postgres_store_settings){.url = url, .lease_seconds = lease}, message);
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

int main(void) {
  if (!getenv("MBSD_TEST_POSTGRES")) {
    fprintf(stderr, "run it by tests/private_postgres\n");
    return 77;
  }
  srv_log_setup("error", false);
  return store_conformance(&(store_engine){.open = open_empty, .reopen = reopen});
}
