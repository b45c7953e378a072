/* desk.c - see desk.h. */
#include "desk.h"

#include <pthread.h>
#include <stdlib.h>

struct srv_desk {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  srv_task *first, **last;
  bool stopping;
};

static srv_task *next_task(srv_desk *desk) {
  pthread_mutex_lock(&desk->mutex);
  while (!desk->first && !desk->stopping) pthread_cond_wait(&desk->wake, &desk->mutex);
  srv_task *task = desk->first;
  if (task) desk->first = task->next;
  if (!desk->first) desk->last = &desk->first;
  pthread_mutex_unlock(&desk->mutex);
  return task;
}

static void *desk_thread(void *context) {
  for (srv_task *task; (task = next_task(context));) task->run(task);
  return NULL;
}

srv_desk *srv_desk_start(void) {
  srv_desk *desk = calloc(1, sizeof *desk);
  if (!desk) return NULL;
  desk->last = &desk->first;
  pthread_mutex_init(&desk->mutex, NULL);
  pthread_cond_init(&desk->wake, NULL);
  if (pthread_create(&desk->thread, NULL, desk_thread, desk) == 0) return desk;
  free(desk);
  return NULL;
}

void srv_desk_post(srv_desk *desk, srv_task *task) {
  task->next = NULL;
  pthread_mutex_lock(&desk->mutex);
  *desk->last = task;
  desk->last = &task->next;
  pthread_cond_signal(&desk->wake);
  pthread_mutex_unlock(&desk->mutex);
}

void srv_desk_stop(srv_desk *desk) {
  pthread_mutex_lock(&desk->mutex);
  desk->stopping = true;
  pthread_cond_signal(&desk->wake);
  pthread_mutex_unlock(&desk->mutex);
  pthread_join(desk->thread, NULL);
  pthread_cond_destroy(&desk->wake);
  pthread_mutex_destroy(&desk->mutex);
  free(desk);
}
