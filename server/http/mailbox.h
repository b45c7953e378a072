/* mailbox.h - messages of other threads to the loop. */
#ifndef SERVER_HTTP_MAILBOX_H
#define SERVER_HTTP_MAILBOX_H

#include "server/http/state.h"

/* Puts an exchange into the mailbox, and wakes the loop unless that can wait. Any thread. */
void http_mailbox_return(http_exchange *exchange, bool wakes);
/* Wakes the loop. Any thread. */
void http_mailbox_wake(srv_http *http);
/* Reports that a job has ended or was removed; "": any job may have. Any thread. */
void http_mailbox_job_ended(srv_http *http, const char *id);
/* Reports that the pool has drained. Any thread. */
void http_mailbox_pool_drained(srv_http *http);
/* Takes out all exchanges and notices, which the caller frees. Returns true if the pool has drained. */
bool http_mailbox_take(srv_http *http, http_exchange **returned, http_notice **notices);

#endif
