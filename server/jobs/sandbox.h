/* sandbox.h - restricts a worker process, once it has all resources it needs, to computing and to its own socket.
 *
 * Documents may come from untrusted clients. If one of them takes control of a worker, the restrictions contain it.
 *
 * The filter of system calls (seccomp) ends the process with SIGSYS at any other call; Landlock blocks the file
 * system, the network and signals in case the filter has a gap; kernel limits bound processor time, files, descriptors
 * and processes. */
#ifndef SERVER_JOBS_SANDBOX_H
#define SERVER_JOBS_SANDBOX_H

#include <stdbool.h>
#include <sys/types.h>

enum { SANDBOX_WHY_SIZE = 160 };

/* User that workers become, if the service runs as root and is configured so. */
typedef struct sandbox_user {
  bool given;
  uid_t user;
  gid_t group;
} sandbox_user;

/* Tests, in a temporary process, whether the filter works on this system. Returns false with the reason if not. */
bool srv_sandbox_try(char why[SANDBOX_WHY_SIZE]);
/* Returns true if the kernel has Landlock. */
bool srv_sandbox_has_landlock(void);
/* Looks up the user that workers will become; `name` "": none. Returns false with the reason if there is no such user,
 * or this process may not become it. */
bool srv_sandbox_find_user(const char *name, sandbox_user *found, char why[SANDBOX_WHY_SIZE]);

/* ---- in the worker ---------------------------------------------------------------------------------------------- */

/* Becomes a user, with its group and no others. */
bool srv_sandbox_become(const sandbox_user *user);
/* Closes all descriptors from `first` on, and limits the process: no more descriptors, no growing files, no new
 * processes, no core files, no privileges from programs. */
bool srv_sandbox_limit(int first);
/* Blocks access to the file system, and, as far as the kernel's Landlock can, TCP connections, and signals and abstract
 * sockets to other processes; open files and sockets stay open. Returns true if the kernel has no Landlock. Needs one
 * temporary descriptor. */
bool srv_sandbox_forbid_files(void);
/* Blocks all system calls that a worker does not need. */
bool srv_sandbox_forbid_calls(void);
/* Allows the process `seconds` more of processor time, and up to 2 s beyond; then the kernel ends it with SIGXCPU. */
void srv_sandbox_allow_time(double seconds);

#endif
