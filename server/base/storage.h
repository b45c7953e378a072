/* storage.h - what an operator is told of the disk and the database, by /readyz and /metrics. */
#ifndef SERVER_BASE_STORAGE_H
#define SERVER_BASE_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { SRV_STORAGE_TEXT = 200 };

typedef struct srv_storage {
  char fault[SRV_STORAGE_TEXT]; /* why nothing new is taken, and what to do; "": all is well */
  char note[SRV_STORAGE_TEXT];  /* what goes on beside the work; "": nothing */
  bool shared;                  /* a database of many servers: it has no logs to be seen here, nor a disk */
  /* Sizes of the files, of what is used inside of both (which --keep-bytes bounds), of the free disk, and what of it is
   * kept free [bytes]. */
  double queue_bytes, queue_wal_bytes, results_bytes, results_wal_bytes, used_bytes, free_bytes, reserve_bytes;
  double oldest_end;          /* when the job ended that ended first of those there are [s since 1970]; 0: none did */
  double last_backup;         /* when a backup was last made [s since 1970]; 0: not known */
  uint64_t retired;           /* jobs removed because of their age or size, since the start */
  uint64_t checksum_failures; /* what was read and was not what had been written, since the start */
} srv_storage;

#endif
