/* notifications.c - see notifications.h. */
#include "server/store/postgres/connection/notifications.h"

void postgres_notifications_event(postgres_store *store, int event, const char *id) {
  if (event == STORE_EVENT_QUEUED || event == STORE_EVENT_MISSED || event == POSTGRES_EVENT_BLOCKS)
    postgres_writer_look(&store->queue_writer);
  if (event != POSTGRES_EVENT_BLOCKS) store_subscribers_notify(&store->subscribers, (store_event)event, id);
}
