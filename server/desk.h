/* desk.h - a thread beside the HTTP loop for requests that take a while, one after another. Those that compute all go
 * to the same desk, because the linear algebra behind a model check must not run in two threads. */
#ifndef SRV_DESK_H
#define SRV_DESK_H

#include <stdbool.h>

typedef struct srv_task srv_task;
struct srv_task {
  void (*run)(srv_task *task);
  srv_task *next;
};

typedef struct srv_desk srv_desk;

/* NULL when no thread can be had. */
srv_desk *srv_desk_start(void);
/* Has the task run after those before it. */
void srv_desk_post(srv_desk *desk, srv_task *task);
/* Runs what waits, then ends the thread. */
void srv_desk_stop(srv_desk *desk);

#endif
