/* exchange.h - handles a request from its header to its answer; callbacks of libmicrohttpd. */
#ifndef SERVER_HTTP_EXCHANGE_H
#define SERVER_HTTP_EXCHANGE_H

#include "server/http/state.h"

void *http_exchange_begin(void *context, const char *target, struct MHD_Connection *connection);
enum MHD_Result http_exchange_step(void *context, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *data, size_t *size,
                                   void **exchange);
void http_exchange_end(void *context, struct MHD_Connection *connection, void **exchange,
                       enum MHD_RequestTerminationCode how);
/* Continues an exchange whose pending operation is complete or durable. */
void http_exchange_returned(http_exchange *self);
/* Checks whether the job that the exchange waits for has ended already; if so, notifies the mailbox. */
void http_exchange_look(http_exchange *self);
/* Ends the waiting of an exchange. */
void http_exchange_wake(http_exchange *self);

#endif
