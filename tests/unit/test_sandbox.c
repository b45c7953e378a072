/* Calls that a worker may make in its sandbox, and calls that end it. A separate process makes each attempt. */
#include "server/jobs/process_memory.h"
#include "server/jobs/sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ends[2]; /* socket pair */

enum { MEMORY = 20, DESCRIPTORS };

/* ---- processes -------------------------------------------------------------------------------------------------- */

typedef void attempt(void);

static void hold_all(void) {
  process_memory_keep(MEMORY);
  if (!srv_sandbox_forbid_files() || !srv_sandbox_limit(DESCRIPTORS) || !srv_sandbox_forbid_calls()) _exit(99);
}

static void hold_files(void) {
  if (!srv_sandbox_forbid_files()) _exit(99);
}

static void hold_limits(void) {
  if (!srv_sandbox_limit(DESCRIPTORS)) _exit(99);
}

/* Forks a process that applies `hold`, then makes the attempt. Returns its status from waitpid(). */
static int end_of(attempt *hold, attempt *made) {
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    signal(SIGXFSZ, SIG_IGN);
    hold();
    made();
    _exit(EXIT_SUCCESS);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status;
}

/* Ends the process with an error unless `held` is true. */
static void claim(bool held) {
  if (!held) _exit(98);
}

static bool skipped(void) {
  char why[SANDBOX_WHY_SIZE] = "";
  if (srv_sandbox_try(why)) return false;
  assert_true(*why != '\0');
  print_message("skipped: %s\n", why);
  return true;
}

/* ---- calls that end the process --------------------------------------------------------------------------------- */

static void open_file(void) { open("/etc/passwd", O_RDONLY); }
static void create_file(void) { open("/tmp/mbsd-test-sandbox", O_CREAT | O_WRONLY, 0600); }
static void read_status(void) { stat("/etc/passwd", &(struct stat){0}); }
static void remove_file(void) { unlink("/no/such/file"); }
static void open_socket(void) { socket(AF_INET, SOCK_STREAM, 0); }
static void open_local_socket(void) { socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0}); }
static void connect_socket(void) {
  const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/no/such/socket"};
  (void)connect(ends[0], (const struct sockaddr *)&address, sizeof address);
}
static void pass_descriptor(void) { sendmsg(ends[0], &(struct msghdr){0}, MSG_NOSIGNAL); }
static void fork_process(void) { fork(); }
static void make_thread(void) { syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, NULL); }
static void run_program(void) { execl("/bin/true", "true", (char *)NULL); }
static void kill_parent(void) { kill(getppid(), 0); }
static void kill_itself(void) { kill(getpid(), 0); }
static void signal_other(void) { syscall(SYS_tgkill, 1, 1, 0); }
static void trace_parent(void) { ptrace(PTRACE_ATTACH, 1, NULL, NULL); }
static void read_other_memory(void) { syscall(SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0); }
static void change_process(void) { prctl(PR_SET_DUMPABLE, 1); }
static void become_another(void) { syscall(SYS_setuid, 0); }
static void limit_other(void) { prlimit(1, RLIMIT_AS, NULL, &(struct rlimit){0}); }
static void lift_limit(void) { setrlimit(RLIMIT_NOFILE, &(struct rlimit){100, 100}); }
static void make_code(void) { (void)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void turn_into_code(void) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  claim(page != MAP_FAILED);
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
}
static void control_device(void) { syscall(SYS_ioctl, 2, 0x5401, NULL); }
static void make_ring(void) { syscall(425 /* io_uring_setup */, 1, NULL); }
static void make_namespace(void) { unshare(CLONE_NEWUSER); }

static void other_calls_end_it(void **state) {
  (void)state;
  if (skipped()) return;
  static const struct {
    const char *name;
    attempt *made;
  } attempts[] = {
      {"open", open_file},
      {"create", create_file},
      {"stat", read_status},
      {"unlink", remove_file},
      {"socket", open_socket},
      {"socketpair", open_local_socket},
      {"connect", connect_socket},
      {"sendmsg", pass_descriptor},
      {"fork", fork_process},
      {"clone", make_thread},
      {"exec", run_program},
      {"kill its parent", kill_parent},
      {"kill itself", kill_itself},
      {"tgkill another", signal_other},
      {"ptrace", trace_parent},
      {"process_vm_readv", read_other_memory},
      {"prctl", change_process},
      {"setuid", become_another},
      {"prlimit of another", limit_other},
      {"another limit", lift_limit},
      {"mmap of code", make_code},
      {"mprotect to code", turn_into_code},
      {"ioctl", control_device},
      {"io_uring", make_ring},
      {"unshare", make_namespace},
  };
  for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
    int status = end_of(hold_all, attempts[i].made);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
      fail_msg("%s: ended with status 0x%x, not by SIGSYS", attempts[i].name, (unsigned)status);
  }
  assert_int_not_equal(access("/tmp/mbsd-test-sandbox", F_OK), 0);
}

/* ---- calls that a worker makes ---------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void use_memory(void) {
  enum { COUNT = 1 << 20 };
  double *numbers = malloc(COUNT * sizeof *numbers);
  claim(numbers != NULL);
  for (size_t i = 0; i < COUNT; i++) numbers[i] = (double)((i * 7919) % COUNT);
  qsort(numbers, COUNT, sizeof *numbers, compare_numbers);
  for (size_t i = 0; i < COUNT; i++) claim(numbers[i] == (double)i);
  numbers = realloc(numbers, 16 * COUNT * sizeof *numbers);
  claim(numbers != NULL && numbers[COUNT - 1] == COUNT - 1);
  free(numbers);
  char *parts[1000];
  for (size_t i = 0; i < 1000; i++) claim((parts[i] = calloc(1, 10000)) != NULL);
  for (size_t i = 0; i < 1000; i++) free(parts[i]);
  malloc_trim(0);
  size_t had = process_memory();
  claim(had > (size_t)1 << 20);
  process_memory_limit_growth((size_t)1 << 20);
  void *much = malloc((size_t)64 << 20);
  claim(much == NULL && errno == ENOMEM);
  process_memory_limit(SIZE_MAX);
  much = malloc((size_t)64 << 20);
  claim(much != NULL);
  free(much);
}

static void print(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  claim(stream && fprintf(stream, "%.17g %s %zu %s", 0.1, "text", size, strerror(ENOMEM)) > 0);
  fclose(stream);
  claim(strtod(text, NULL) == 0.1);
  free(text);
  claim(write(STDERR_FILENO, "", 0) == 0);
}

static void tell_time(void) {
  struct timespec now;
  claim(clock_gettime(CLOCK_MONOTONIC, &now) == 0 && syscall(SYS_clock_gettime, CLOCK_REALTIME, &now) == 0);
  srv_sandbox_allow_time(100);
  struct rlimit limit;
  claim(getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur >= 100 && limit.rlim_cur <= 110);
}

static void talk(void) {
  char text[8] = "";
  claim(send(ends[0], "word", 5, MSG_NOSIGNAL) == 5);
  claim(poll(&(struct pollfd){.fd = ends[1], .events = POLLIN}, 1, 1000) == 1);
  claim(recv(ends[1], text, sizeof text, 0) == 5 && strcmp(text, "word") == 0);
  claim(recv(ends[1], text, sizeof text, MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

static void work_goes_on(void **state) {
  (void)state;
  if (skipped()) return;
  static attempt *const attempts[] = {use_memory, print, tell_time, talk};
  for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
    int status = end_of(hold_all, attempts[i]);
    if (status != 0) fail_msg("attempt %zu: ended with status 0x%x", i, (unsigned)status);
  }
}

static void abort_is_itself(void **state) {
  (void)state;
  if (skipped()) return;
  int status = end_of(hold_all, abort);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
}

/* ---- each layer alone ------------------------------------------------------------------------------------------- */

static void meet_no_files(void) {
  claim(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES);
  claim(open("/tmp/mbsd-test-sandbox", O_CREAT | O_WRONLY, 0600) < 0 && errno == EACCES);
  claim(unlink("/etc/passwd") < 0 && errno == EACCES);
  claim(execl("/bin/true", "true", (char *)NULL) < 0 && errno == EACCES);
  claim(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
}

static void landlock_takes_files_away(void **state) {
  (void)state;
  if (skipped()) return;
  if (!srv_sandbox_has_landlock()) {
    print_message("skipped: this kernel has no Landlock\n");
    return;
  }
  assert_int_equal(end_of(hold_files, meet_no_files), 0);
}

/* Rights of later versions of Landlock; the kernel's version determines those that are tested. */
static void meet_no_network(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1U /* version */);
  const struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int file = socket(AF_INET, SOCK_STREAM, 0);
  if (version >= 4) {
    claim(bind(file, (const struct sockaddr *)&address, sizeof address) < 0 && errno == EACCES);
    claim(connect(file, (const struct sockaddr *)&address, sizeof address) < 0 && errno == EACCES);
  }
  if (version >= 6) claim(kill(getppid(), 0) < 0 && errno == EPERM);
  claim(kill(getpid(), 0) == 0);
}

static void landlock_takes_the_network_away(void **state) {
  (void)state;
  if (!skipped()) assert_int_equal(end_of(hold_files, meet_no_network), 0);
}

enum { FAR = DESCRIPTORS + 5 }; /* open before the sandbox was entered */

static void meet_limits(void) {
  claim(fcntl(FAR, F_GETFD) < 0 && errno == EBADF);
  claim(dup(STDERR_FILENO) >= 0 && dup(ends[0]) >= 0); /* two places are free again ... */
  for (int i = 0; i < DESCRIPTORS; i++) dup(STDERR_FILENO);
  claim(dup(STDERR_FILENO) < 0 && errno == EMFILE); /* ... and there are no others */
  struct rlimit limit;
  claim(getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_max == 0);
  claim(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max == 0);
  claim(getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_max == 0);
  claim(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
}

static void limits_hold_without_the_filter(void **state) {
  (void)state;
  if (skipped()) return;
  int far = fcntl(STDERR_FILENO, F_DUPFD, FAR);
  assert_int_equal(far, FAR);
  assert_int_equal(end_of(hold_limits, meet_limits), 0);
  close(far);
}

static void spend_time(void) {
  volatile double spent = 0;
  srv_sandbox_allow_time(0);
  while (spent >= 0) spent += 1;
}

static void no_hold(void) {}

/* The limit of processor time exists in every build. */
static void time_runs_out(void **state) {
  (void)state;
  int status = end_of(no_hold, spend_time);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGXCPU);
}

/* ---- users ------------------------------------------------------------------------------------------------------ */

static sandbox_user nobody;

static void become_nobody(void) {
  claim(srv_sandbox_become(&nobody));
  claim(getuid() == nobody.user && geteuid() == nobody.user && getegid() == nobody.group);
  claim(getgroups(0, NULL) == 0 && setuid(0) != 0);
}

static void users_are_found(void **state) {
  (void)state;
  char why[SANDBOX_WHY_SIZE] = "";
  assert_true(srv_sandbox_find_user("", &nobody, why));
  assert_false(nobody.given);
  assert_false(srv_sandbox_find_user("no-such-user", &nobody, why));
  assert_non_null(strstr(why, "'no-such-user'"));
  bool root = geteuid() == 0;
  assert_int_equal(srv_sandbox_find_user("nobody", &nobody, why), root);
  if (!root) assert_non_null(strstr(why, "as root"));
  if (root) assert_int_equal(end_of(no_hold, become_nobody), 0);
}

static int set_up(void **state) {
  (void)state;
  return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int clean_up(void **state) {
  (void)state;
  return close(ends[0]) + close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_calls_end_it),
      cmocka_unit_test(work_goes_on),
      cmocka_unit_test(abort_is_itself),
      cmocka_unit_test(landlock_takes_files_away),
      cmocka_unit_test(landlock_takes_the_network_away),
      cmocka_unit_test(limits_hold_without_the_filter),
      cmocka_unit_test(time_runs_out),
      cmocka_unit_test(users_are_found),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
