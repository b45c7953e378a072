/* sandbox.h - what a worker process is held to once it has all that it needs: to compute, and to talk over its own
 * socket. Documents come from anybody; should one of them ever take a worker over, it gets nowhere from there.
 *
 * The filter of system calls (seccomp) ends the process with SIGSYS at any other call; Landlock takes the file system
 * away, should the filter have a hole; limits of the kernel bound processor time, files, descriptors and processes. */
#ifndef SERVER_JOBS_SANDBOX_H
#define SERVER_JOBS_SANDBOX_H

#include <stdbool.h>
#include <sys/types.h>

enum { SANDBOX_WHY_SIZE = 160 };

/* A user that workers become, if the service runs as root and is told so. */
typedef struct sandbox_user {
  bool given;
  uid_t user;
  gid_t group;
} sandbox_user;

/* Tries, in a process that is thrown away, whether a worker can be held to the filter here. If not, says why. */
bool srv_sandbox_try(char why[SANDBOX_WHY_SIZE]);
/* Whether the kernel has Landlock. */
bool srv_sandbox_has_landlock(void);
/* Looks up the user that workers are to become; `name` "": none. False, and says why: there is none of that name, or
 * this process may not become it. */
bool srv_sandbox_find_user(const char *name, sandbox_user *found, char why[SANDBOX_WHY_SIZE]);

/* ---- in the worker ---------------------------------------------------------------------------------------------- */

/* Becomes a user, with its group and no others. */
bool srv_sandbox_become(const sandbox_user *user);
/* Closes all descriptors from `first` on, and limits what the process may have: as many descriptors as it has, no files
 * that grow, no processes, no cores, no privileges that a program could give it. */
bool srv_sandbox_limit(int first);
/* Takes the file system away; what is open stays open. True where the kernel has no Landlock. It needs one descriptor
 * more, for a moment. */
bool srv_sandbox_forbid_files(void);
/* Takes all system calls away that a worker does not need. */
bool srv_sandbox_forbid_calls(void);
/* Allows the process so many more seconds of processor time; then the kernel ends it by SIGXCPU. */
void srv_sandbox_allow_time(double seconds);

#endif
