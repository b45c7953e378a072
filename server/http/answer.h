/* answer.h - sends a response with libmicrohttpd. */
#ifndef SERVER_HTTP_ANSWER_H
#define SERVER_HTTP_ANSWER_H

#include "server/http/state.h"

/* Sends the exchange's response, which is not pending. */
enum MHD_Result http_answer_send(http_exchange *self);
/* Answers with a problem and ignores the remaining request. */
enum MHD_Result http_answer_refuse(http_exchange *self, int status, const char *detail);
/* Does the same while a body arrives or may arrive. Reads the client's data for a while, because it sends before it
 * reads. */
enum MHD_Result http_answer_refuse_body(http_exchange *self, int status, const char *detail);
/* Returns true if the answer is an event stream that must end now. */
bool http_answer_is_over(const http_exchange *self);
/* Suspend the connection; resume it. */
void http_exchange_suspend(http_exchange *self);
void http_exchange_resume(http_exchange *self);
/* Releases a reference; the last one frees the exchange. */
void http_exchange_unreference(http_exchange *self);

#endif
