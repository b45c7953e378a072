/* service.h - what the API asks of the service behind it: the queue of jobs, their results, and its
 * state.
 *
 * server/ implements it over the store and the worker pool; tests implement it in memory. Strings that a call hands
 * out are freed by the matching *_free function. Calls run on the thread that calls api_handle() and return at once,
 * or, those that read, when the store has answered: what takes a while answers PENDING, and, when the request is
 * handled again after it is done, what came of it. */
#ifndef API_SERVICE_H
#define API_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVICE_ID_SIZE = 40 }; /* a job's id (UUID text or the like) and its terminating 0 */

typedef enum service_status {
  SERVICE_OK,
  SERVICE_PENDING, /* begun; the same request is to be handled again when it is done */
  SERVICE_NOT_FOUND,
  SERVICE_NOT_READY, /* results of a job that has not ended */
  SERVICE_QUEUE_FULL,
  SERVICE_NO_WORKERS,
  SERVICE_DRAINING,
  SERVICE_NO_SPACE, /* the disk's reserve is reached: 507 */
  SERVICE_CONFLICT, /* an idempotency key that came with another body */
  SERVICE_BUSY,     /* as many documents wait to be checked as may */
  SERVICE_LATE,     /* a document has waited for its check for too long, or the service ends */
  SERVICE_TOO_LONG, /* the check of a document took longer than it may */
  SERVICE_DIED,     /* the process that checked a document is gone */
  SERVICE_REJECTED, /* the store will never take it as it is (a constraint is violated); see the log */
  SERVICE_FAILED    /* the store answered with an error; see the log */
} service_status;

/* A job as it is stored. Times are seconds since 1970 (0: not yet). */
typedef struct service_job {
  char id[SERVICE_ID_SIZE];
  char status[16]; /* queued, running, succeeded, failed, cancelled */
  double created, started, finished;
  double progress_t, progress_fraction;
  uint64_t progress_evaluations;
  int attempt;
  char *model_name; /* may be NULL */
  char *analysis;   /* JSON text of the analysis asked for, or NULL */
  char *report;     /* JSON text, NULL until there is one */
  char *error;      /* JSON text, NULL unless failed or cancelled with a reason */
} service_job;
void service_job_free(service_job *job);

/* What a document is checked for: to become a job; to say what was understood of it; and how it is drawn, too. */
typedef enum service_purpose { SERVICE_TO_RUN, SERVICE_TO_VALIDATE, SERVICE_TO_DRAW } service_purpose;

/* A document to be checked. */
typedef struct service_document {
  const char *text; /* the request body as it was sent; lasts until the check is done */
  size_t size;
  const char *target; /* of the request, which problem documents name; lasts as long */
  service_purpose purpose;
} service_document;

/* What came of a check: a finished answer, or for a job without mistakes what its row needs. */
typedef struct service_verdict {
  int status;       /* of the answer; 0: a job without mistakes */
  char *text;       /* the answer's body: JSON, of a problem where the status is an error's */
  char *model_name; /* of the job; may be NULL */
  char *analysis;   /* of the job, JSON text; NULL where it has none */
} service_verdict;
void service_verdict_free(service_verdict *verdict);

typedef struct service_submission {
  const char *document; /* the request body as it was sent; stored, and given to a worker */
  size_t document_size;
  const char *model_name;      /* may be NULL */
  const char *analysis;        /* JSON text, or NULL */
  const char *idempotency_key; /* NULL where none came */
} service_submission;

typedef struct service_job_list {
  service_job *items;
  size_t count;
  char next[64]; /* cursor of the following page, "" at the end */
} service_job_list;
void service_job_list_free(service_job_list *list);

/* What is known of one result array: shape[0] rows, then columns as labels name them (row-major). */
typedef struct service_array {
  char *name, *unit, *doc;
  int rank;
  size_t shape[4];
  bool timeless; /* its rows are not reporting times */
  char *labels;  /* JSON text: array of strings, one a column (product of shape[1..], or the name for rank 1) */
  char *units;   /* likewise; "" for columns without a unit. NULL: not known */
} service_array;
void service_array_free(service_array *array);
/* Rows that all arrays with time have; 0 where there are no such arrays. Frees the list. */
size_t service_arrays_rows(service_array *list, size_t count);

/* What happens to jobs. */
typedef enum service_event_kind {
  SERVICE_EVENT_QUEUED,   /* it is new, or went back to the queue */
  SERVICE_EVENT_STARTED,  /* it runs */
  SERVICE_EVENT_PROGRESS, /* its run has come further */
  SERVICE_EVENT_ROWS,     /* more rows of its results can be read */
  SERVICE_EVENT_DONE,     /* it has ended */
  SERVICE_EVENT_REMOVED,  /* it is gone */
  SERVICE_EVENT_MISSED    /* of any job: something may have been missed; the id is "" */
} service_event_kind;

typedef struct service_event {
  service_event_kind kind;
  uint64_t number; /* events count up from 1 */
  char id[SERVICE_ID_SIZE];
  /* Of PROGRESS and ROWS: how far the run had come when it was last looked at. */
  double t, fraction;
  uint64_t evaluations;
  size_t rows; /* of all arrays with time that can be read */
} service_event;

/* Somebody who follows a job, or all. */
typedef struct service_follower {
  char id[SERVICE_ID_SIZE]; /* "": all jobs */
  uint64_t life;            /* of the service, which counts its events anew in each */
  uint64_t next;            /* number of the first event that he has not seen */
  bool quiet;               /* nothing has happened for so long that a sign of life is due */
} service_follower;

typedef struct service_limits {
  size_t body_bytes;    /* largest request body */
  double check_seconds; /* longest check of a document */
  double wait_seconds;  /* longest Prefer: wait */
} service_limits;

typedef struct service {
  void *context;
  service_limits limits;
  /* NULL: any Host is answered. Else localhost, loopback addresses and these, "a.example, b.example" ("*": any). */
  const char *host_names;
  /* Has a document checked where it can do no harm. PENDING, BUSY, LATE, TOO_LONG, DIED, NO_WORKERS, FAILED. */
  service_status (*check)(void *context, const service_document *document, service_verdict *verdict);
  /* Queues a job under a new `id`. It may return before the row is durable: then the server holds the answer back until
   * it is, and puts an error in its place if it never will be. */
  service_status (*submit)(void *context, const service_submission *submission, char id[SERVICE_ID_SIZE]);
  service_status (*job)(void *context, const char *id, service_job *out);
  /* Newest first, without their reports; `status` NULL for all, `cursor` NULL or "" from the newest. A cursor of no
   * meaning: NOT_FOUND. */
  service_status (*jobs)(void *context, const char *status, size_t limit, const char *cursor, service_job_list *out);
  /* PENDING until it is durable; so is remove(). */
  service_status (*cancel)(void *context, const char *id);
  service_status (*remove)(void *context, const char *id);
  /* The document as it was sent; free() it. */
  service_status (*document)(void *context, const char *id, char **text, size_t *size);
  /* The arrays of a job that has ended, in their order; service_array_free() each, then free() the list. */
  service_status (*arrays)(void *context, const char *id, service_array **list, size_t *count);
  /* Rows first, first+stride, ... (`count` of them) of the named columns; `out` row-major, count x column_count. */
  service_status (*read)(void *context, const char *id, const char *array, size_t first, size_t stride, size_t count,
                         const size_t *columns, size_t column_count, double *out);
  /* Begins to follow a job, or all (NULL): from now on. DRAINING. */
  service_status (*follow)(void *context, const char *id, service_follower *follower);
  /* His next event. NOT_READY: there is none yet. */
  service_status (*event)(void *context, service_follower *follower, service_event *out);
  /* Prometheus text; free() it. */
  service_status (*metrics)(void *context, char **text);
  /* SERVICE_OK when jobs would be worked on; otherwise `reason` says why not. */
  service_status (*ready)(void *context, char reason[128]);
} service;

#endif
