/* Runs the conformance tests on the SQLite store. */
#include "server/base/log.h"
#include "server/store/sqlite/connection/open.h"
#include "store/conformance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static double lease;

static void reopen_folder(srv_store **a, srv_store **b) {
  char message[STORE_MESSAGE_SIZE] = "";
  *a = *b = sqlite_store_open(folder, 0, message); /* this engine serves a single server */
  if (!*a) fail_msg("%s", message);
  (*a)->lease_seconds = lease;
}

static void remove_folder(void) {
  static const char *const files[] = {"queue.db",       "queue.db-wal",   "queue.db-shm", "results.db",
                                      "results.db-wal", "results.db-shm", "lock"};
  char path[128];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    unlink(path);
  }
  rmdir(folder);
}

static void open_folder(double lease_seconds, srv_store **a, srv_store **b) {
  if (folder[0]) remove_folder();
  snprintf(folder, sizeof folder, "/tmp/mbsd-store-XXXXXX");
  assert_non_null(mkdtemp(folder));
  lease = lease_seconds;
  reopen_folder(a, b);
}

int main(void) {
  srv_log_setup("error", false);
  int failed = store_conformance(&(store_engine){.open = open_folder, .reopen = reopen_folder});
  remove_folder();
  return failed;
}
