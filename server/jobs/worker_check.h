/* worker_check.h - checks a document in a worker, and caches its model for the job created from it, or for the next
 * block of a study. */
#ifndef SERVER_JOBS_WORKER_CHECK_H
#define SERVER_JOBS_WORKER_CHECK_H

#include "api/checks/check.h"
#include "server/jobs/message.h"

#include <jansson.h>

enum { WORKER_ADVICE_SIZE = 160 };

/* The last document that was valid, or of which a block was computed, with its model built within the limits of a
 * job. */
typedef struct worker_cache {
  char *body;       /* the message that contained it */
  const char *text; /* text of the document, inside `body`; NULL: nothing is cached */
  size_t size;
  mbs_model *model;
  char advice[WORKER_ADVICE_SIZE]; /* advice in messages of the model's limits */
} worker_cache;

/* Limits of a job; its model and a run may each take half of `memory` [bytes]. */
typedef struct worker_limits {
  size_t memory, rows, runs, result_bytes;
  double seconds;
} worker_limits;

void worker_limits_put(message_builder *out, const worker_limits *limits);
worker_limits worker_limits_take(message_cursor *cursor);
/* Returns these limits as limits of a model. */
mbs_limits worker_job_limits(const worker_limits *limits, char advice[WORKER_ADVICE_SIZE]);

/* Answers the MESSAGE_CHECK in `in`; writes the answer to `out`. `base`: memory of the process before any work. */
void worker_check(worker_cache *cache, message_reader *in, message_builder *out, size_t base);
/* Returns the cached model of a document, or NULL if another one is cached. */
const mbs_model *worker_cache_find(const worker_cache *cache, const char *text, size_t size);
void worker_cache_drop(worker_cache *cache);
/* Builds and caches the model of a document in place of the previous one, within the limits of a job. Takes ownership
 * of `body`, which contains the text. Returns NULL, with the reason in `error`, if it cannot be built. */
const mbs_model *worker_cache_build(worker_cache *cache, char *body, const char *text, size_t size,
                                    const mbs_limits *limits, json_t **error);

#endif
