/* main.c - mbsd: starts and stops the parts of the service in order. */
#include "mbs.h"
#include "server/base/clock.h"
#include "server/base/config.h"
#include "server/base/log.h"
#include "server/base/machine.h"
#include "server/http/health.h"
#include "server/http/http.h"
#include "server/http/listen_socket.h"
#include "server/jobs/supervisor.h"
#include "server/service.h"
#include "server/store/postgres/connection/open.h"
#include "server/store/sqlite/connection/data_directory.h"
#include "server/store/sqlite/connection/open.h"
#include "server/store/sqlite/operations/backup.h"
#include "server/store/sqlite/operations/integrity_check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, PASSWORD_SIZE = 1024 };

static const double worker_start_seconds = 10;
/* Processor time of a worker beyond that of its document, to send results, which has no separate limit [s]. */
static const double spare_seconds = 60;

/* The signals that end the service, and, with `hang_up`, the one that lets it read its tokens. */
static sigset_t service_signals(bool hang_up) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  if (hang_up) sigaddset(&set, SIGHUP);
  return set;
}

/* Blocks signals: the HTTP loop reads those that end the service; others from a client or a full disk must not end
 * it. */
static void set_up_signals(void) {
  sigset_t set = service_signals(true);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/* Raises the limit of file descriptors: for connections, the database, the workers, and others. */
static void allow_connections(const srv_config *config) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  rlim_t wanted = config->connections + 2 * (config->workers + POOL_CHECKERS + POOL_SHORT_LANES) + 64;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static void report(const char *what, const char *why) {
  srv_log(SRV_ERROR, what, (srv_field[]){srv_text("error", why), {0}});
}

static void report_stop(void) { srv_log(SRV_INFO, "stopped", (srv_field[]){{0}}); }

/* Callback from the pool to the HTTP side, which it does not depend on otherwise. */
static void drained(void *context) { srv_http_pool_drained(context); }

static void announce(const char *where) {
  printf("mbsd listening on %s\n", where);
  fflush(stdout);
  srv_log(SRV_INFO, "listening", (srv_field[]){srv_text("on", where), srv_text("version", MBS_VERSION), {0}});
}

/* Sets the restrictions of workers: by default all that the system supports. Returns false if less than required is
 * available. */
static bool set_up_workers(const srv_config *config, worker_settings *workers) {
  char why[SANDBOX_WHY_SIZE] = "the sandbox is disabled (--sandbox=off)";
  const double longer = config->job_seconds > config->check_seconds ? config->job_seconds : config->check_seconds;
  *workers = (worker_settings){.seconds = longer + spare_seconds};
  if (!srv_sandbox_find_user(config->worker_user, &workers->own, why)) {
    report("start_failed", why);
    return false;
  }
  bool required = strcmp(config->sandbox, "required") == 0, wanted = strcmp(config->sandbox, "off") != 0;
  workers->confined = wanted && srv_sandbox_try(why);
  if (workers->confined) {
    srv_log(SRV_INFO, "sandbox", (srv_field[]){srv_text("landlock", srv_sandbox_has_landlock() ? "yes" : "no"), {0}});
  } else if (required) {
    report("start_failed", why);
  } else {
    srv_log(SRV_WARNING, "no_sandbox", (srv_field[]){srv_text("why", why), {0}});
  }
  return workers->confined || !required;
}

/* Serves on a listening socket, with an open store. */
static bool serve(srv_server *server, const srv_listen_socket *listening, const worker_settings *workers) {
  const srv_config *config = server->config;
  srv_pool_settings settings = {.workers = config->workers + POOL_CHECKERS + POOL_SHORT_LANES,
                                .jobs = config->workers,
                                .job = {.memory = config->job_memory,
                                        .rows = config->rows,
                                        .runs = config->study_runs,
                                        .result_bytes = config->result,
                                        .seconds = config->job_seconds},
                                .check_memory = config->check_memory,
                                .check_seconds = config->check_seconds,
                                .process = *workers};
  srv_http *http = srv_http_new(listening->file, server);
  if (!http) {
    report("start_failed", "the HTTP library libmicrohttpd could not be started");
    return false;
  }
  bool good = false;
  server->pool = srv_pool_start(&settings, server->store, server->metrics, drained, http);
  if (!server->pool || !srv_pool_wait_ready(server->pool, worker_start_seconds)) {
    report("start_failed", "no worker process could be started");
  } else {
    announce(listening->text);
    srv_http_run(http);
    good = true;
  }
  if (server->pool) srv_pool_stop(server->pool);
  server->store->close(server->store);
  if (server->pool) srv_pool_free(server->pool);
  srv_http_free(http);
  return good;
}

/* ---- the door ---------------------------------------------------------------------------------------------------- */

/* Returns all host names of the service. A web page cannot reach a unix socket by name, so there any name is allowed,
 * as the proxy in front passes it on. */
static char *known_names(const srv_config *config, const srv_listen_socket *listening) {
  char *names = NULL;
  const char *separator = config->host_names[0] ? "," : "";
  const char *own = listening->path[0] ? "*" : listening->host;
  return asprintf(&names, "%s%s%s", config->host_names, separator, own) < 0 ? NULL : names;
}

/* Reads the token file. Returns false after reporting why the service must not be reachable without it. */
static bool set_up_door(srv_server *server, const srv_listen_socket *listening) {
  const srv_config *config = server->config;
  char message[TOKENS_MESSAGE_SIZE];
  if (config->token_file[0]) {
    server->tokens = srv_tokens_open(config->token_file, message);
    if (!server->tokens) report("start_failed", message);
    return server->tokens;
  }
  if (listening->local || config->insecure) return true;
  snprintf(message, sizeof message,
           "%.300s is reachable from other machines: give --token-file=FILE (mbsd --new-token creates its lines), "
           "listen on 127.0.0.1 or unix:PATH, or disable authentication with --insecure",
           listening->text);
  report("start_failed", message);
  return false;
}

/* ---- start and end ----------------------------------------------------------------------------------------------- */

/* Returns true if the store is in the data directory. */
static bool store_is_folder(const srv_config *config) {
  return config->store[0] == '\0' || strcmp(config->store, "sqlite:") == 0;
}

/* Reads the first line of a file. Returns false with the reason on failure. */
static bool read_password(const char *path, char password[PASSWORD_SIZE], char message[STORE_MESSAGE_SIZE]) {
  FILE *file = fopen(path, "r");
  bool good = file && fgets(password, PASSWORD_SIZE, file);
  if (good) password[strcspn(password, "\r\n")] = '\0';
  if (!good)
    snprintf(message, STORE_MESSAGE_SIZE, "cannot read the password of --store-password-file=%.300s: %s", path,
             file ? "the file is empty" : strerror(errno));
  if (file) fclose(file);
  return good;
}

/* Opens the store in a database. Waits for a database that is absent or recovers, at most --wait-database. */
static srv_store *open_database(const srv_config *config, char message[STORE_MESSAGE_SIZE]) {
  char password[PASSWORD_SIZE];
  if (*config->store_password_file && !read_password(config->store_password_file, password, message)) return NULL;
  const postgres_store_settings database = {.url = config->store,
                                            .password = *config->store_password_file ? password : NULL,
                                            .lease_seconds = config->lease,
                                            .keep_days = config->keep_days,
                                            .keep_bytes = config->keep_bytes};
  const sigset_t ending = service_signals(false);
  const double until = srv_clock_monotonic() + config->wait_database;
  for (bool told = false, passing;; told = true) {
    srv_store *store = postgres_store_open(&database, message, &passing);
    if (store || !passing || srv_clock_monotonic() >= until) return store;
    if (!told)
      srv_log(SRV_WARNING, "database_awaited",
              (srv_field[]){srv_text("why", message), srv_number("seconds", config->wait_database), {0}});
    if (sigtimedwait(&ending, NULL, &(struct timespec){.tv_nsec = 500000000}) > 0) {
      snprintf(message, STORE_MESSAGE_SIZE, "stopped while it waited for the database");
      return NULL;
    }
  }
}

/* Opens the store of the options. Returns NULL with the reason on failure. */
static srv_store *open_store(const srv_config *config, char message[STORE_MESSAGE_SIZE]) {
  const sqlite_store_settings folder = {.folder = config->data,
                                        .reserve = config->disk_reserve,
                                        .keep_days = config->keep_days,
                                        .keep_bytes = config->keep_bytes};
  if (store_is_folder(config)) return sqlite_store_open_with(&folder, message);
  if (!sqlite_data_directory_make(config->data)) {
    snprintf(message, STORE_MESSAGE_SIZE, "cannot create the folder %.300s: %s", config->data, strerror(errno));
    return NULL;
  }
  return open_database(config, message);
}

/* Checks that the options are compatible. Returns false after reporting a conflict. */
static bool options_agree(const srv_config *config) {
  bool folder = store_is_folder(config);
  if (!folder && !postgres_store_is_url(config->store)) {
    fprintf(stderr, "mbsd: --store must be sqlite: or postgresql://USER@HOST:PORT/NAME\n");
    return false;
  }
  if (folder && config->workers_only) {
    fprintf(stderr, "mbsd: --workers-only requires a shared database: --store=postgresql://...\n");
    return false;
  }
  return true;
}

/* Runs the service on a listening socket, which is closed at the end. */
static bool run_on(srv_server *server, const srv_listen_socket *listening, const worker_settings *workers) {
  char message[STORE_MESSAGE_SIZE] = "out of memory";
  const srv_config *config = server->config;
  server->metrics = srv_metrics_new();
  server->host_names = known_names(config, listening);
  if (!set_up_door(server, listening)) {
    close(listening->file);
    return false;
  }
  bool memory = server->metrics && server->host_names;
  server->store = memory ? open_store(config, message) : NULL;
  if (server->store) return serve(server, listening, workers);
  report("start_failed", message);
  close(listening->file);
  return false;
}

static bool run(srv_config *config) {
  set_up_signals();
  if (config->workers == 0) {
    config->workers = srv_machine_workers("", srv_machine_processors(), config->job_memory);
    srv_log(SRV_INFO, "workers", (srv_field[]){srv_number("workers", (double)config->workers), {0}});
  }
  allow_connections(config);
  worker_settings workers;
  if (!set_up_workers(config, &workers)) return false;
  char message[LISTEN_SOCKET_MESSAGE_SIZE];
  srv_listen_socket listening;
  if (!srv_listen_socket_open(config, &listening, message)) {
    report("start_failed", message);
    return false;
  }
  srv_server server = {.config = config, .download_limits = SRV_DOWNLOAD_LIMITS_INIT};
  bool good = run_on(&server, &listening, &workers);
  srv_listen_socket_remove(&listening);
  srv_tokens_free(server.tokens);
  free(server.host_names);
  srv_metrics_free(server.metrics);
  if (good) report_stop();
  return good;
}

static bool ask_service(const srv_config *config, bool ready) {
  char why[HEALTH_WHY_SIZE];
  if (srv_health_ask(config, ready ? "/readyz" : "/healthz", why)) return true;
  fprintf(stderr, "mbsd: the service is not %s: %s\n", ready ? "ready" : "healthy", why);
  return false;
}

/* Executes the command line: runs the service, or another action with the data directory or a service. */
static bool act(srv_config_result wanted, srv_config *config) {
  bool looks = wanted == SRV_CONFIG_CHECK || wanted == SRV_CONFIG_BACKUP;
  if (looks && !store_is_folder(config)) {
    fprintf(stderr,
            "mbsd: --check and --backup support only the store in --data; for PostgreSQL use pg_amcheck and pg_dump\n");
    return false;
  }
  if (wanted == SRV_CONFIG_CHECK) return sqlite_integrity_check(config->data, stdout);
  if (wanted == SRV_CONFIG_BACKUP) return sqlite_back_up(config->data, config->backup, stdout, stderr);
  bool asks_ready = wanted == SRV_CONFIG_READY;
  if (wanted == SRV_CONFIG_HEALTH || asks_ready) return ask_service(config, asks_ready);
  return options_agree(config) && run(config);
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
