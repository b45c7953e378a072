/* listener.h - hearing of what happens to jobs on other servers.
 *
 * A transaction that changes the state of jobs sends one notification of all of them; a thread with a connection that
 * does nothing else listens. What it may have missed, because the connection was lost, or because something between
 * here and there does not pass notifications on (which it notices by sending itself one now and then), is told as
 * STORE_EVENT_MISSED. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_LISTENER_H
#define SERVER_STORE_POSTGRES_CONNECTION_LISTENER_H

#include "server/store/postgres/connection/state.h"

/* Listens already when it returns. False: there is no thread, or no connection. */
bool postgres_listener_start(postgres_store *store);
void postgres_listener_stop(postgres_store *store);

#endif
