/* stream_producers.h - streamed answers: parts are made beside the loop, one at a time for each, and only when its client has
 * taken the one before.
 *
 * A stream that makes parts holds memory: rows that were read in advance, their text. There are as many places for that
 * as --send-memory allows. A stream without a place gets a free one, or that of the stream whose client has been idle
 * for longest, which then rests; where all are at work it waits in line. So a client that does not read keeps nobody
 * from anything, and what it has asked for costs no memory but for what is already in its connection's buffer. */
#ifndef SERVER_HTTP_STREAM_PRODUCERS_H
#define SERVER_HTTP_STREAM_PRODUCERS_H

#include "server/http/state.h"

/* How many places there are for so much memory. */
size_t http_producers_places(size_t memory);
/* The client can take at most so many bytes: has them made. The exchange is suspended until then. */
void http_producer_make(http_exchange *self, size_t size);
/* The part that was made is handed on. */
void http_producer_taken(http_exchange *self);
/* The answer is over. */
void http_producer_leave(http_exchange *self);
/* Streams whose clients have not read for a while give their memory back. */
void http_producers_suspend(srv_http *http, double now);

#endif
