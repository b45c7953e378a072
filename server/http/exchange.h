/* exchange.h - one request, from its head to its answer, as libmicrohttpd calls. */
#ifndef SERVER_HTTP_EXCHANGE_H
#define SERVER_HTTP_EXCHANGE_H

#include "server/http/state.h"

void *http_exchange_begin(void *context, const char *target, struct MHD_Connection *connection);
enum MHD_Result http_exchange_step(void *context, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *data, size_t *size,
                                   void **exchange);
void http_exchange_end(void *context, struct MHD_Connection *connection, void **exchange,
                       enum MHD_RequestTerminationCode how);
/* What it has begun is done, or durable: it goes on. */
void http_exchange_returned(http_exchange *self);
/* It waits for its job: should that have ended already, the mailbox is told. */
void http_exchange_look(http_exchange *self);
/* Its waiting is over. */
void http_exchange_wake(http_exchange *self);

#endif
