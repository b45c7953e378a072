/* host.h - service.h over the store and the pool: what a request may ask of the server. */
#ifndef SRV_HOST_H
#define SRV_HOST_H

#include "config.h"
#include "metrics.h"
#include "pool.h"
#include "store.h"

#include <stdatomic.h>

/* The parts of the server that requests use. */
typedef struct srv_server {
  const srv_config *config;
  srv_store *store;
  srv_pool *pool;
  srv_metrics *metrics;
  bool loopback; /* it listens for this machine alone */
  atomic_bool draining;
  atomic_size_t connections;
} srv_server;

/* The server as one request sees it. A submission returns at once, with the job's id, so that many of them share one
 * flush to the disk; the host tells by `released` when the row is durable and the answer may go out. */
typedef struct srv_host srv_host;
struct srv_host {
  srv_server *server;
  service service;                  /* points back here */
  atomic_int holds;                 /* the request's own, and one for a submission under way */
  void (*released)(srv_host *host); /* there are none any more; on any thread */
  service_status committed;         /* of the submission, once released */
  bool submitted;
  service_job job; /* what was submitted: the store may not show it yet */
};

/* Prepares a host with one hold. */
void srv_host_init(srv_host *host, srv_server *server, void (*released)(srv_host *host));
/* Gives the request's own hold up. */
void srv_host_release(srv_host *host);
void srv_host_clear(srv_host *host);

/* Whether the job is one that a request need not wait for (any more). */
bool srv_host_job_ended(srv_server *server, const char *id);

#endif
