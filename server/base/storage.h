/* storage.h - state of the disk and the database for operators, in /readyz and /metrics. */
#ifndef SERVER_BASE_STORAGE_H
#define SERVER_BASE_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { SRV_STORAGE_TEXT = 200 };

typedef struct srv_storage {
  char fault[SRV_STORAGE_TEXT]; /* reason why new jobs are refused, and a remedy; "": no fault */
  char note[SRV_STORAGE_TEXT];  /* maintenance in progress; "": none */
  bool shared;                  /* a database of many servers: its logs and disk are not visible here */
  /* Sizes of the files, of the used space in both (limited by --keep-bytes), of the free disk, and of the reserve
   * [bytes]. */
  double queue_bytes, queue_wal_bytes, results_bytes, results_wal_bytes, used_bytes, free_bytes, reserve_bytes;
  double oldest_end;          /* end of the job that ended first of those stored [s since 1970]; 0: none */
  double last_backup;         /* time of the last backup [s since 1970]; 0: unknown */
  uint64_t retired;           /* jobs removed for their age or size since the start */
  uint64_t checksum_failures; /* data that differed from its checksum when read, since the start */
} srv_storage;

#endif
