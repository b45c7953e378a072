/* disk_reserve.h - disk space: the reserve that results must not use, and a file that is deleted when the disk is
 * full. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_DISK_RESERVE_H
#define SERVER_STORE_SQLITE_OPERATIONS_DISK_RESERVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Removing a job writes to the databases, which needs some space on a full disk: the file `room` in the data directory
 * reserves it. */
typedef struct sqlite_disk_reserve {
  const char *folder; /* must outlive this struct */
  size_t reserve;     /* bytes */
  pthread_mutex_t mutex;
  int file;         /* `room`; -1: does not exist */
  size_t file_size; /* [bytes] */
} sqlite_disk_reserve;

/* Opens the reserve before the databases are opened. Deletes the file `room` if the databases would have no space. */
void sqlite_disk_reserve_open(sqlite_disk_reserve *room, const char *folder, size_t reserve);
void sqlite_disk_reserve_close(sqlite_disk_reserve *room);

/* Returns the free bytes on the disk that this user may use; -1 if unknown. */
double sqlite_disk_reserve_free(const sqlite_disk_reserve *room);
/* Returns true if writing `bytes` leaves the reserve free. `small` changes may use half of the reserve, which exists so
 * that jobs can end normally. */
bool sqlite_disk_reserve_has(const sqlite_disk_reserve *room, size_t bytes, bool small);
/* Deletes the file `room`. Returns false if that was done before; trying again then has no effect. */
bool sqlite_disk_reserve_give_up(sqlite_disk_reserve *room);
/* Creates or enlarges the file: to its full size if that leaves the reserve free, otherwise to half of the space that
 * is left, but at least to what a removal needs. */
void sqlite_disk_reserve_keep(sqlite_disk_reserve *room);

#endif
