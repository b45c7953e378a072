/* The task queues of the HTTP server: number of waiting tasks, waiting time, and tasks left at the end. */
#include "server/http/task_queue.h"

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A task that signals its start and runs until it may end. */
typedef struct slow_task {
  srv_task task; /* first */
  sem_t begun, may_end;
  int runs, late;
} slow_task;

static void run_slow(srv_task *task, bool late) {
  slow_task *self = (slow_task *)task;
  self->runs++;
  self->late += late;
  sem_post(&self->begun);
  if (!late) sem_wait(&self->may_end);
}

static void run_anyway(srv_task *task, bool late) {
  (void)late;
  run_slow(task, false);
}

static void make(slow_task *task) {
  *task = (slow_task){.task.run = run_slow};
  sem_init(&task->begun, 0, 0);
  sem_init(&task->may_end, 0, 0);
}

static void threads_work_side_by_side(void **state) {
  (void)state;
  srv_task_queue *queue = srv_task_queue_start(2, SIZE_MAX, INFINITY);
  slow_task slow, quick;
  make(&slow);
  make(&quick);
  assert_true(srv_task_queue_post(queue, &slow.task));
  sem_wait(&slow.begun);
  assert_true(srv_task_queue_post(queue, &quick.task));
  sem_wait(&quick.begun); /* returns although the slow one is still running */
  sem_post(&quick.may_end);
  sem_post(&slow.may_end);
  srv_task_queue_stop(queue);
  assert_int_equal(slow.late + quick.late, 0);
}

static void only_so_many_wait(void **state) {
  (void)state;
  srv_task_queue *queue = srv_task_queue_start(1, 2, INFINITY);
  slow_task tasks[5];
  for (int i = 0; i < 5; i++) make(&tasks[i]);
  assert_true(srv_task_queue_post(queue, &tasks[0].task));
  sem_wait(&tasks[0].begun);
  assert_true(srv_task_queue_post(queue, &tasks[1].task));
  assert_true(srv_task_queue_post(queue, &tasks[2].task));
  assert_false(srv_task_queue_post(queue, &tasks[3].task));
  sem_post(&tasks[0].may_end);
  sem_wait(&tasks[1].begun);
  assert_true(srv_task_queue_post(queue, &tasks[4].task));
  for (int i = 1; i < 5; i++) sem_post(&tasks[i].may_end);
  sem_wait(&tasks[4].begun);
  srv_task_queue_stop(queue);
  assert_int_equal(tasks[3].runs, 0);
}

static void expired_checks_are_late(void **state) {
  (void)state;
  srv_task_queue *queue = srv_task_queue_start(1, SIZE_MAX, 0);
  slow_task first, second;
  make(&first);
  make(&second);
  sem_post(&first.may_end);
  sem_post(&second.may_end);
  assert_true(srv_task_queue_post(queue, &first.task));
  assert_true(srv_task_queue_post(queue, &second.task));
  sem_wait(&second.begun);
  srv_task_queue_stop(queue);
  assert_int_equal(second.late, 1);
}

/* Expired tasks are rejected even while the queue is busy. */
static void expired_tasks_are_rejected(void **state) {
  (void)state;
  srv_task_queue *queue = srv_task_queue_start(1, SIZE_MAX, 0);
  slow_task running, waiting;
  make(&running);
  make(&waiting);
  running.task.run = run_anyway;
  assert_true(srv_task_queue_post(queue, &running.task));
  sem_wait(&running.begun);
  srv_task_queue_reject_expired(queue);
  assert_true(srv_task_queue_post(queue, &waiting.task));
  while (waiting.late == 0) srv_task_queue_reject_expired(queue);
  sem_post(&running.may_end);
  srv_task_queue_stop(queue);
  assert_int_equal(waiting.runs, 1);
}

/* Closing waits only for running tasks. */
static void close_rejects_waiting_tasks(void **state) {
  (void)state;
  srv_task_queue *queue = srv_task_queue_start(1, SIZE_MAX, INFINITY);
  slow_task running, waiting, after;
  make(&running);
  make(&waiting);
  make(&after);
  assert_true(srv_task_queue_post(queue, &running.task));
  sem_wait(&running.begun);
  assert_true(srv_task_queue_post(queue, &waiting.task));
  srv_task_queue_close(queue);
  assert_int_equal(waiting.late, 1);
  assert_false(srv_task_queue_post(queue, &after.task));
  sem_post(&running.may_end);
  srv_task_queue_stop(queue);
  assert_int_equal(running.late, 0);
  assert_int_equal(running.runs + waiting.runs + after.runs, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_work_side_by_side),   cmocka_unit_test(only_so_many_wait),
      cmocka_unit_test(expired_checks_are_late),     cmocka_unit_test(expired_tasks_are_rejected),
      cmocka_unit_test(close_rejects_waiting_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
