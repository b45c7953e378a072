/* answer.h - a response on its way out, as libmicrohttpd sends it. */
#ifndef SERVER_HTTP_ANSWER_H
#define SERVER_HTTP_ANSWER_H

#include "server/http/state.h"

/* Sends the exchange's response, which is not pending. */
enum MHD_Result http_answer_send(http_exchange *self);
/* Answers with a problem; what is left of the request is not looked at. */
enum MHD_Result http_answer_refuse(http_exchange *self, int status, const char *detail);
/* The same while a body arrives, or may arrive: the client, who writes before it reads, is listened to for a while. */
enum MHD_Result http_answer_refuse_body(http_exchange *self, int status, const char *detail);
/* Whether its stream grows as things happen, and is to end where it is. */
bool http_answer_is_over(const http_exchange *self);
/* Suspends the connection, or lets the answer go on. */
void http_exchange_suspend(http_exchange *self);
void http_exchange_resume(http_exchange *self);
/* Gives a reference up; the last one frees the exchange. */
void http_exchange_unreference(http_exchange *self);

#endif
