/* download_limits.h - how many files of results may be made and sent at once.
 *
 * A file that is made before it is sent takes room on the disk until its client has it or is gone, and a thread while
 * it is made: whoever asks for many of them and reads none leaves room and threads to everybody else. Nobody waits:
 * beyond a limit the answer is no. */
#ifndef SERVER_BASE_DOWNLOAD_LIMITS_H
#define SERVER_BASE_DOWNLOAD_LIMITS_H

#include "api/service.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SRV_FILES_MAKING = 2,           /* so many are made at once */
  SRV_FILES_OPEN = 8,             /* so many are made or sent at once */
  SRV_FILES_MAKING_OF_CLIENT = 1, /* the same of one client: half of that */
  SRV_FILES_OPEN_OF_CLIENT = 4,
  SRV_FILES_SMALL = 1 << 20, /* so many bytes are nothing to wait for: they only need the disk */
  SRV_FILES_SHARE = 8 /* together they take at most one part in so many of the disk that is free beyond its reserve */
};

/* A file that is made or sent. */
typedef struct srv_download {
  bool open, making;
  char client[64];
  uint64_t bytes;
} srv_download;

typedef struct srv_download_limits {
  pthread_mutex_t mutex; /* guards the rest */
  srv_download files[SRV_FILES_OPEN];
} srv_download_limits;

#define SRV_MADE_FILES_INIT \
  { .mutex = PTHREAD_MUTEX_INITIALIZER }

/* A file of so many bytes is to be made for a client in the folder, whose disk keeps a reserve; `loan` is its number,
 * SRV_FILES_OPEN of a small one that is not counted.
 * CLIENT_FULL: not beside those of the same client; BUSY: not beside those that are there; NO_SPACE: not even alone. */
service_status srv_download_limits_acquire(srv_download_limits *self, const char *folder, uint64_t reserve,
                                           const char *client, uint64_t bytes, size_t *loan);
/* That file is not made any more, whatever came of it. */
void srv_download_limits_made(srv_download_limits *self, size_t loan);
/* That file is closed. */
void srv_download_limits_release(srv_download_limits *self, size_t loan);

#endif
