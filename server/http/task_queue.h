/* task_queue.h - threads for requests that take a while, outside the HTTP loop, in order of arrival. */
#ifndef SERVER_HTTP_TASK_QUEUE_H
#define SERVER_HTTP_TASK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct srv_task srv_task;
struct srv_task {
  /* Runs the task. `late`: it has waited too long or the queue is closed, so it must only answer with an error. */
  void (*run)(srv_task *task, bool late);
  double posted; /* monotonic [s] */
  srv_task *next;
};

typedef struct srv_task_queue srv_task_queue;

/* Starts a queue of `threads` threads in which at most `limit` tasks wait; none is started after `patience` seconds.
 * Returns NULL if no thread can be created. */
srv_task_queue *srv_task_queue_start(size_t threads, size_t limit, double patience);
/* Adds a task. Returns false if `limit` tasks wait. */
bool srv_task_queue_post(srv_task_queue *queue, srv_task *task);
/* Runs the tasks that have waited longer than the patience as late, now and on this thread. */
void srv_task_queue_reject_expired(srv_task_queue *queue);
/* Runs all waiting tasks as late, now and on this thread, and refuses new ones. Running tasks continue. */
void srv_task_queue_close(srv_task_queue *queue);
/* Closes the queue, waits for running tasks, and frees it. */
void srv_task_queue_stop(srv_task_queue *queue);

#endif
