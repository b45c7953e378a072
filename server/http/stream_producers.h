/* stream_producers.h - streamed answers: their parts are produced outside the loop, one at a time, each when the client
 * has received the one before.
 *
 * A stream that produces parts holds memory: rows read in advance, their text. --send-memory limits the number of
 * places for such streams. A stream without a place gets a free one, or that of the stream whose client has been idle
 * longest, which is then suspended; if all streams are active it waits in line. So a client that does not read delays
 * no other client, and costs no memory except its connection's buffer. */
#ifndef SERVER_HTTP_STREAM_PRODUCERS_H
#define SERVER_HTTP_STREAM_PRODUCERS_H

#include "server/http/state.h"

/* Returns the number of places for a memory limit. */
size_t http_producers_places(size_t memory);
/* Produces a part of at most `size` bytes; the exchange is suspended until then. */
void http_producer_make(http_exchange *self, size_t size);
/* Marks the produced part as sent. */
void http_producer_taken(http_exchange *self);
/* Ends a streamed answer. */
void http_producer_leave(http_exchange *self);
/* Suspends streams whose clients have not read for a while; they free their memory. */
void http_producers_suspend(srv_http *http, double now);

#endif
