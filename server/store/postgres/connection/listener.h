/* listener.h - receives notifications of job changes on other servers.
 *
 * A transaction that changes the state of jobs sends one notification of all its changes. A thread with a separate
 * connection listens. If it may have lost notifications it reports STORE_EVENT_MISSED: when the connection was lost, or
 * when something in between does not forward notifications, which it detects by sending one to itself from time to
 * time. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_LISTENER_H
#define SERVER_STORE_POSTGRES_CONNECTION_LISTENER_H

#include "server/store/postgres/connection/state.h"

/* Starts the thread; it is listening when the function returns. Returns false if there is no thread or no
 * connection. */
bool postgres_listener_start(postgres_store *store);
void postgres_listener_stop(postgres_store *store);

#endif
