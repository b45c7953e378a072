/* worker_process.c - see worker_process.h. */
#include "worker_process.h"

#include "api/base/clock.h"
#include "api/jobs/block_size.h"
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Interval of progress messages [s], and largest number of bytes received at a time. */
static const double tell_seconds = 0.1;
enum { HEARD_BYTES = 256 << 10 };

/* Header of a message. The members after `fraction` belong to a finished block, whose report and rows follow. */
typedef struct helper_word {
  double fraction; /* fraction of the current block */
  double seconds;  /* time that the block took */
  size_t runs, columns;
  size_t report_size; /* size of the report; 0: the block is not finished */
} helper_word;

static size_t rows_size(const helper_word *word) { return word->runs * word->columns * sizeof(double); }

/* ---- the helper -------------------------------------------------------------------------------------------------- */

typedef struct helper_self {
  int socket;
  double told;
} helper_self;

/* Sends `size` bytes. Ends this process if that fails: then the main process is no longer there to receive them. */
static void say(int socket, const void *data, size_t size) {
  const char *at = data;
  while (size > 0) {
    ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) _exit(EXIT_SUCCESS);
    at += sent;
    size -= (size_t)sent;
  }
}

static bool tell(void *user, double t, double fraction, uint64_t evaluations) {
  helper_self *self = user;
  (void)t;
  (void)evaluations;
  double now = api_now(NULL);
  if (now - self->told < tell_seconds) return true;
  self->told = now;
  say(self->socket, &(helper_word){.fraction = fraction}, sizeof(helper_word));
  return true;
}

static void give(const helper_self *self, const api_block_result *result, double seconds) {
  const helper_word word = {1, seconds, result->runs, result->columns, strlen(result->report)};
  say(self->socket, &word, sizeof word);
  say(self->socket, result->report, word.report_size);
  say(self->socket, result->rows, rows_size(&word));
}

/* Makes the requested blocks until the main process closes the socket. */
_Noreturn static void work(helper_self *self, const mbs_model *model) {
  const mbs_hooks hooks = {.user = self, .progress = tell, .now = api_now};
  mbs_study *study = mbs_study_new(model);
  api_run_range range;
  while (study && recv(self->socket, &range, sizeof range, MSG_WAITALL) == (ssize_t)sizeof range) {
    const api_block block = {.first = range.first, .runs = range.end - range.first, .seconds = API_BLOCK_MOST_SECONDS};
    api_block_result result;
    double begun = self->told = api_now(NULL);
    api_block_run(study, &block, &hooks, &result);
    if (!result.report) _exit(EXIT_FAILURE); /* out of memory */
    give(self, &result, api_now(NULL) - begun);
    api_block_result_free(&result);
  }
  _exit(study ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

bool cli_worker_start(cli_worker *self, const mbs_model *model, const cli_worker *list, size_t count) {
  int ends[2];
  pid_t program = getpid();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "mbs-helper");
    if (getppid() != program) _exit(EXIT_SUCCESS); /* the main process ended before the signal of its death was set */
    close(ends[0]);
    for (size_t i = 0; i < count; i++)
      if (list[i].pid > 0) close(list[i].socket);
    work(&(helper_self){.socket = ends[1]}, model);
  }
  close(ends[1]);
  if (pid > 0)
    *self = (cli_worker){.pid = pid, .socket = ends[0]};
  else
    close(ends[0]);
  return pid > 0;
}

void cli_worker_order(cli_worker *self, api_run_range range) {
  self->busy = true;
  self->range = range;
  self->done = 0;
  send(self->socket, &range, sizeof range, MSG_NOSIGNAL); /* if the worker died, its socket reports that */
}

/* Copies the result of a finished block; it has no report if memory runs out. */
static void take_block(cli_worker *self, const helper_word *word, api_block_result *result) {
  const char *report = self->said.data + sizeof *word;
  *result = (api_block_result){.runs = word->runs,
                               .columns = word->columns,
                               .report = strndup(report, word->report_size),
                               .rows = malloc(rows_size(word) + 1)};
  if (result->rows)
    memcpy(result->rows, report + word->report_size, rows_size(word));
  else
    api_block_result_free(result);
  self->busy = false;
  self->said.size = 0; /* the worker sends nothing more before its next order */
}

/* Handles complete messages. Returns true if a block is finished. */
static bool take_words(cli_worker *self, api_block_result *result, double *seconds) {
  helper_word word;
  while (self->said.size >= sizeof word) {
    memcpy(&word, self->said.data, sizeof word);
    if (word.report_size > 0) {
      *seconds = word.seconds;
      if (self->said.size < sizeof word + word.report_size + rows_size(&word)) return false;
      take_block(self, &word, result);
      return true;
    }
    self->done = word.fraction * (double)(self->range.end - self->range.first);
    self->said.size -= sizeof word;
    memmove(self->said.data, self->said.data + sizeof word, self->said.size);
  }
  return false;
}

cli_worker_news cli_worker_receive(cli_worker *self, api_block_result *result, double *seconds) {
  *result = (api_block_result){.runs = 0};
  for (;;) {
    char *place = api_buffer_extend(&self->said, HEARD_BYTES);
    if (!place) return CLI_WORKER_DONE; /* without a report */
    ssize_t got = recv(self->socket, place, HEARD_BYTES, MSG_DONTWAIT);
    self->said.size -= got > 0 ? HEARD_BYTES - (size_t)got : HEARD_BYTES;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return CLI_WORKER_WORKS;
    if (got <= 0) return CLI_WORKER_DIED;
    if (take_words(self, result, seconds)) return CLI_WORKER_DONE;
  }
}

void cli_worker_end(cli_worker *self) {
  if (self->pid == 0) return;
  if (self->busy) kill(self->pid, SIGKILL); /* an idle worker ends by itself */
  close(self->socket);
  while (waitpid(self->pid, NULL, 0) < 0 && errno == EINTR) continue;
  api_buffer_free(&self->said);
  *self = (cli_worker){.pid = 0};
}
