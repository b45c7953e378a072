/* disk_reserve.h - room on the disk: the reserve, which results leave free, and a file that is given up when nothing is
 * left. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_DISK_RESERVE_H
#define SERVER_STORE_SQLITE_OPERATIONS_DISK_RESERVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* A job is removed by writing to the databases, which needs some room on a disk that is full: the file `room` in the
 * data folder keeps it. */
typedef struct sqlite_disk_reserve {
  const char *folder; /* outlives it */
  size_t reserve;     /* bytes */
  pthread_mutex_t mutex;
  int file;    /* `room`; -1: there is none */
  size_t kept; /* its bytes */
} sqlite_disk_reserve;

/* Before the databases are opened: gives the room up at once where they would have none. */
void sqlite_disk_reserve_open(sqlite_disk_reserve *room, const char *folder, size_t reserve);
void sqlite_disk_reserve_close(sqlite_disk_reserve *room);

/* Free bytes on the disk, of those that are ours to use; -1: nobody knows. */
double sqlite_disk_reserve_free(const sqlite_disk_reserve *room);
/* Whether `bytes` more leave the reserve free. What is `small` may use half of it: the reserve is there so that jobs
 * end well. */
bool sqlite_disk_reserve_has(const sqlite_disk_reserve *room, size_t bytes, bool small);
/* Gives up what is kept. False: that was done before, and to try again is of no use. */
bool sqlite_disk_reserve_give_up(sqlite_disk_reserve *room);
/* Keeps it again: half of what is free, and all that is wanted where there is more than the reserve. */
void sqlite_disk_reserve_keep(sqlite_disk_reserve *room);

#endif
