/* http_private.h - what the parts of the HTTP side share. All of it belongs to the loop's thread, except the mailbox
 * and an exchange that is at a desk. */
#ifndef SRV_HTTP_PRIVATE_H
#define SRV_HTTP_PRIVATE_H

#include "api.h"
#include "desk.h"
#include "http.h"

#include <microhttpd.h>
#include <pthread.h>

/* A client's connection. libmicrohttpd counts inactivity only, which one byte a second outlives: deadlines here are
 * absolute, for the head and for the body of a request each; while an answer goes out, every part of it gets one. */
typedef struct http_peer {
  int socket;
  double deadline; /* monotonic; INFINITY while the server is at work */
  struct http_peer *previous, *next;
} http_peer;

typedef enum http_phase {
  HTTP_HEAD,  /* the target is known */
  HTTP_BODY,  /* the head was looked at, the body arrives */
  HTTP_WORK,  /* suspended: at a desk, or on its way into the store */
  HTTP_WAIT,  /* suspended: waits for its job */
  HTTP_ANSWER /* `response` can go out */
} http_phase;

/* A request and its answer. */
typedef struct http_exchange {
  srv_task task; /* first: the desk's handle */
  srv_host host;
  srv_http *http;
  http_peer *peer;
  struct MHD_Connection *connection;
  http_phase phase;
  int references; /* the request's, and one of a streamed answer */
  char *target, *method;
  api_header *headers;
  size_t header_count;
  char *body;
  size_t body_size, body_capacity;
  bool close;    /* the connection cannot be used after the answer */
  bool checking; /* it is at a desk where documents are checked */
  api_response response;
  double began, wait_until;
  char wait_id[SERVICE_ID_SIZE];
  struct http_exchange *previous, *next; /* of those that wait for their jobs */
  struct http_exchange *next_returned;
} http_exchange;

/* The id of a job that ended. */
typedef struct http_notice {
  char id[SERVICE_ID_SIZE];
  struct http_notice *next;
} http_notice;

struct srv_http {
  srv_server *server;
  struct MHD_Daemon *daemon;
  int epoll, wake, signals;
  /* Desks: for cancelling and removing; for documents that become jobs; for those that are only looked at, one at a
   * time because the linear algebra behind it must not run in two threads. */
  srv_desk *changing, *submitting, *validating;
  http_peer *peers;
  http_exchange *waiting;
  size_t suspended;    /* exchanges in HTTP_WORK or HTTP_WAIT */
  size_t checking;     /* of these, the ones at a desk where documents are checked */
  size_t exchanges;    /* requests that are not finished */
  size_t upload_bytes; /* memory of request bodies */
  double swept;
  bool draining, drained;

  pthread_mutex_t mutex; /* guards the mailbox, which is what follows */
  http_exchange *returned;
  http_notice *notices;
  bool pool_drained;
};

/* ---- http_exchange.c: from the request to the answer, as libmicrohttpd calls ------------------------------------- */

void *http_exchange_begin(void *context, const char *target, struct MHD_Connection *connection);
enum MHD_Result http_exchange_step(void *context, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *data, size_t *size,
                                   void **exchange);
void http_exchange_end(void *context, struct MHD_Connection *connection, void **exchange,
                       enum MHD_RequestTerminationCode how);
/* What the desk did with it is durable: it goes on. */
void http_exchange_returned(http_exchange *self);
/* Its waiting is over. */
void http_exchange_wake(http_exchange *self);

/* ---- http.c ------------------------------------------------------------------------------------------------------ */

/* Puts an exchange into the mailbox. Any thread. */
void http_return(http_exchange *exchange);

#endif
