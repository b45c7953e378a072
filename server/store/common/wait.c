/* wait.c - see wait.h. */
#include "server/store/common/wait.h"

#include <assert.h>

void store_wait_done(void *context, service_status status) {
  store_wait *wait = context;
  pthread_mutex_lock(&wait->mutex);
  assert(!wait->is_done);
  wait->status = status;
  wait->is_done = true;
  pthread_cond_signal(&wait->told);
  pthread_mutex_unlock(&wait->mutex);
}

service_status store_wait_for(store_wait *wait) {
  pthread_mutex_lock(&wait->mutex);
  while (!wait->is_done) pthread_cond_wait(&wait->told, &wait->mutex);
  pthread_mutex_unlock(&wait->mutex);
  return wait->status;
}
