/* http.c - see http.h: the loop, its deadlines and its end. */
#include "server/http/http.h"

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/http/connections.h"
#include "server/http/event_streams.h"
#include "server/http/exchange.h"
#include "server/http/library_errors.h"
#include "server/http/mailbox.h"
#include "server/http/state.h"
#include "server/http/stream_producers.h"

#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTION_MEMORY = 64 << 10, TICK_MS = 100 };

/* Time at the end of a drain to send answers [s]. */
static const double farewell_seconds = 3;
/* Threads for requests that take time: reading and writing numbers; WAITING_THREADS if the store answers later, because
 * requests then wait on them. */
enum { READING_THREADS = 4, WAITING_THREADS = 8 };

/* Fewer connections hold a few megabytes, which is not worth the time to return them. */
enum { MANY_CONNECTIONS = 64 };

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

/* Returns freed memory to the system after most of many connections have ended: pieces that are still in use lie
 * between what they leave, so that free() keeps it. */
static void return_memory(srv_http *http) {
  const size_t open = atomic_load(&http->server->connections);
  if (open > http->most_connections) http->most_connections = open;
  if (http->most_connections < MANY_CONNECTIONS || open > http->most_connections / 2) return;
  http->most_connections = open;
  malloc_trim(0);
}

/* Closes slow connections, suspends unread streams, and ends waits past their deadline. */
static void sweep(srv_http *http, double now) {
  if (now - http->swept < TICK_MS / 1000.0) return;
  http->swept = now;
  http_connections_sweep(http, now);
  http_producers_suspend(http, now);
  http_event_streams_sweep(http, now);
  return_memory(http);
  for (http_exchange *exchange = http->waiting, *next; exchange; exchange = next) {
    next = exchange->next;
    if (now >= exchange->wait_until || http->drained) http_exchange_wake(exchange);
  }
}

/* ---- the mailbox ------------------------------------------------------------------------------------------------- */

void srv_http_pool_drained(srv_http *http) { http_mailbox_pool_drained(http); }

/* Callback of the store, on its thread, for events of all servers. */
static void store_notify(void *context, store_event event, const char *id) {
  srv_http *http = context;
  srv_event_log_append(http->server->event_log, event, id);
  switch (event) {
  case STORE_EVENT_ENDED:
  case STORE_EVENT_REMOVED:
  case STORE_EVENT_MISSED: http_mailbox_job_ended(http, id); break;
  case STORE_EVENT_QUEUED:
  case STORE_EVENT_STARTED:
    if (atomic_load(&http->followers) > 0) http_mailbox_wake(http);
    break;
  case STORE_EVENT_PROGRESS: /* polled several times a second */
  case STORE_EVENT_CANCEL: break;
  }
}

/* Wakes the exchanges that wait for a job that ended; "": any may have, so each job is queried. */
static void wake_waiting(srv_http *http, const char *id) {
  for (http_exchange *exchange = http->waiting, *next; exchange; exchange = next) {
    next = exchange->next;
    if (strcmp(exchange->wait_id, id) == 0)
      http_exchange_wake(exchange);
    else if (id[0] == '\0')
      http_exchange_look(exchange);
  }
}

static void empty_mailbox(srv_http *http) {
  http_exchange *returned;
  http_notice *notices;
  http->drained = http_mailbox_take(http, &returned, &notices);
  while (returned) {
    http_exchange *exchange = returned;
    returned = exchange->next_returned;
    http_exchange_returned(exchange);
  }
  while (notices) {
    http_notice *notice = notices;
    notices = notice->next;
    wake_waiting(http, notice->id);
    free(notice);
  }
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* Reads the token file again; an invalid file changes nothing. Ends event streams: clients with valid tokens reconnect
 * after their last event. */
static void reload_tokens(srv_http *http) {
  srv_tokens *tokens = http->server->tokens;
  char message[TOKENS_MESSAGE_SIZE] = "";
  if (!tokens)
    srv_log(SRV_INFO, "nothing_to_reload", (srv_field[]){{0}});
  else if (!srv_tokens_reload(tokens, message))
    srv_log(SRV_ERROR, "tokens_kept", (srv_field[]){srv_text("error", message), {0}});
  else {
    srv_log(SRV_INFO, "tokens_read", (srv_field[]){srv_number("tokens", (double)srv_tokens_count(tokens)), {0}});
    http->admitted_from = srv_clock_monotonic();
    http_event_streams_end(http);
  }
}

/* SIGHUP reads the token file. The first other signal gives running jobs their grace time, the second one ends it. */
static void hear_signal(srv_http *http) {
  struct signalfd_siginfo info;
  if (read(http->signals, &info, sizeof info) != (ssize_t)sizeof info) return;
  if (info.ssi_signo == SIGHUP) {
    reload_tokens(http);
    return;
  }
  double grace = http->draining ? 0 : http->server->config->grace;
  http->draining = true;
  atomic_store(&http->server->draining, true);
  http_event_streams_end(http); /* clients may connect elsewhere */
  srv_log(SRV_INFO, "draining", (srv_field[]){srv_number("signal", info.ssi_signo), srv_number("grace", grace), {0}});
  srv_pool_drain(http->server->pool, grace);
}

static void turn(srv_http *http) {
  MHD_UNSIGNED_LONG_LONG due = TICK_MS;
  if (MHD_get_timeout(http->daemon, &due) != MHD_YES || due > TICK_MS) due = TICK_MS;
  struct epoll_event events[4];
  int count = epoll_wait(http->epoll, events, 4, (int)due);
  for (int i = 0; i < count; i++) {
    uint64_t ignored;
    int file = events[i].data.fd;
    if (file == http->signals) hear_signal(http);
    if (file == http->wake && read(http->wake, &ignored, sizeof ignored) < 0) continue;
    if (file != http->signals && file != http->wake && file != http->library) http_event_streams_left(http, file);
  }
  empty_mailbox(http);
  http_event_streams_wake(http);
  sweep(http, srv_clock_monotonic());
  MHD_run(http->daemon);
}

/* After the time for answers: refuses waiting tasks, and aborts reads in progress. */
static void cut_short(srv_http *http) {
  http->closing = true;
  atomic_store(&http->server->ending, true);
  srv_task_queue_close(http->reading);
}

void srv_http_run(srv_http *http) {
  while (!http->drained) turn(http);
  MHD_socket listening = MHD_quiesce_daemon(http->daemon);
  if (listening >= 0) close(listening);
  if (http->server->pool) srv_pool_stop_checks(http->server->pool);
  /* Suspended requests must continue before the end, because libmicrohttpd cannot stop with one. They return soon;
   * answers that still read are aborted. */
  double until = srv_clock_monotonic() + farewell_seconds;
  while (http->suspended > 0 || atomic_load(&http->looks) > 0 || (http->exchanges > 0 && !http->closing)) {
    turn(http);
    if (!http->closing && srv_clock_monotonic() > until) cut_short(http);
  }
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static bool watch(const srv_http *http, int file) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = file};
  return file >= 0 && epoll_ctl(http->epoll, EPOLL_CTL_ADD, file, &event) == 0;
}

static int open_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void __attribute__((format(printf, 2, 0))) log_message(void *context, const char *format, va_list values) {
  char text[512];
  vsnprintf(text, sizeof text, format, values);
  text[strcspn(text, "\n")] = '\0';
  srv_log(SRV_DEBUG, "http_library", (srv_field[]){srv_text("message", text), {0}});
  http_library_logged(context, text);
}

static struct MHD_Daemon *start_daemon(srv_http *http, int socket) {
  unsigned connections = (unsigned)http->server->config->connections;
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, http_exchange_step, http,
      MHD_OPTION_EXTERNAL_LOGGER, log_message, http, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT,
      connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_CONNECTION_TIMEOUT, 0U,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_NOTIFY_CONNECTION,
      http_connections_changed, http, MHD_OPTION_URI_LOG_CALLBACK, http_exchange_begin, http,
      MHD_OPTION_NOTIFY_COMPLETED, http_exchange_end, http, MHD_OPTION_END);
}

srv_http *srv_http_new(int socket, srv_server *server) {
  srv_http *http = calloc(1, sizeof *http);
  if (!http) return NULL;
  *http = (srv_http){.server = server,
                     .epoll = epoll_create1(EPOLL_CLOEXEC),
                     .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                     .signals = open_signals()};
  size_t threads = server->store->answers_later ? WAITING_THREADS : READING_THREADS;
  http->reading = srv_task_queue_start(threads, SIZE_MAX, INFINITY);
  http->places = http_producers_places(server->config->send_memory);
  pthread_mutex_init(&http->mutex, NULL);
  http->daemon = start_daemon(http, socket);
  const union MHD_DaemonInfo *info = http->daemon ? MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
  if (info) http->library = info->epoll_fd;
  server->event_log = srv_event_log_new();
  if (info && http->reading && server->event_log && watch(http, info->epoll_fd) && watch(http, http->wake) &&
      watch(http, http->signals)) {
    http->subscriber = (store_subscriber){.notify = store_notify, .context = http};
    server->store->subscribe(server->store, &http->subscriber);
    return http;
  }
  srv_http_free(http);
  return NULL;
}

void srv_http_free(srv_http *http) {
  if (http->daemon) MHD_stop_daemon(http->daemon);
  if (http->reading) srv_task_queue_stop(http->reading);
  for (http_notice *notice; (notice = http->notices);) {
    http->notices = notice->next;
    free(notice);
  }
  pthread_mutex_destroy(&http->mutex);
  srv_event_log_free(http->server->event_log);
  http->server->event_log = NULL;
  if (http->epoll >= 0) close(http->epoll);
  if (http->wake >= 0) close(http->wake);
  if (http->signals >= 0) close(http->signals);
  free(http);
}
