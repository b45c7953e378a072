/* worker_check.h - a worker that checks a document, and the model that it keeps for the job that comes of it, or for
 * the next block of a study. */
#ifndef SERVER_JOBS_WORKER_CHECK_H
#define SERVER_JOBS_WORKER_CHECK_H

#include "api/checks/check.h"
#include "server/jobs/message.h"

#include <jansson.h>

enum { WORKER_ADVICE_SIZE = 160 };

/* The last document that was checked and found good, or of which a block was made, with its model within the limits of
 * a job. */
typedef struct worker_kept {
  char *body;       /* the message that it came in */
  const char *text; /* of the document, in there; NULL: nothing is kept */
  size_t size;
  mbs_model *model;
  char advice[WORKER_ADVICE_SIZE]; /* the model's */
} worker_kept;

/* What a job may be and take, of whose `memory` [bytes] its model and a run may take half each. */
typedef struct worker_limits {
  size_t memory, rows, runs, result_bytes;
  double seconds;
} worker_limits;

void worker_limits_put(message_builder *out, const worker_limits *limits);
worker_limits worker_limits_take(message_cursor *cursor);
/* As those of a model. */
mbs_limits worker_job_limits(const worker_limits *limits, char advice[WORKER_ADVICE_SIZE]);

/* Answers the MESSAGE_CHECK in `in`; the answer is put together in `out`. `base`: memory of the process before all
 * work. */
void worker_check(worker_kept *kept, message_reader *in, message_builder *out, size_t base);
/* The model of a document, if it is the one that is kept; else NULL. */
const mbs_model *worker_kept_find(const worker_kept *kept, const char *text, size_t size);
void worker_kept_drop(worker_kept *kept);
/* Has the model of a document kept in place of another, within the limits of a job; `body` is what the text is in, and
 * is taken over. NULL: `error` says why there is none. */
const mbs_model *worker_kept_build(worker_kept *kept, char *body, const char *text, size_t size,
                                   const mbs_limits *limits, json_t **error);

#endif
