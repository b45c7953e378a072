/* task_queue.h - threads beside the HTTP loop for requests that take a while, in the order in which they came. */
#ifndef SERVER_HTTP_TASK_QUEUE_H
#define SERVER_HTTP_TASK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct srv_task srv_task;
struct srv_task {
  /* `late`: it has waited for too long, or the queue is closed; there is only an apology to be made. */
  void (*run)(srv_task *task, bool late);
  double posted; /* monotonic [s] */
  srv_task *next;
};

typedef struct srv_task_queue srv_task_queue;

/* A queue with so many threads, in which at most `limit` tasks wait; none is begun after `patience` seconds. NULL when
 * no thread can be had. */
srv_task_queue *srv_task_queue_start(size_t threads, size_t limit, double patience);
/* Has the task run after those before it. False: as many wait as may. */
bool srv_task_queue_post(srv_task_queue *queue, srv_task *task);
/* What has waited for longer than the patience is run as late, now and on this thread. */
void srv_task_queue_reject_expired(srv_task_queue *queue);
/* What waits is run as late, now and on this thread; nothing is taken any more. What runs goes on. */
void srv_task_queue_close(srv_task_queue *queue);
/* Closes the queue, waits for what runs, and frees it. */
void srv_task_queue_stop(srv_task_queue *queue);

#endif
