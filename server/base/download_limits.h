/* download_limits.h - limits the result files that are created and sent at the same time.
 *
 * A file that is created before it is sent takes disk space until its client has received it or has left, and a thread
 * during its creation. The limits leave space and threads to other clients. Requests beyond a limit are refused at
 * once, not queued. */
#ifndef SERVER_BASE_DOWNLOAD_LIMITS_H
#define SERVER_BASE_DOWNLOAD_LIMITS_H

#include "api/service.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SRV_FILES_MAKING = 2,           /* maximum number created at the same time */
  SRV_FILES_OPEN = 8,             /* maximum number created or sent at the same time */
  SRV_FILES_MAKING_OF_CLIENT = 1, /* limits for one client: half of those above */
  SRV_FILES_OPEN_OF_CLIENT = 4,
  SRV_FILES_SMALL = 1 << 20, /* smaller files are not limited, except by disk space [bytes] */
  SRV_FILES_SHARE = 8        /* together they use at most this fraction (1/8) of the disk space beyond the reserve */
};

/* A file being created or sent. */
typedef struct srv_download {
  bool open, making;
  char client[64];
  uint64_t bytes;
} srv_download;

typedef struct srv_download_limits {
  pthread_mutex_t mutex; /* guards `files` */
  srv_download files[SRV_FILES_OPEN];
} srv_download_limits;

#define SRV_DOWNLOAD_LIMITS_INIT \
  { .mutex = PTHREAD_MUTEX_INITIALIZER }

/* Reserves the creation of a file of `bytes` bytes for a client in `folder`, whose disk has a reserve. `loan`: number
 * of the file; SRV_FILES_OPEN for a small one that is not counted.
 * CLIENT_FULL: the client's limit is reached; BUSY: the total limit is reached; NO_SPACE: no space even for this file
 * alone. */
service_status srv_download_limits_acquire(srv_download_limits *self, const char *folder, uint64_t reserve,
                                           const char *client, uint64_t bytes, size_t *loan);
/* Marks the creation of the file as finished, successfully or not. */
void srv_download_limits_made(srv_download_limits *self, size_t loan);
/* Releases the file, which is closed. */
void srv_download_limits_release(srv_download_limits *self, size_t loan);

#endif
