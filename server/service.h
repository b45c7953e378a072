/* service.h - the implementation of api/service.h over the store and the pool: what a request may ask of the server. */
#ifndef SERVER_SERVICE_H
#define SERVER_SERVICE_H

#include "server/base/config.h"
#include "server/base/download_limits.h"
#include "server/base/metrics.h"
#include "server/base/tokens.h"
#include "server/jobs/pool.h"
#include "server/store/common/event_log.h"
#include "server/store/store.h"

#include <stdatomic.h>

/* The parts of the server that requests use. */
typedef struct srv_server {
  const srv_config *config;
  srv_store *store;
  srv_pool *pool; /* NULL: jobs run elsewhere */
  srv_metrics *metrics;
  srv_event_log *event_log; /* what happened to jobs lately */
  char *host_names;         /* all it is known by, as service.host_names */
  srv_tokens *tokens;       /* NULL: nobody needs one */
  srv_download_limits download_limits;
  atomic_bool draining;
  atomic_bool ending; /* what still reads results is cut short */
  atomic_size_t connections;
} srv_server;

/* The server as one request sees it. What takes a while is begun, and `released` tells when it is done: a check, a
 * cancel, a change or a removal is then asked for again, and has its answer, and so is a submission that may find a job
 * that is there; any other submission has returned the job's id before, so
 * that many of them share one flush to the disk, and now its row is durable and the answer may go out. */
typedef struct srv_service srv_service;
struct srv_service {
  srv_server *server;
  service verbs;                       /* point back here */
  service_holder holder;               /* of the request's token */
  atomic_int holds;                    /* the request's own, and one for what is under way */
  void (*released)(srv_service *self); /* there are none any more; on any thread */
  srv_check check;
  bool checked;                  /* `check` was begun, as an answer to PENDING */
  char changed[SERVICE_ID_SIZE]; /* the job that is cancelled, changed or removed; "": none */
  bool finding;                  /* a submission was begun that may find a job */
  service_status change;         /* what came of that, once released */
  service_receipt receipt;       /* of a submission, once released */
  service_status committed;      /* of the submission, once released */
  bool submitted;
  service_job job; /* what was submitted: the store may not show it yet */
};

/* Prepares one with one hold. */
void srv_service_init(srv_service *self, srv_server *server, void (*released)(srv_service *self));
/* Gives the request's own hold up. */
void srv_service_release(srv_service *self);
/* Once released: takes it again. */
void srv_service_resume(srv_service *self);
void srv_service_clear(srv_service *self);

#endif
