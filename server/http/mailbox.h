/* mailbox.h - what other threads have to say to the loop. */
#ifndef SERVER_HTTP_MAILBOX_H
#define SERVER_HTTP_MAILBOX_H

#include "server/http/state.h"

/* Puts an exchange into the mailbox. Any thread. */
void http_mailbox_return(http_exchange *exchange);
/* The loop is to look around. Any thread. */
void http_mailbox_wake(srv_http *http);
/* A job has ended or is gone; "": any may have. Any thread. */
void http_mailbox_job_ended(srv_http *http, const char *id);
/* The pool has drained. Any thread. */
void http_mailbox_pool_drained(srv_http *http);
/* Takes out what is there: exchanges, and notices, which the caller frees. Returns whether the pool has drained. */
bool http_mailbox_take(srv_http *http, http_exchange **returned, http_notice **notices);

#endif
