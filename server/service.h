/* service.h - implements api/service.h with the store and the pool. */
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

/* Parts of the server that requests use. */
typedef struct srv_server {
  const srv_config *config;
  srv_store *store;
  srv_pool *pool; /* pool of workers; NULL: jobs run elsewhere */
  srv_metrics *metrics;
  srv_event_log *event_log; /* recent events of jobs */
  char *host_names;         /* all its host names, as service.host_names */
  srv_tokens *tokens;       /* valid tokens; NULL: no token required */
  srv_download_limits download_limits;
  atomic_bool draining;
  atomic_bool ending; /* reads of results in progress are aborted */
  atomic_size_t connections;
} srv_server;

/* The server for one request. Operations that take a while are started and return PENDING; `released` is called when
 * they are complete. A check, a cancel, a change, a removal, and a submission that may find an existing job are then
 * requested again and return their result. Any other submission returns the job's id immediately, so that many of them
 * share one flush to the disk; after `released` its row is durable and the answer may be sent. */
typedef struct srv_service srv_service;
struct srv_service {
  srv_server *server;
  service verbs;                       /* the functions receive this struct */
  service_holder holder;               /* holder of the request's token */
  atomic_int holds;                    /* references: one by the request, one by each operation in progress */
  void (*released)(srv_service *self); /* called when `holds` is 0; on any thread */
  srv_check check;
  bool checked;                  /* `check` was started and returned PENDING */
  char changed[SERVICE_ID_SIZE]; /* job being cancelled, changed or removed; "": none */
  bool finding;                  /* a submission was started that may find a job */
  service_status change;         /* result of that change, after `released` */
  service_receipt receipt;       /* the store's receipt of a submission, after `released` */
  service_status committed;      /* status of the submission, after `released` */
  bool submitted;
  bool stored;        /* that submission has ended, see `committed` */
  srv_service *whole; /* the request that this is a part of; NULL: this is the request */
  srv_service *parts; /* [SERVICE_BATCH_MAX] of a request with several documents; NULL: none yet */
  service_part part;  /* a part as the API sees it */
  service_job job;    /* the submitted job: the store may not show it yet */
};

/* Initializes the struct with one hold. */
void srv_service_init(srv_service *self, srv_server *server, void (*released)(srv_service *self));
/* Releases the request's own hold. */
void srv_service_release(srv_service *self);
/* Takes the request's hold again, after `released`. */
void srv_service_resume(srv_service *self);
void srv_service_clear(srv_service *self);

#endif
