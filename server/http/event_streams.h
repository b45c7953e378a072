/* event_streams.h - event streams (api_stream's follower).
 *
 * A waiting stream is suspended and needs no memory except a number, until there is an event for it, a keep-alive is
 * due, or its client leaves. */
#ifndef SERVER_HTTP_EVENT_STREAMS_H
#define SERVER_HTTP_EVENT_STREAMS_H

#include "server/http/state.h"

/* Suspends the stream until there is an event for it. */
void http_event_stream_wait(http_exchange *self);
/* Resumes the streams of one job that may have an event. */
void http_event_streams_wake(srv_http *http);
/* Called several times a second: resumes the streams of all jobs, sends keep-alives, and polls running jobs. */
void http_event_streams_sweep(srv_http *http, double now);
/* Checks whether the client of a stream has left. */
void http_event_streams_left(srv_http *http, int socket);
/* Ends all streams: their clients may reconnect, here or elsewhere. */
void http_event_streams_end(srv_http *http);

#endif
