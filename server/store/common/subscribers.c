/* subscribers.c - see subscribers.h. */
#include "server/store/common/subscribers.h"

#include <assert.h>

void store_subscribers_add(store_subscribers *subscribers, store_subscriber *subscriber) {
  assert(subscriber->notify);
  pthread_mutex_lock(&subscribers->mutex);
  subscriber->next = subscribers->first;
  subscribers->first = subscriber;
  pthread_mutex_unlock(&subscribers->mutex);
}

void store_subscribers_notify(store_subscribers *subscribers, store_event event, const char *id) {
  assert(event <= STORE_EVENT_MISSED && (event == STORE_EVENT_MISSED) == (id[0] == '\0'));
  pthread_mutex_lock(&subscribers->mutex);
  for (store_subscriber *subscriber = subscribers->first; subscriber; subscriber = subscriber->next)
    subscriber->notify(subscriber->context, event, id);
  pthread_mutex_unlock(&subscribers->mutex);
}
