/* listen.h - what an epoll instance listens to. */
#ifndef SERVER_BASE_LISTEN_H
#define SERVER_BASE_LISTEN_H

/* Sets the events of a file, which were `*current`; 0 takes it off. `tag` comes back with its events. */
void srv_listen(int epoll, int file, unsigned *current, unsigned events, void *tag);

#endif
