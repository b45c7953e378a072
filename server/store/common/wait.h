/* wait.h - waits for an answer of the store on the calling thread, which must be allowed to block. */
#ifndef SERVER_STORE_COMMON_WAIT_H
#define SERVER_STORE_COMMON_WAIT_H

#include "api/service.h"

#include <pthread.h>

/* Waits for an answer:
 *
 *     store_wait wait = STORE_WAIT_INIT;
 *     store->get(store, id, &job, store_wait_done, &wait);
 *     status = store_wait_for(&wait); */
typedef struct store_wait {
  pthread_mutex_t mutex;
  pthread_cond_t told;
  bool is_done;
  service_status status;
} store_wait;

#define STORE_WAIT_INIT \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, SERVICE_FAILED }

/* Records the answer; a store_done whose `context` is the store_wait. */
void store_wait_done(void *context, service_status status);
/* Waits until the answer is there and returns its status. */
service_status store_wait_for(store_wait *wait);

#endif
