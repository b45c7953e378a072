/* mailbox.c - see mailbox.h. */
#include "server/http/mailbox.h"

#include "server/base/log.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void http_mailbox_wake(srv_http *http) {
  uint64_t one = 1;
  if (write(http->wake, &one, sizeof one) < 0) srv_log(SRV_ERROR, "wake_failed", (srv_field[]){{0}});
}

void http_mailbox_return(http_exchange *exchange, bool wakes) {
  srv_http *http = exchange->http;
  assert(exchange->phase == HTTP_WORK);
  pthread_mutex_lock(&http->mutex);
  exchange->next_returned = http->returned;
  http->returned = exchange;
  pthread_mutex_unlock(&http->mutex);
  if (wakes) http_mailbox_wake(http);
}

void http_mailbox_job_ended(srv_http *http, const char *id) {
  http_notice *notice = calloc(1, sizeof *notice);
  if (!notice) return; /* waiting requests wait until their deadline */
  memcpy(notice->id, id, strnlen(id, SERVICE_ID_SIZE - 1));
  pthread_mutex_lock(&http->mutex);
  notice->next = http->notices;
  http->notices = notice;
  pthread_mutex_unlock(&http->mutex);
  http_mailbox_wake(http);
}

void http_mailbox_pool_drained(srv_http *http) {
  pthread_mutex_lock(&http->mutex);
  http->pool_drained = true;
  pthread_mutex_unlock(&http->mutex);
  http_mailbox_wake(http);
}

bool http_mailbox_take(srv_http *http, http_exchange **returned, http_notice **notices) {
  pthread_mutex_lock(&http->mutex);
  *returned = http->returned;
  *notices = http->notices;
  http->returned = NULL;
  http->notices = NULL;
  bool drained = http->pool_drained;
  pthread_mutex_unlock(&http->mutex);
  return drained;
}
