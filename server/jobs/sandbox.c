/* sandbox.c - see sandbox.h.
 *
 * A build with MBS_OPEN_WORKERS (see CMakeLists.txt) has no sandbox, because sanitizers and gcov read and write files
 * in every process. There srv_sandbox_try() reports that, and the other functions are not called. */
#include "server/jobs/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- parts common to all builds --------------------------------------------------------------------------------- */

bool srv_sandbox_find_user(const char *name, sandbox_user *found, char why[SANDBOX_WHY_SIZE]) {
  *found = (sandbox_user){.given = *name != '\0'};
  if (!found->given) return true;
  const struct passwd *entry = getpwnam(name);
  if (!entry) {
    snprintf(why, SANDBOX_WHY_SIZE, "--worker-user: unknown user '%.60s'; use a user of /etc/passwd", name);
    return false;
  }
  if (geteuid() != 0) {
    snprintf(why, SANDBOX_WHY_SIZE,
             "--worker-user requires that the service is started as root; omit the option, or start as root");
    return false;
  }
  found->user = entry->pw_uid;
  found->group = entry->pw_gid;
  return true;
}

bool srv_sandbox_become(const sandbox_user *user) {
  return setgroups(0, NULL) == 0 && setresgid(user->group, user->group, user->group) == 0 &&
         setresuid(user->user, user->user, user->user) == 0;
}

void srv_sandbox_allow_time(double seconds) {
  struct rusage used;
  struct rlimit limit;
  if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return;
  /* fractions of seconds are cut off */
  double most = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds + 2;
  limit.rlim_cur = most < 1e9 ? (rlim_t)most : RLIM_INFINITY;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_CPU, &limit);
}

#ifdef MBS_OPEN_WORKERS

bool srv_sandbox_try(char why[SANDBOX_WHY_SIZE]) {
  snprintf(why, SANDBOX_WHY_SIZE, "the sandbox is not available in this build (with sanitizers or coverage)");
  return false;
}
bool srv_sandbox_has_landlock(void) { return false; }
bool srv_sandbox_limit(int first) { return first >= 0; }
bool srv_sandbox_forbid_files(void) { return true; }
bool srv_sandbox_forbid_calls(void) { return false; }

#else

#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- limits ----------------------------------------------------------------------------------------------------- */

static bool limit_to(__rlimit_resource_t resource, rlim_t most) {
  return setrlimit(resource, &(struct rlimit){most, most}) == 0;
}

bool srv_sandbox_limit(int first) {
  closefrom(first);
  return limit_to(RLIMIT_NOFILE, (rlim_t)first) && limit_to(RLIMIT_FSIZE, 0) && limit_to(RLIMIT_NPROC, 0) &&
         limit_to(RLIMIT_CORE, 0) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/* ---- files and the network --------------------------------------------------------------------------------------- */

/* Returns the version of Landlock's interface; 0 or less: there is none. */
static long landlock_version(void) {
  return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool srv_sandbox_has_landlock(void) { return landlock_version() > 0; }

/* The kernel's struct landlock_ruleset_attr, of which headers of Linux 6.1 define the first field. A kernel that knows
 * fewer fields accepts zeros in the others. */
typedef struct landlock_rights {
  __u64 files, network, scopes;
} landlock_rights;

/* Rights that each version of the interface added, as bits. */
static const landlock_rights added[] = {
    {.files = LANDLOCK_ACCESS_FS_REFER - 1},  /* 1: files */
    {.files = LANDLOCK_ACCESS_FS_REFER},      /* 2: moving files */
    {.files = LANDLOCK_ACCESS_FS_REFER << 1}, /* 3: truncating files */
    {.network = 1 | 2},                       /* 4: bind() and connect() of TCP sockets */
    {.files = LANDLOCK_ACCESS_FS_REFER << 2}, /* 5: ioctl() of devices */
    {.scopes = 1 | 2},                        /* 6: abstract unix sockets of, and signals to, processes outside */
};

bool srv_sandbox_forbid_files(void) {
  long version = landlock_version();
  if (version <= 0) return true;
  landlock_rights rights = {0}; /* no rule grants any of them */
  for (long i = 0; i < version && i < (long)(sizeof added / sizeof *added); i++) {
    rights.files |= added[i].files;
    rights.network |= added[i].network;
    rights.scopes |= added[i].scopes;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false; /* otherwise Landlock requires a privilege */
  int rules = (int)syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0);
  if (rules < 0) return false;
  bool held = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return held;
}

/* ---- system calls ----------------------------------------------------------------------------------------------- */

/* Calls allowed with any arguments. */
static const int plain_calls[] = {
    /* Memory; OpenBLAS calls mbind(), qsort() calls sysinfo() for the size of the memory. */
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(mbind),
    SCMP_SYS(sysinfo),
    /* Time. */
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(getrusage),
    /* Open files; recv() and send() on the socket. restart_syscall() continues after a stop. */
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(pread64),
    SCMP_SYS(close),
    SCMP_SYS(recvfrom),
    SCMP_SYS(sendto),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(restart_syscall),
    /* Calls of glibc, abort() and exit. */
    SCMP_SYS(futex),
    SCMP_SYS(sched_yield),
    SCMP_SYS(getrandom),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

/* Never allows executable memory. */
static bool allow_memory(scmp_filter_ctx filter) {
  const struct scmp_arg_cmp data_only = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, data_only) == 0 &&
         seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, data_only) == 0;
}

/* Allows abort() to signal its own thread, and no other signals. */
static bool allow_abort(scmp_filter_ctx filter) {
  return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid())) ==
         0;
}

/* Allows the limits of this process that change from job to job. */
static bool allow_limits(scmp_filter_ctx filter) {
  static const __rlimit_resource_t resources[] = {RLIMIT_AS, RLIMIT_CPU};
  for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++)
    if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
                         SCMP_A1(SCMP_CMP_EQ, resources[i])) != 0)
      return false;
  return true;
}

static bool allow_plain(scmp_filter_ctx filter) {
  for (size_t i = 0; i < sizeof plain_calls / sizeof plain_calls[0]; i++)
    if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, plain_calls[i], 0) != 0) return false;
  return true;
}

/* A worker runs only its own code: on older kernels the mitigation of speculative execution would slow it down. */
static bool set_up(scmp_filter_ctx filter) {
  return seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
         seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 1) == 0 &&
         seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1) == 0 &&
         seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0;
}

bool srv_sandbox_forbid_calls(void) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (!filter) return false;
  bool held = set_up(filter) && allow_plain(filter) && allow_memory(filter) && allow_abort(filter) &&
              allow_limits(filter) && seccomp_load(filter) == 0;
  seccomp_release(filter);
  return held;
}

/* ---- trying ----------------------------------------------------------------------------------------------------- */

enum { TRIED = 0, NO_LIMITS, NO_LANDLOCK, NO_FILTER };

bool srv_sandbox_try(char why[SANDBOX_WHY_SIZE]) {
  static const char *const reasons[] = {
      [NO_LIMITS] = "the kernel does not allow resource limits",
      [NO_LANDLOCK] = "the kernel does not allow Landlock",
      [NO_FILTER] = "the kernel does not allow system call filters (seccomp); old container engines block them",
  };
  pid_t pid = fork();
  if (pid == 0) {
    if (!srv_sandbox_forbid_files()) _exit(NO_LANDLOCK);
    if (!srv_sandbox_limit(STDERR_FILENO + 1)) _exit(NO_LIMITS);
    _exit(srv_sandbox_forbid_calls() ? TRIED : NO_FILTER);
  }
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == TRIED) return true;
  bool known = pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) <= NO_FILTER;
  snprintf(why, SANDBOX_WHY_SIZE, "%s",
           known ? reasons[WEXITSTATUS(status)] : "the test process of the sandbox did not exit normally");
  return false;
}

#endif
