/* event_streams.h - answers that grow as things happen (api_stream's follower): each rests, suspended and without memory of
 * its own but a number, until something happens for it, a sign of life is due, or its client leaves. */
#ifndef SERVER_HTTP_EVENT_STREAMS_H
#define SERVER_HTTP_EVENT_STREAMS_H

#include "server/http/state.h"

/* Its stream, which is suspended, has nothing before something happens. */
void http_event_stream_wait(http_exchange *self);
/* Something may have happened: streams of one job that it happened for go on. */
void http_event_streams_wake(srv_http *http);
/* Some times a second: streams of all jobs go on, signs of life are given, and jobs that run are looked at. */
void http_event_streams_sweep(srv_http *http, double now);
/* A client that followed may have left. */
void http_event_streams_left(srv_http *http, int socket);
/* All streams end: their clients may come back, or go elsewhere. */
void http_event_streams_end(srv_http *http);

#endif
