/* desk.h - threads beside the HTTP loop for requests that take a while, in the order in which they came. */
#ifndef SRV_DESK_H
#define SRV_DESK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct srv_task srv_task;
struct srv_task {
  /* `late`: it has waited for too long, or the desk is closed; there is only an apology to be made. */
  void (*run)(srv_task *task, bool late);
  double posted; /* monotonic [s] */
  srv_task *next;
};

typedef struct srv_desk srv_desk;

/* A desk of so many threads, at which at most `limit` tasks wait; none is begun after `patience` seconds. NULL when no
 * thread can be had. */
srv_desk *srv_desk_start(size_t threads, size_t limit, double patience);
/* Has the task run after those before it. False: as many wait as may. */
bool srv_desk_post(srv_desk *desk, srv_task *task);
/* What has waited for longer than the patience is run as late, now and on this thread. */
void srv_desk_turn_away(srv_desk *desk);
/* What waits is run as late, now and on this thread; nothing is taken any more. What runs goes on. */
void srv_desk_close(srv_desk *desk);
/* Closes the desk, waits for what runs, and frees it. */
void srv_desk_stop(srv_desk *desk);

#endif
