/* service.h - what the API asks of the service behind it: the queue of jobs, their results, and its
 * state.
 *
 * server/ implements it over the store and the worker pool; tests implement it in memory. Strings that a call hands
 * out are freed by the matching *_free function. Calls run on the thread that calls api_handle() and return at once,
 * or, those that read, when the store has answered: what takes a while answers PENDING, and, when the request is
 * handled again after it is done, what came of it. */
#ifndef API_SERVICE_H
#define API_SERVICE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SERVICE_ID_SIZE = 40,     /* a job's id (UUID text or the like) and its terminating 0 */
  SERVICE_DIGEST_SIZE = 65, /* a SHA-256 digest in hexadecimal digits, and its terminating 0 */
  SERVICE_REASON_SIZE = 200 /* why the service is not ready */
};

typedef enum service_status {
  SERVICE_OK,
  SERVICE_PENDING, /* begun; the same request is to be handled again when it is done */
  SERVICE_NOT_FOUND,
  SERVICE_NOT_READY, /* results of a job that has none yet, and has not ended */
  SERVICE_QUEUE_FULL,
  SERVICE_CLIENT_FULL, /* as many jobs of this client wait as may */
  SERVICE_NO_WORKERS,
  SERVICE_DRAINING,
  SERVICE_NO_SPACE,    /* the disk's reserve is reached: 507 */
  SERVICE_UNAVAILABLE, /* the store has a fault that may pass; ready() names it: 503 */
  SERVICE_CONFLICT,    /* an idempotency key that came with another body */
  SERVICE_BUSY,        /* as many documents wait to be checked as may */
  SERVICE_LATE,        /* a document has waited for its check for too long, or the service ends */
  SERVICE_TOO_LONG,    /* the check of a document took longer than it may */
  SERVICE_DIED,        /* the process that checked a document is gone */
  SERVICE_REJECTED,    /* the store will never take it as it is (a constraint is violated); see the log */
  SERVICE_DAMAGED,     /* what is stored differs from its checksum: it is shown to nobody; see the log */
  SERVICE_FAILED       /* the store answered with an error; see the log */
} service_status;

/* What somebody may do; each right includes those before it. */
typedef enum service_right {
  SERVICE_RIGHT_NONE,
  SERVICE_RIGHT_READ,
  SERVICE_RIGHT_RUN,
  SERVICE_RIGHT_ADMIN
} service_right;
/* "read", "run", "admin"; NONE for every other word. */
service_right service_right_find(const char *word);
const char *service_right_name(service_right right);

/* Who holds a token. */
typedef struct service_holder {
  char name[64];
  service_right right;
} service_holder;

/* A job as it is stored. Times are seconds since 1970 (0: not yet). */
typedef struct service_job {
  char id[SERVICE_ID_SIZE];
  char status[16]; /* queued, running, succeeded, failed, cancelled */
  double created, started, finished;
  double progress_t, progress_fraction;
  uint64_t progress_evaluations;
  int attempt;
  size_t runs;      /* of a study, which has no time of its own; 0: it is none */
  char *model_name; /* may be NULL */
  char *analysis;   /* JSON text of the analysis asked for, or NULL */
  char *report;     /* JSON text, NULL until there is one */
  char *error;      /* JSON text, NULL unless failed or cancelled with a reason */
  char client[64];  /* who sent it: the name of a token, or an address; "": not known */
  /* What its client calls it, and may change. */
  char *name;                             /* may be NULL */
  char *tags;                             /* JSON text, an array of strings; NULL: none */
  bool keep;                              /* not to be removed by age */
  char content_hash[SERVICE_DIGEST_SIZE]; /* of what was asked for, and the engine's version; "": not known */
} service_job;
void service_job_free(service_job *job);

/* What a document is checked for: to become a job; to say what was understood of it; and how it is drawn, too; to show
 * its equations, as the query of the target wants them; to check the claims that stand beside it. */
typedef enum service_purpose {
  SERVICE_RUN,
  SERVICE_VALIDATE,
  SERVICE_DRAW,
  SERVICE_DERIVE,
  SERVICE_CHECK_ANSWERS
} service_purpose;

/* A document to be checked. */
typedef struct service_document {
  const char *text; /* the request body as it was sent; lasts until the check is done */
  size_t size;
  const char *target; /* of the request, which problem documents name; lasts as long */
  service_purpose purpose;
  char *own; /* NULL, or the text itself where it is not the request's: malloc'd, the check frees it */
} service_document;

/* What is known beforehand of how long a job will take. Jobs of one kind differ in numbers alone; how long they took
 * for each unit of their `span` is what can be learned of them. */
typedef struct service_cost {
  uint64_t kind;  /* 0: not known */
  double span;    /* time that is simulated; 1 where that is not known */
  double seconds; /* what it will take, guessed by the model's size and the rows asked for; INFINITY: not known */
} service_cost;

/* What came of a check: a finished answer, or for a job without mistakes what its row needs. */
typedef struct service_verdict {
  int status;       /* of the answer; 0: a job without mistakes */
  char *text;       /* the answer's body: JSON, of a problem where the status is an error's */
  char *model_name; /* of the job; may be NULL */
  char *analysis;   /* of the job, JSON text; NULL where it has none */
  char *name;       /* what the job is called, beside the model; may be NULL */
  char *tags;       /* likewise: JSON text; may be NULL */
  bool keep, reuse; /* likewise: not to be removed by age; an equal job that succeeded does as well */
  char content_hash[SERVICE_DIGEST_SIZE];
  service_cost cost;
  size_t runs; /* of a study; 0: the job is none */
} service_verdict;
void service_verdict_free(service_verdict *verdict);

/* Which job a submission became. */
typedef struct service_receipt {
  char id[SERVICE_ID_SIZE];
  bool replayed; /* one that came before with the same idempotency key */
  bool reused;   /* one of the same content that had succeeded before; of a replay: when the key came first */
} service_receipt;

typedef struct service_submission {
  const char *document; /* the request body as it was sent; stored, and given to a worker */
  size_t document_size;
  const char *model_name;  /* may be NULL */
  const char *analysis;    /* JSON text, or NULL */
  const char *name, *tags; /* as a service_job's */
  bool keep;
  /* A job of the same content that succeeded is taken instead, where there is one that also has the name, the tags and
   * the keep of this one, each only if it is given. */
  bool reuse;
  const char *content_hash; /* NULL: not known */
  service_cost cost;
  size_t runs;                 /* of a study; 0: it is none */
  const char *client;          /* who sent it; NULL: not known, which is a client like any other */
  const char *idempotency_key; /* NULL where none came */
  const char *body_hash;       /* with a key: the digest of the document */
  service_receipt *receipt;    /* filled when the submission has been accepted; may be NULL */
} service_submission;

/* What is to be changed of a job: where `set_...` is true, to what stands beside it. */
typedef struct service_change {
  bool set_name, set_tags, set_keep;
  const char *name, *tags;
  bool keep;
} service_change;

/* Which jobs a list is of: those that fulfil all that is not NULL or 0. */
typedef struct service_filter {
  const char *status;
  const char *model_name;
  const char *tag;  /* one of its tags */
  const char *text; /* part of its name, its model's name or one of its tags, whatever the case of letters (of ASCII) */
  double since;     /* created then or later, seconds since 1970 */
} service_filter;

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
  bool timeless;     /* its rows are not reporting times */
  bool by_run;       /* of those: they are runs of a study, and come one after another as reporting times do */
  bool partial;      /* the job runs: there may be more rows later */
  uint64_t checksum; /* of all results of the job together; 0: they have none (yet) */
  char *labels;      /* JSON text: array of strings, one a column (product of shape[1..], or the name for rank 1) */
  char *units;       /* likewise; "" for columns without a unit. NULL: not known */
} service_array;
void service_array_free(service_array *array);
/* How a checksum is written; for printf() with a uint64_t. */
#define SERVICE_CHECKSUM "xxh3-%016" PRIx64
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
  size_t runs; /* of a study, which has no time; 0: it is none */
} service_event;

/* Somebody who follows a job, or all. */
typedef struct service_subscription {
  char id[SERVICE_ID_SIZE]; /* "": all jobs */
  uint64_t life;            /* of the service, which counts its events anew in each */
  uint64_t next;            /* number of the first event that he has not seen */
  bool quiet;               /* nothing has happened for so long that a sign of life is due */
} service_subscription;

typedef struct service_limits {
  size_t body_bytes;    /* largest request body */
  double check_seconds; /* longest check of a document */
  double wait_seconds;  /* longest Prefer: wait */
} service_limits;

typedef struct service {
  void *context;
  bool only_runs; /* jobs that others take: of its calls it answers /healthz, /readyz and /metrics alone */
  service_limits limits;
  /* Names of the service besides localhost and addresses, "a.example, b.example"; "*" among them: any. May be NULL. */
  const char *host_names;
  /* Whose a token is, for as long as the service is there; NULL: nobody's. The verb itself NULL: nobody needs one. */
  const service_holder *(*holder)(void *context, const char *token, size_t size);
  /* Where temporary files go (NULL: TMPDIR or /tmp), and how many bytes of that disk they leave free. */
  const char *scratch_folder;
  uint64_t scratch_keep;
  /* A file of at most so many bytes is to be made there for a client (as service_submission.client): CLIENT_FULL (as
   * many are being made or sent for this one as may), BUSY (the same for all), NO_SPACE (it would take too much of the
   * disk), at once. `loan` is then the number of what was borrowed: file_made() tells that its making is over, however
   * that went, and return_file() that it is closed. All three NULL: there is no limit. */
  service_status (*borrow_file)(void *context, const char *client, uint64_t bytes, size_t *loan);
  void (*file_made)(void *context, size_t loan);
  void (*return_file)(void *context, size_t loan);
  /* Has a document checked where it can do no harm. PENDING, BUSY, LATE, TOO_LONG, DIED, NO_WORKERS, FAILED. */
  service_status (*check)(void *context, const service_document *document, service_verdict *verdict);
  /* Queues a job, or finds the one that an idempotency key or `reuse` stands for: then PENDING, and of what the second
   * call says only where the receipt goes is looked at; CONFLICT: the key came with another body. A new job's row need
   * not be durable on return: then the server holds the answer back until it is, and puts an error in its place if it
   * never will be. */
  service_status (*submit)(void *context, const service_submission *submission);
  /* Whether what this request submitted had come before, with its key. */
  bool (*replayed)(void *context);
  service_status (*job)(void *context, const char *id, service_job *out);
  /* Newest first, without their reports; `cursor` NULL or "" from the newest. A page may be short, or empty, though
   * there are more: only an empty `next` is the end. A cursor of no meaning: NOT_FOUND. */
  service_status (*jobs)(void *context, const service_filter *filter, size_t limit, const char *cursor,
                         service_job_list *out);
  /* PENDING until it is durable. */
  service_status (*change)(void *context, const char *id, const service_change *change);
  /* PENDING until it is durable; so is remove(). */
  service_status (*cancel)(void *context, const char *id);
  service_status (*remove)(void *context, const char *id);
  /* The document as it was sent; free() it. */
  service_status (*document)(void *context, const char *id, char **text, size_t *size);
  /* The arrays of a job, in their order, while it runs those that are there so far, with the rows that are; DAMAGED.
   * service_array_free() each, then free() the list. */
  service_status (*arrays)(void *context, const char *id, service_array **list, size_t *count);
  /* Rows first, first+stride, ... (`count` of them) of the named columns; `out` row-major, count x column_count, NULL:
   * they are only read and compared with their checksums. DAMAGED. */
  service_status (*read)(void *context, const char *id, const char *array, size_t first, size_t stride, size_t count,
                         const size_t *columns, size_t column_count, double *out);
  /* Begins to follow a job, or all (NULL): from now on. DRAINING. */
  service_status (*follow)(void *context, const char *id, service_subscription *follower);
  /* His next event. NOT_READY: there is none yet. */
  service_status (*event)(void *context, service_subscription *follower, service_event *out);
  /* Prometheus text; free() it. */
  service_status (*metrics)(void *context, char **text);
  /* SERVICE_OK when jobs would be worked on; `reason` is then "" or says what goes on beside that. Otherwise it says
   * why they would not. */
  service_status (*ready)(void *context, char reason[SERVICE_REASON_SIZE]);
} service;

#endif
