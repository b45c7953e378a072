/* made_files.h - how many files of results may be made and sent at once.
 *
 * A file that is made before it is sent takes room on the disk until its client has it or is gone, and a thread while
 * it is made: whoever asks for many of them and reads none leaves room and threads to everybody else. Nobody waits:
 * beyond a limit the answer is no. */
#ifndef SERVER_BASE_MADE_FILES_H
#define SERVER_BASE_MADE_FILES_H

#include "api/service.h"

#include <pthread.h>
#include <stdint.h>

enum {
  SRV_FILES_MAKING = 2, /* so many are made at once */
  SRV_FILES_OPEN = 8,   /* so many are made or sent at once */
  SRV_FILES_SHARE = 8   /* together they take at most one part in so many of the disk that is free beyond its reserve */
};

typedef struct srv_made_files {
  pthread_mutex_t mutex; /* guards the rest */
  unsigned making, open;
  uint64_t bytes; /* of all that are open */
} srv_made_files;

#define SRV_MADE_FILES_INIT \
  { .mutex = PTHREAD_MUTEX_INITIALIZER }

/* A file of so many bytes is to be made in the folder, whose disk keeps a reserve. BUSY: not beside those that are
 * there; NO_SPACE: not even alone. */
service_status srv_made_files_borrow(srv_made_files *self, const char *folder, uint64_t reserve, uint64_t bytes);
/* One that was borrowed is not made any more, whatever came of it. */
void srv_made_files_made(srv_made_files *self);
/* One that was borrowed, of so many bytes, is closed. */
void srv_made_files_return(srv_made_files *self, uint64_t bytes);

#endif
