/* listener.h - receives notifications of job changes on other servers, and determines whether the database responds.
 *
 * A transaction that changes the state of jobs sends one notification of all its changes. A thread with a separate
 * connection listens. If it may have lost notifications it reports STORE_EVENT_MISSED: when the connection was lost, or
 * when something in between does not forward notifications, which it detects by sending one to itself from time to
 * time.
 *
 * Twice a second the thread reads the number of jobs. If it gets no response, the database is silent: all statements of
 * this server that wait end as failures, and none is started until a connection succeeds or is refused. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_LISTENER_H
#define SERVER_STORE_POSTGRES_CONNECTION_LISTENER_H

#include "server/store/postgres/connection/state.h"

/* Starts the thread; it is listening when the function returns, if there is a connection. Returns false if there is no
 * thread. */
bool postgres_listener_start(postgres_store *store);
void postgres_listener_stop(postgres_store *store);

#endif
