/* epoll.c - see epoll.h. */
#include "server/base/epoll.h"

#include <sys/epoll.h>

void srv_epoll_set(int epoll, int file, unsigned *current, unsigned events, void *tag) {
  if (events == *current) return;
  struct epoll_event event = {.events = events, .data.ptr = tag};
  int verb = events == 0 ? EPOLL_CTL_DEL : *current == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  epoll_ctl(epoll, verb, file, &event);
  *current = events;
}
