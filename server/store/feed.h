/* feed.h - what happened to jobs lately, numbered in its order, for those who follow them.
 *
 * A store's watchers are told of it (store.h); a feed remembers it: of starts, ends and the like the last some
 * thousand, and of each running job how far it has come, of which only the newest counts. So a follower is no more than
 * a number, the first event that he has not seen, and whoever falls behind costs nothing: he is told that he missed
 * something, and looks for himself. Numbers begin anew with each feed; its `life` tells them from those of others. Any
 * thread may call. */
#ifndef SERVER_STORE_FEED_H
#define SERVER_STORE_FEED_H

#include "server/store/store.h"

enum { FEED_EVENTS = 4096 }; /* that are remembered */

typedef struct srv_feed srv_feed;

/* A running job that has come further, to be looked at in the store. */
typedef struct feed_look {
  char id[SERVICE_ID_SIZE];
  uint64_t began; /* which of its runs */
} feed_look;

/* NULL without memory. */
srv_feed *srv_feed_new(void);
void srv_feed_free(srv_feed *feed);

/* As a watcher is told. */
void srv_feed_told(srv_feed *feed, store_event event, const char *id);

/* The next job that has come further; none is looked at twice at once, nor twice in a quarter of a second. False: there
 * is none. Each one is to be answered by srv_feed_looked(). */
bool srv_feed_due(srv_feed *feed, double now, feed_look *look);
/* What was seen: the job, and how many rows of its results can be read; NULL: nothing. Followers are told of what is
 * new. */
void srv_feed_looked(srv_feed *feed, const feed_look *look, const service_job *job, size_t rows);

/* From now on: events of one job; of all, NULL. */
void srv_feed_follow(srv_feed *feed, const char *id, service_subscription *follower);
/* The number that the next event will have. */
uint64_t srv_feed_end(srv_feed *feed);
/* Whether there is an event for him; what does not concern him is skipped. */
bool srv_feed_has(srv_feed *feed, service_subscription *follower);
/* His next event; false: there is none yet. */
bool srv_feed_next(srv_feed *feed, service_subscription *follower, service_event *event);

#endif
