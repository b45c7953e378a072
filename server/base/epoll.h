/* epoll.h - sets the events that an epoll instance waits for. */
#ifndef SERVER_BASE_EPOLL_H
#define SERVER_BASE_EPOLL_H

/* Sets the events of a file, which were `*current`; 0 removes it. `tag` is returned with its events. */
void srv_epoll_set(int epoll, int file, unsigned *current, unsigned events, void *tag);

#endif
