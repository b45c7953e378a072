/* desk.c - see desk.h. */
#include "desk.h"

#include "clock.h"

#include <pthread.h>
#include <stdlib.h>

struct srv_desk {
  size_t limit;
  double patience;
  size_t thread_count;
  pthread_mutex_t mutex; /* guards what follows, but for the threads */
  pthread_cond_t wake;
  srv_task *first, **last;
  size_t waiting;
  bool closed;
  pthread_t threads[];
};

static bool is_late(const srv_desk *desk, const srv_task *task) {
  return srv_clock_monotonic() - task->posted > desk->patience;
}

/* Takes the first task that waits; NULL where there is none. Under the mutex. */
static srv_task *take_first(srv_desk *desk) {
  srv_task *task = desk->first;
  if (!task) return NULL;
  desk->first = task->next;
  if (!desk->first) desk->last = &desk->first;
  desk->waiting--;
  return task;
}

static srv_task *next_task(srv_desk *desk) {
  pthread_mutex_lock(&desk->mutex);
  while (!desk->first && !desk->closed) pthread_cond_wait(&desk->wake, &desk->mutex);
  srv_task *task = desk->closed ? NULL : take_first(desk); /* what then waits is turned away */
  pthread_mutex_unlock(&desk->mutex);
  return task;
}

static void *desk_thread(void *context) {
  srv_desk *desk = context;
  for (srv_task *task; (task = next_task(desk));) task->run(task, is_late(desk, task));
  return NULL;
}

srv_desk *srv_desk_start(size_t threads, size_t limit, double patience) {
  srv_desk *desk = calloc(1, sizeof *desk + threads * sizeof desk->threads[0]);
  if (!desk) return NULL;
  desk->limit = limit;
  desk->patience = patience;
  desk->last = &desk->first;
  pthread_mutex_init(&desk->mutex, NULL);
  pthread_cond_init(&desk->wake, NULL);
  while (desk->thread_count < threads &&
         pthread_create(&desk->threads[desk->thread_count], NULL, desk_thread, desk) == 0)
    desk->thread_count++;
  if (desk->thread_count > 0) return desk;
  srv_desk_stop(desk);
  return NULL;
}

bool srv_desk_post(srv_desk *desk, srv_task *task) {
  task->next = NULL;
  task->posted = srv_clock_monotonic();
  pthread_mutex_lock(&desk->mutex);
  bool taken = !desk->closed && desk->waiting < desk->limit;
  if (taken) {
    *desk->last = task;
    desk->last = &task->next;
    desk->waiting++;
    pthread_cond_signal(&desk->wake);
  }
  pthread_mutex_unlock(&desk->mutex);
  return taken;
}

void srv_desk_turn_away(srv_desk *desk) {
  for (srv_task *task;;) {
    pthread_mutex_lock(&desk->mutex);
    bool late = desk->first && (desk->closed || is_late(desk, desk->first));
    task = late ? take_first(desk) : NULL;
    pthread_mutex_unlock(&desk->mutex);
    if (!task) return;
    task->run(task, true);
  }
}

void srv_desk_close(srv_desk *desk) {
  pthread_mutex_lock(&desk->mutex);
  desk->closed = true;
  pthread_cond_broadcast(&desk->wake);
  pthread_mutex_unlock(&desk->mutex);
  srv_desk_turn_away(desk);
}

void srv_desk_stop(srv_desk *desk) {
  srv_desk_close(desk);
  for (size_t i = 0; i < desk->thread_count; i++) pthread_join(desk->threads[i], NULL);
  pthread_cond_destroy(&desk->wake);
  pthread_mutex_destroy(&desk->mutex);
  free(desk);
}
