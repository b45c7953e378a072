/* supervisor.c - see supervisor.h. */
#include "server/jobs/supervisor.h"

#include <assert.h>
#include <cblas.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- messages --------------------------------------------------------------------------------------------------- */

static void send_message(int socket, const supervisor_message *message, int passed) {
  struct iovec part = {(void *)message, sizeof *message};
  union {
    char data[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {{0}};
  struct msghdr parts = {.msg_iov = &part, .msg_iovlen = 1};
  if (passed >= 0) {
    parts.msg_control = control.data;
    parts.msg_controllen = sizeof control.data;
    struct cmsghdr *head = CMSG_FIRSTHDR(&parts);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), &passed, sizeof passed);
  }
  while (sendmsg(socket, &parts, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

static bool receive_message(int socket, supervisor_message *message, int *passed, int flags) {
  struct iovec part = {message, sizeof *message};
  union {
    char data[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {{0}};
  struct msghdr parts = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.data, .msg_controllen = sizeof control.data};
  *passed = -1;
  ssize_t got;
  do got = recvmsg(socket, &parts, flags | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got == 0) errno = EPIPE;
  if (got != (ssize_t)sizeof *message) return false;
  struct cmsghdr *head = CMSG_FIRSTHDR(&parts);
  if (head && head->cmsg_type == SCM_RIGHTS) memcpy(passed, CMSG_DATA(head), sizeof *passed);
  return true;
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

typedef struct process {
  pid_t children[SUPERVISOR_WORKERS_MAX];
  size_t count;
  int signals;
  worker_settings settings;
} process;

/* Makes OpenBLAS allocate its buffers. It does so at the first call and never recovers from a failure, so the first
 * call is made before memory is limited. */
static void warm_up(void) {
  enum { N = 64 };
  static double a[N * N], b[N * N], c[N * N];
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c, N);
}

/* Enlarges the socket buffer, up to the kernel's limit, so that a worker need not wait until the server has received
 * the results of a small job. */
static void make_room(int socket) {
  const int bytes = 1 << 20;
  setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

static void start_worker(process *self, int slot) {
  supervisor_message reply = {.verb = SUPERVISOR_ENDED, .slot = slot};
  int ends[2];
  assert(slot >= 0 && self->count <= SUPERVISOR_WORKERS_MAX);
  if (self->count == SUPERVISOR_WORKERS_MAX || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    send_message(SUPERVISOR_SOCKET, &reply, -1);
    return;
  }
  make_room(ends[1]);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    if (self->settings.own.given && !srv_sandbox_become(&self->settings.own)) _exit(WORKER_EXIT_OPEN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);             /* a change of the user resets it */
    if (getppid() != parent) _exit(EXIT_FAILURE); /* the parent died before the lines above */
    close(SUPERVISOR_SOCKET);
    close(self->signals);
    close(ends[0]);
    srv_worker_main(ends[1], &self->settings);
  }
  close(ends[1]);
  if (pid > 0) {
    self->children[self->count++] = pid;
    reply.verb = SUPERVISOR_BEGAN;
    reply.pid = pid;
  }
  send_message(SUPERVISOR_SOCKET, &reply, pid > 0 ? ends[0] : -1);
  close(ends[0]);
}

/* Only children that were not waited for are killed: their number cannot belong to another process. */
static void kill_worker(const process *self, pid_t pid) {
  for (size_t i = 0; i < self->count; i++)
    if (self->children[i] == pid) kill(pid, SIGKILL);
}

static double seconds_of(const struct timeval *time) { return (double)time->tv_sec + 1e-6 * (double)time->tv_usec; }

static void wait_for_workers(process *self) {
  struct signalfd_siginfo ignored[8];
  while (read(self->signals, ignored, sizeof ignored) > 0) continue;
  int status;
  struct rusage usage;
  for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
    for (size_t i = 0; i < self->count; i++)
      if (self->children[i] == pid) self->children[i--] = self->children[--self->count];
    supervisor_message message = {.verb = SUPERVISOR_ENDED,
                                  .slot = -1,
                                  .pid = pid,
                                  .status = status,
                                  .seconds = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime)};
    send_message(SUPERVISOR_SOCKET, &message, -1);
  }
}

void srv_supervisor_main(void) {
  static process self;
  prctl(PR_SET_NAME, "mbsd-supervisor");
  /* The closed socket ends this process when the server has ended; the signal does if this process cannot read it. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* A signal to the whole group (Ctrl-C, a service manager's stop) is processed by the server. */
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  self.signals = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
  warm_up();
  if (recv(SUPERVISOR_SOCKET, &self.settings, sizeof self.settings, 0) != (ssize_t)sizeof self.settings)
    _exit(EXIT_SUCCESS); /* the server has already ended */
  struct pollfd sources[] = {{SUPERVISOR_SOCKET, POLLIN, 0}, {self.signals, POLLIN, 0}};
  for (;;) {
    if (poll(sources, 2, -1) < 0) continue;
    if (sources[1].revents) wait_for_workers(&self);
    if (!sources[0].revents) continue;
    supervisor_message message;
    int passed;
    if (!receive_message(SUPERVISOR_SOCKET, &message, &passed, 0)) _exit(EXIT_SUCCESS);
    if (message.verb == SUPERVISOR_START) start_worker(&self, message.slot);
    if (message.verb == SUPERVISOR_KILL) kill_worker(&self, message.pid);
  }
}

/* ---- the server's side ------------------------------------------------------------------------------------------ */

/* Returns the environment without the variables that open the database, which workers do not need; NULL if memory runs
 * out. */
static char **worker_environment(void) {
  static const char *const secrets[] = {"MBSD_STORE=", "PGPASSWORD="};
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  char **copy = calloc(count + 1, sizeof *copy);
  for (size_t i = 0; copy && i < count; i++) {
    bool secret = false;
    for (size_t k = 0; k < sizeof secrets / sizeof *secrets; k++)
      secret = secret || strncmp(environ[i], secrets[k], strlen(secrets[k])) == 0;
    if (!secret) copy[kept++] = environ[i];
  }
  return copy;
}

bool srv_supervisor_start(srv_supervisor *supervisor, const worker_settings *settings) {
  int ends[2];
  assert(supervisor->socket < 0);
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], SUPERVISOR_SOCKET);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO); /* standard output belongs to the server */
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  char name[] = "mbsd", option[] = "--supervisor";
  char *arguments[] = {name, option, NULL};
  char **environment = worker_environment();
  int failure = environment
                    ? posix_spawn(&supervisor->pid, "/proc/self/exe", &files, &attributes, arguments, environment)
                    : ENOMEM;
  free(environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    errno = failure;
    return false;
  }
  /* Sends into an empty socket: if this fails, reads from it fail too, and the process is started again. */
  send(ends[0], settings, sizeof *settings, MSG_NOSIGNAL);
  supervisor->socket = ends[0];
  return true;
}

void srv_supervisor_send(const srv_supervisor *supervisor, supervisor_verb verb, int slot, pid_t pid) {
  supervisor_message message = {.verb = (int32_t)verb, .slot = slot, .pid = pid};
  if (supervisor->socket >= 0) send_message(supervisor->socket, &message, -1);
}

bool srv_supervisor_receive(const srv_supervisor *supervisor, supervisor_message *message, int *socket) {
  return receive_message(supervisor->socket, message, socket, MSG_DONTWAIT);
}
