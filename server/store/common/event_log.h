/* event_log.h - the numbered log of recent job events, for clients that subscribe to them.
 *
 * An event log subscribes to a store (store.h). It stores the last EVENT_LOG_SIZE events other than progress, and for
 * each running job only its latest progress. A subscription is only a number: the first event that the client has not
 * read. A slow client therefore costs no memory: it gets a "missed" event and reads the state itself. The numbers
 * restart with each event log; its `life` distinguishes them from those of another. Any thread may call. */
#ifndef SERVER_STORE_COMMON_EVENT_LOG_H
#define SERVER_STORE_COMMON_EVENT_LOG_H

#include "server/store/store.h"

enum { EVENT_LOG_SIZE = 4096 }; /* number of stored events */

typedef struct srv_event_log srv_event_log;

/* A running job that has progressed and must be read from the store. */
typedef struct event_log_poll {
  char id[SERVICE_ID_SIZE];
  uint64_t began; /* number of the job's run */
} event_log_poll;

/* Returns NULL if memory runs out. */
srv_event_log *srv_event_log_new(void);
void srv_event_log_free(srv_event_log *event_log);

/* Records an event of job `id`; the callback of store_subscriber. */
void srv_event_log_append(srv_event_log *event_log, store_event event, const char *id);

/* Returns the next job that has progressed. No job is returned again before srv_event_log_poll_done(), or within a
 * quarter of a second. Returns false if there is none. The caller must answer each job with
 * srv_event_log_poll_done(). */
bool srv_event_log_next_poll(srv_event_log *event_log, double now, event_log_poll *look);
/* Records the state that was read: the job and the number of readable rows; `job` NULL: reading failed. Makes an event
 * if it is new. */
void srv_event_log_poll_done(srv_event_log *event_log, const event_log_poll *look, const service_job *job, size_t rows);

/* Starts a subscription at the next event: events of one job, or of all jobs if `id` is NULL. */
void srv_event_log_subscribe(srv_event_log *event_log, const char *id, service_subscription *follower);
/* Returns the number that the next event will have. */
uint64_t srv_event_log_end(srv_event_log *event_log);
/* Returns true if the subscriber has an event to read. Skips events of other jobs. */
bool srv_event_log_has(srv_event_log *event_log, service_subscription *follower);
/* Reads the subscriber's next event. Returns false if there is none yet. */
bool srv_event_log_next(srv_event_log *event_log, service_subscription *follower, service_event *event);

#endif
