/* main.c - mbsd: the order in which the parts of the service start and stop. */
#include "mbs.h"
#include "server/base/config.h"
#include "server/base/log.h"
#include "server/http/http.h"
#include "server/http/listening.h"
#include "server/jobs/supervisor.h"
#include "server/service.h"
#include "server/store/sqlite/backup.h"
#include "server/store/sqlite/look_through.h"
#include "server/store/sqlite/open.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

static const double worker_start_seconds = 10;

/* Signals that end the service are read by the HTTP loop; a client or a full disk must not end it by one. */
static void set_up_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/* A connection is a file descriptor; so are the database, the workers, and a few more. */
static void allow_connections(const srv_config *config) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  rlim_t wanted = config->connections + 2 * (config->workers + POOL_CHECKERS) + 64;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static void report(const char *what, const char *why) {
  srv_log(SRV_ERROR, what, (srv_field[]){srv_text("error", why), {0}});
}

static void report_stop(void) { srv_log(SRV_INFO, "stopped", (srv_field[]){{0}}); }

/* The pool knows the HTTP side only by this. */
static void drained(void *context) { srv_http_pool_drained(context); }

static void announce(const char *host, size_t port) {
  bool six = strchr(host, ':') != NULL;
  printf("mbsd listening on http://%s%s%s:%zu\n", six ? "[" : "", host, six ? "]" : "", port);
  fflush(stdout);
  srv_log(
      SRV_INFO, "listening",
      (srv_field[]){srv_text("host", host), srv_number("port", (double)port), srv_text("version", MBS_VERSION), {0}});
}

/* Serves on a listening socket, over an open store. */
static bool serve(srv_server *server, int socket, size_t port) {
  const srv_config *config = server->config;
  srv_pool_settings settings = {.workers = config->workers + POOL_CHECKERS,
                                .jobs = config->workers,
                                .job_seconds = config->job_seconds,
                                .job_memory = config->job_memory,
                                .rows = config->rows,
                                .result_bytes = config->result,
                                .check_memory = config->check_memory,
                                .check_seconds = config->check_seconds};
  srv_http *http = srv_http_new(socket, server);
  if (!http) {
    report("start_failed", "libmicrohttpd does not start");
    return false;
  }
  bool good = false;
  server->pool = srv_pool_start(&settings, server->store, server->metrics, drained, http);
  if (!server->pool || !srv_pool_wait_ready(server->pool, worker_start_seconds)) {
    report("start_failed", "no worker process starts");
  } else {
    announce(config->host, port);
    srv_http_run(http);
    good = true;
  }
  if (server->pool) srv_pool_stop(server->pool);
  server->store->close(server->store);
  if (server->pool) srv_pool_free(server->pool);
  srv_http_free(http);
  return good;
}

static bool run(srv_config *config) {
  set_up_signals();
  if (config->workers == 0) config->workers = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
  allow_connections(config);
  char message[STORE_MESSAGE_SIZE];
  size_t port;
  int socket = srv_http_listen(config->host, config->port, &port, message);
  if (socket < 0) {
    report("start_failed", message);
    return false;
  }
  srv_server server = {.config = config, .metrics = srv_metrics_new(), .loopback = srv_http_is_loopback(socket)};
  sqlite_store_settings store = {.folder = config->data,
                                 .reserve = config->disk_reserve,
                                 .keep_days = config->keep_days,
                                 .keep_bytes = config->keep_bytes};
  server.store = server.metrics ? sqlite_store_open_with(&store, message) : NULL;
  bool good = false;
  if (server.store) {
    good = serve(&server, socket, port);
  } else {
    report("start_failed", server.metrics ? message : "out of memory");
    close(socket);
  }
  srv_metrics_free(server.metrics);
  if (good) report_stop();
  return good;
}

/* What the command line asked for: to serve, or something else with the data folder. */
static bool act(srv_config_result wanted, srv_config *config) {
  if (wanted == SRV_CONFIG_CHECK) return sqlite_look_through(config->data, stdout);
  if (wanted == SRV_CONFIG_BACKUP) return sqlite_back_up(config->data, config->backup, stdout, stderr);
  return run(config);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--supervisor") == 0) srv_supervisor_main();
  srv_config config;
  srv_config_result result = srv_config_read(argc, argv, &config, stdout, stderr);
  int code = result == SRV_CONFIG_BAD ? EXIT_USAGE : EXIT_SUCCESS;
  if (result != SRV_CONFIG_BAD && result != SRV_CONFIG_DONE) {
    srv_log_setup(config.log_level, strcmp(config.log_format, "json") == 0);
    if (!act(result, &config)) code = EXIT_FAILURE;
  }
  srv_config_free(&config);
  return code;
}
