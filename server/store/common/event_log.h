/* event_log.h - what happened to jobs lately, numbered in its order, for those who follow them.
 *
 * A store's subscribers are told of it (store.h); a event log remembers it: of starts, ends and the like the last some
 * thousand, and of each running job how far it has come, of which only the newest counts. So a follower is no more than
 * a number, the first event that he has not seen, and whoever falls behind costs nothing: he is told that he missed
 * something, and looks for himself. Numbers begin anew with each event log; its `life` tells them from those of others. Any
 * thread may call. */
#ifndef SERVER_STORE_COMMON_EVENT_LOG_H
#define SERVER_STORE_COMMON_EVENT_LOG_H

#include "server/store/store.h"

enum { EVENT_LOG_SIZE = 4096 }; /* that are remembered */

typedef struct srv_event_log srv_event_log;

/* A running job that has come further, to be looked at in the store. */
typedef struct event_log_poll {
  char id[SERVICE_ID_SIZE];
  uint64_t began; /* which of its runs */
} event_log_poll;

/* NULL without memory. */
srv_event_log *srv_event_log_new(void);
void srv_event_log_free(srv_event_log *event_log);

/* As a subscriber is told. */
void srv_event_log_append(srv_event_log *event_log, store_event event, const char *id);

/* The next job that has come further; none is looked at twice at once, nor twice in a quarter of a second. False: there
 * is none. Each one is to be answered by srv_event_log_poll_done(). */
bool srv_event_log_next_poll(srv_event_log *event_log, double now, event_log_poll *look);
/* What was seen: the job, and how many rows of its results can be read; NULL: nothing. Followers are told of what is
 * new. */
void srv_event_log_poll_done(srv_event_log *event_log, const event_log_poll *look, const service_job *job, size_t rows);

/* From now on: events of one job; of all, NULL. */
void srv_event_log_subscribe(srv_event_log *event_log, const char *id, service_follower *follower);
/* The number that the next event will have. */
uint64_t srv_event_log_end(srv_event_log *event_log);
/* Whether there is an event for him; what does not concern him is skipped. */
bool srv_event_log_has(srv_event_log *event_log, service_follower *follower);
/* His next event; false: there is none yet. */
bool srv_event_log_next(srv_event_log *event_log, service_follower *follower, service_event *event);

#endif
