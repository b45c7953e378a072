/* coverage.c - counts of executed lines that would be lost, because a process ends by _exit() or is killed: written
 * when it ends so, and before it waits for a message, as a worker and a helper do that have nothing to do. Linked
 * into the programs of a build that counts, in whose place of recv() and _exit() these stand (ld --wrap). */
#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

void __gcov_dump(void);
void __gcov_reset(void);

ssize_t __real_recv(int socket, void *data, size_t size, int flags);
ssize_t __wrap_recv(int socket, void *data, size_t size, int flags);
_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);

ssize_t __wrap_recv(int socket, void *data, size_t size, int flags) {
  ssize_t got = __real_recv(socket, data, size, flags | MSG_DONTWAIT);
  if (got >= 0 || errno != EAGAIN || (flags & MSG_DONTWAIT)) return got;
  __gcov_dump();
  __gcov_reset();
  return __real_recv(socket, data, size, flags);
}

void __wrap__exit(int code) {
  __gcov_dump();
  __real__exit(code);
}
