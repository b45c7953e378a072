/* state.h - the state of the HTTP side, which its parts share. All of it belongs to the loop's thread, except the
 * mailbox and an exchange that is in a task queue. */
#ifndef SERVER_HTTP_STATE_H
#define SERVER_HTTP_STATE_H

#include "api/http/request.h"
#include "api/http/response.h"
#include "server/jobs/task_queue.h"
#include "server/service.h"

#include <microhttpd.h>
#include <pthread.h>

typedef struct srv_http srv_http;

enum { HTTP_ADDRESS_SIZE = 48 };

/* A client's connection. libmicrohttpd counts inactivity only, which one byte a second outlives: deadlines here are
 * absolute, for the head and for the body of a request each; while an answer goes out, every part of it gets one. */
typedef struct http_peer {
  int socket;
  char address[HTTP_ADDRESS_SIZE]; /* numeric, without its port, or "unix"; "" where it has none */
  double deadline;                 /* monotonic; INFINITY while the server is at work */
  struct http_peer *previous, *next;
} http_peer;

typedef enum http_phase {
  HTTP_HEAD,  /* the target is known */
  HTTP_BODY,  /* the head was looked at, the body arrives */
  HTTP_WORK,  /* suspended: in a task queue, its document is checked, or something is on its way into the store */
  HTTP_WAIT,  /* suspended: waits for its job */
  HTTP_ANSWER /* `response` can go out */
} http_phase;

/* A request and its answer. */
typedef struct http_exchange {
  srv_task task; /* first: the task queue's handle */
  srv_service service;
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
  bool close;  /* the connection cannot be used after the answer */
  bool waited; /* its waiting is over */
  api_response response;
  double began, wait_until;
  char wait_id[SERVICE_ID_SIZE];
  /* A part of a streamed answer that was read beside the loop: its bytes, 0 at the end, -1 for a failure. */
  char *part;
  ssize_t part_size;
  size_t part_sent;
  bool part_ready;
  struct http_exchange *previous, *next; /* of those that wait for their jobs */
  struct http_exchange *next_returned;
} http_exchange;

/* The id of a job that ended; "": of any. */
typedef struct http_notice {
  char id[SERVICE_ID_SIZE];
  struct http_notice *next;
} http_notice;

struct srv_http {
  srv_server *server;
  struct MHD_Daemon *daemon;
  int epoll, wake, signals;
  srv_task_queue *reading; /* handles requests where the store may answer later; else NULL: the loop does it */
  http_peer *peers;
  http_exchange *waiting;
  size_t suspended;    /* exchanges in HTTP_WORK or HTTP_WAIT */
  size_t exchanges;    /* requests that are not finished */
  size_t upload_bytes; /* memory of request bodies */
  double swept;
  bool draining, drained;
  store_watcher watcher;

  pthread_mutex_t mutex; /* guards the mailbox, which is what follows */
  http_exchange *returned;
  http_notice *notices;
  bool pool_drained;
};

#endif
