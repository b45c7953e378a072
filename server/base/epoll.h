/* epoll.h - what an epoll instance listens to. */
#ifndef SERVER_BASE_EPOLL_H
#define SERVER_BASE_EPOLL_H

/* Sets the events of a file, which were `*current`; 0 takes it off. `tag` comes back with its events. */
void srv_epoll_set(int epoll, int file, unsigned *current, unsigned events, void *tag);

#endif
