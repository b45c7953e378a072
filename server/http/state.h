/* state.h - the state of the HTTP server, shared by its files. It belongs to the loop's thread, except the mailbox and
 * an exchange that is in a task queue. */
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

/* A client's connection. libmicrohttpd measures inactivity only, so one byte a second would keep a connection open.
 * Deadlines here are absolute: one for the header and one for the body of a request, and one for each part of an
 * answer. */
typedef struct http_connection {
  int socket;
  char address[HTTP_ADDRESS_SIZE]; /* numeric, without port, or "unix"; "" if unknown */
  bool too_many;                   /* the address exceeds the limit of connections: requests are refused */
  double deadline;                 /* monotonic; INFINITY while the server works */
  uint64_t heard;                  /* bytes received when data was last processed */
  http_exchange *exchange;         /* current request; NULL between requests */
  struct http_connection *previous, *next;
} http_connection;

typedef enum http_phase {
  HTTP_HEAD,   /* the target is known */
  HTTP_BODY,   /* the header was checked, the body arrives */
  HTTP_WORK,   /* suspended: in a task queue, or its document is checked, or a change is being written to the store */
  HTTP_WAIT,   /* suspended: waits for its job */
  HTTP_ANSWER, /* `response` can be sent */
  HTTP_LINGER  /* the answer was sent; the remaining body is dropped, so that the client reads the answer */
} http_phase;

/* State of a streamed answer, see stream_producers.h. */
typedef enum http_sending {
  HTTP_SENDING_NOTHING, /* holds no significant memory */
  HTTP_SENDING_QUEUED,  /* suspended: waits for memory to produce its next part */
  HTTP_SENDING_MADE,    /* suspended: the next part is being produced */
  HTTP_SENDING_IDLE     /* the part was sent; the stream keeps data that speeds up the next one */
} http_sending;

/* A request and its answer. */
struct http_exchange {
  srv_task task; /* first: the task queue's handle */
  srv_service service;
  srv_http *http;
  http_connection *peer;
  struct MHD_Connection *connection;
  http_phase phase;
  int references; /* references by the request and by a streamed answer */
  char *target, *method;
  api_header *headers;
  size_t header_count;
  char *body;
  size_t body_size, body_capacity;
  bool beside;  /* the request is processed outside the loop */
  bool chunked; /* the body has chunked encoding, of unknown length */
  bool close;   /* the connection cannot be used after the answer */
  bool waited;  /* the wait has ended */
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
  http_exchange *previous_producer, *next_producer; /* list of queued, idle, or event streams */
  double quiet_at;                                  /* event streams: time of the next keep-alive */
  bool over;                                        /* the stream must end now */
  http_exchange *previous, *next;                   /* list of exchanges that wait for their jobs */
  http_exchange *next_returned;
};

/* Exchanges in order of arrival. */
typedef struct http_line {
  http_exchange *first, *last;
} http_line;

/* Id of a job that ended; "": any job. */
typedef struct http_notice {
  char id[SERVICE_ID_SIZE];
  struct http_notice *next;
} http_notice;

struct srv_http {
  srv_server *server;
  const http_connection *last_body; /* the connection that brought the last part of a body; only for comparison */
  struct MHD_Daemon *daemon;
  int epoll, wake, signals;
  int library;             /* libmicrohttpd's own epoll */
  srv_task_queue *reading; /* processes requests that read much, or all if the store answers later; produces parts */
  size_t places;           /* number of streams that may hold memory for parts */
  http_line queued, idle;  /* streams, see stream_producers.h */
  http_line following;     /* event streams (event_streams.h) in the order of their next keep-alives */
  /* end of the event log when the streams of one job, and of all jobs, were last resumed */
  uint64_t followed, swept_to;
  atomic_size_t followers; /* number of event streams */
  atomic_size_t looks;     /* polls of running jobs in progress */
  http_connection *peers;
  http_exchange *waiting;
  size_t suspended;    /* exchanges in HTTP_WORK or HTTP_WAIT */
  size_t exchanges;    /* requests that are not finished */
  size_t upload_bytes; /* memory of request bodies */
  double swept;
  size_t most_connections; /* most connections since memory was returned to the system */
  double admitted_from;    /* event streams of requests from before this time end: the token file was read again */
  bool draining, drained;
  bool closing; /* no more parts of answers are produced */
  store_subscriber subscriber;

  pthread_mutex_t mutex; /* guards the mailbox: the fields below */
  http_exchange *returned;
  http_notice *notices;
  bool pool_drained;
};

#endif
