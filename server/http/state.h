/* state.h - the state of the HTTP side, which its parts share. All of it belongs to the loop's thread, except the
 * mailbox and an exchange that is in a task queue. */
#ifndef SERVER_HTTP_STATE_H
#define SERVER_HTTP_STATE_H

#include "api/http/request.h"
#include "api/http/response.h"
#include "server/http/task_queue.h"
#include "server/service.h"
#include "server/store/common/event_log.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct srv_http srv_http;
typedef struct http_exchange http_exchange;

enum { HTTP_ADDRESS_SIZE = 48 };

/* A client's connection. libmicrohttpd counts inactivity only, which one byte a second outlives: deadlines here are
 * absolute, for the head and for the body of a request each; while an answer goes out, every part of it gets one. */
typedef struct http_connection {
  int socket;
  char address[HTTP_ADDRESS_SIZE]; /* numeric, without its port, or "unix"; "" where it has none */
  bool too_many;                   /* its address has more connections than it may: its requests are refused */
  double deadline;                 /* monotonic; INFINITY while the server is at work */
  uint64_t heard;                  /* bytes that had come from it when it was last listened to */
  http_exchange *exchange;         /* its request; NULL between two */
  struct http_connection *previous, *next;
} http_connection;

typedef enum http_phase {
  HTTP_HEAD,   /* the target is known */
  HTTP_BODY,   /* the head was looked at, the body arrives */
  HTTP_WORK,   /* suspended: in a task queue, its document is checked, or something is on its way into the store */
  HTTP_WAIT,   /* suspended: waits for its job */
  HTTP_ANSWER, /* `response` can go out */
  HTTP_LINGER  /* it has its answer; what still comes of its body is dropped, so that the client sees it */
} http_phase;

/* How a streamed answer stands, see stream_producers.h. */
typedef enum http_sending {
  HTTP_SENDING_NOTHING, /* it holds no memory to speak of */
  HTTP_SENDING_QUEUED,  /* suspended: waits for memory to make its next part */
  HTTP_SENDING_MADE,    /* suspended: the next part is made */
  HTTP_SENDING_IDLE     /* its part has left; it keeps what makes the next one quick */
} http_sending;

/* A request and its answer. */
struct http_exchange {
  srv_task task; /* first: the task queue's handle */
  srv_service service;
  srv_http *http;
  http_connection *peer;
  struct MHD_Connection *connection;
  http_phase phase;
  int references; /* the request's, and one of a streamed answer */
  char *target, *method;
  api_header *headers;
  size_t header_count;
  char *body;
  size_t body_size, body_capacity;
  bool beside;  /* its request is handled beside the loop */
  bool chunked; /* its body comes in pieces, of no known length */
  bool close;   /* the connection cannot be used after the answer */
  bool waited;  /* its waiting is over */
  api_response response;
  double began, wait_until;
  char wait_id[SERVICE_ID_SIZE];
  /* The next part of a streamed answer: its bytes, 0 at the end, -1 for a failure. */
  http_sending sending;
  char *part;
  size_t part_wanted;
  ssize_t part_size;
  bool part_ready;
  double idle_since;
  http_exchange *previous_producer, *next_producer; /* of those that are queued, idle, or following */
  double quiet_at;                                  /* of one that follows: when a sign of life is due */
  bool over;                                        /* its stream ends where it is */
  http_exchange *previous, *next;                   /* of those that wait for their jobs */
  http_exchange *next_returned;
};

/* Some exchanges in the order in which they came. */
typedef struct http_line {
  http_exchange *first, *last;
} http_line;

/* The id of a job that ended; "": of any. */
typedef struct http_notice {
  char id[SERVICE_ID_SIZE];
  struct http_notice *next;
} http_notice;

struct srv_http {
  srv_server *server;
  struct MHD_Daemon *daemon;
  int epoll, wake, signals;
  int library;             /* libmicrohttpd's own epoll */
  srv_task_queue *reading; /* handles requests that read much, or all where the store may answer later; makes parts */
  size_t places;           /* streams that may have a part made beside those that do */
  http_line queued, idle;  /* streams, see stream_producers.h */
  http_line following;     /* streams, see event_streams.h, in the order in which signs of life are due */
  uint64_t followed, swept_to; /* where the event log ended when streams of one job, and of all, were last woken */
  atomic_size_t followers;     /* as many as are following */
  atomic_size_t looks;         /* at jobs that run, under way beside the loop */
  http_connection *peers;
  http_exchange *waiting;
  size_t suspended;    /* exchanges in HTTP_WORK or HTTP_WAIT */
  size_t exchanges;    /* requests that are not finished */
  size_t upload_bytes; /* memory of request bodies */
  double swept;
  double admitted_from; /* streams of events of requests from before it end: the token file was read again then */
  bool draining, drained;
  bool closing; /* no more parts of answers are made */
  store_subscriber subscriber;

  pthread_mutex_t mutex; /* guards the mailbox, which is what follows */
  http_exchange *returned;
  http_notice *notices;
  bool pool_drained;
};

#endif
