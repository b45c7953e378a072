/* task_queue.c - see task_queue.h. */
#include "server/http/task_queue.h"

#include "server/base/clock.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NICENESS = 5 };

struct srv_task_queue {
  size_t limit;
  double patience;
  size_t thread_count;
  pthread_mutex_t mutex; /* guards the fields below, except the threads */
  pthread_cond_t wake;
  srv_task *first, **last;
  size_t waiting;
  bool closed;
  pthread_t threads[];
};

static bool is_late(const srv_task_queue *queue, const srv_task *task) {
  return srv_clock_monotonic() - task->posted > queue->patience;
}

/* Takes the first waiting task, with the mutex locked; NULL if there is none. */
static srv_task *take_first(srv_task_queue *queue) {
  srv_task *task = queue->first;
  if (!task) return NULL;
  assert(queue->waiting > 0);
  queue->first = task->next;
  if (!queue->first) queue->last = &queue->first;
  queue->waiting--;
  return task;
}

static srv_task *next_task(srv_task_queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  while (!queue->first && !queue->closed) pthread_cond_wait(&queue->wake, &queue->mutex);
  srv_task *task = queue->closed ? NULL : take_first(queue); /* then the waiting tasks are refused */
  pthread_mutex_unlock(&queue->mutex);
  return task;
}

/* Lowers the priority of this thread, so that the loop runs before long reads. If that is not permitted, all are
 * equal. */
static void step_back(void) { (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICENESS); }

static void *queue_thread(void *context) {
  srv_task_queue *queue = context;
  step_back();
  for (srv_task *task; (task = next_task(queue));) task->run(task, is_late(queue, task));
  return NULL;
}

srv_task_queue *srv_task_queue_start(size_t threads, size_t limit, double patience) {
  srv_task_queue *queue = calloc(1, sizeof *queue + threads * sizeof queue->threads[0]);
  if (!queue) return NULL;
  queue->limit = limit;
  queue->patience = patience;
  queue->last = &queue->first;
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->wake, NULL);
  while (queue->thread_count < threads &&
         pthread_create(&queue->threads[queue->thread_count], NULL, queue_thread, queue) == 0)
    queue->thread_count++;
  if (queue->thread_count > 0) return queue;
  srv_task_queue_stop(queue);
  return NULL;
}

bool srv_task_queue_post(srv_task_queue *queue, srv_task *task) {
  assert(task->run);
  task->next = NULL;
  task->posted = srv_clock_monotonic();
  pthread_mutex_lock(&queue->mutex);
  bool taken = !queue->closed && queue->waiting < queue->limit;
  if (taken) {
    *queue->last = task;
    queue->last = &task->next;
    queue->waiting++;
    pthread_cond_signal(&queue->wake);
  }
  pthread_mutex_unlock(&queue->mutex);
  return taken;
}

void srv_task_queue_reject_expired(srv_task_queue *queue) {
  for (srv_task *task;;) {
    pthread_mutex_lock(&queue->mutex);
    bool late = queue->first && (queue->closed || is_late(queue, queue->first));
    task = late ? take_first(queue) : NULL;
    pthread_mutex_unlock(&queue->mutex);
    if (!task) return;
    task->run(task, true);
  }
}

void srv_task_queue_close(srv_task_queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  queue->closed = true;
  pthread_cond_broadcast(&queue->wake);
  pthread_mutex_unlock(&queue->mutex);
  srv_task_queue_reject_expired(queue);
}

void srv_task_queue_stop(srv_task_queue *queue) {
  srv_task_queue_close(queue);
  for (size_t i = 0; i < queue->thread_count; i++) pthread_join(queue->threads[i], NULL);
  assert(!queue->first && queue->waiting == 0);
  pthread_cond_destroy(&queue->wake);
  pthread_mutex_destroy(&queue->mutex);
  free(queue);
}
