/* service.h - the interface between the API and the service behind it: the queue of jobs, their results, and the state
 * of the service.
 * server/ implements this interface with the store and the worker pool; tests implement it in memory. The caller frees
 * returned strings with the matching *_free function. Calls run on the thread that calls api_handle(). They return
 * immediately; calls that read wait for the store. A longer operation returns PENDING; when it has finished, the
 * request is handled again and the same call returns the result. */
#ifndef API_SERVICE_H
#define API_SERVICE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SERVICE_ID_SIZE = 40,     /* job id (UUID or similar) and its terminating 0 */
  SERVICE_DIGEST_SIZE = 65, /* SHA-256 digest in hexadecimal and its terminating 0 */
  SERVICE_REASON_SIZE = 200 /* reason why the service is not ready */
};

typedef enum service_status {
  SERVICE_OK,
  SERVICE_PENDING, /* begun; handle the same request again when it has finished */
  SERVICE_NOT_FOUND,
  SERVICE_NOT_READY, /* the job has no results yet and has not finished */
  SERVICE_QUEUE_FULL,
  SERVICE_CLIENT_FULL, /* a limit of this client is reached; after a submission the receipt has it */
  SERVICE_NO_WORKERS,
  SERVICE_DRAINING,
  SERVICE_NO_SPACE,    /* only the reserved disk space is left: 507 */
  SERVICE_UNAVAILABLE, /* the store has a temporary fault, which ready() names, or the service is ending: 503 */
  SERVICE_CONFLICT,    /* the idempotency key was used with another body */
  SERVICE_CHANGED,     /* the job is no longer as the change expects it */
  SERVICE_BUSY,        /* the limit of documents that wait for their check is reached */
  SERVICE_LATE,        /* a document waited too long for its check, or the service is shutting down */
  SERVICE_TOO_LONG,    /* the check of a document exceeded its time limit */
  SERVICE_DIED,        /* the process that checked a document died */
  SERVICE_REJECTED,    /* the store cannot accept this data (a constraint is violated); see the log */
  SERVICE_DAMAGED,     /* stored data differs from its checksum and is not returned; see the log */
  SERVICE_FAILED       /* the store returned an error; see the log */
} service_status;

/* Permissions of a client; each includes those before it. OWN permits the same calls as RUN, but shows only the jobs of
 * the client. */
typedef enum service_right {
  SERVICE_RIGHT_NONE,
  SERVICE_RIGHT_OWN,
  SERVICE_RIGHT_READ,
  SERVICE_RIGHT_RUN,
  SERVICE_RIGHT_ADMIN
} service_right;
/* Returns the permission named "own", "read", "run" or "admin"; NONE for any other word. */
service_right service_right_find(const char *word);
const char *service_right_name(service_right right);

/* Limits of one client. Amounts are arrays [SERVICE_LIMITS] of doubles; as a maximum 0 means no limit. */
typedef enum service_limit {
  SERVICE_LIMIT_QUEUE, /* queued jobs */
  SERVICE_LIMIT_BYTES, /* bytes of the documents, the reports and the results of its jobs */
  SERVICE_LIMIT_CPU,   /* processor time of workers for its jobs since midnight UTC [s] */
  SERVICE_LIMITS
} service_limit;
/* Returns the name of a limit in the token file and in answers: "client-queue", "stored-bytes", "cpu-seconds". */
const char *service_limit_name(service_limit limit);
/* Finds the first limit that forbids a client with the amounts `used` a new job of so many bytes; SERVICE_LIMITS if
 * there is none. Processor time that is used up forbids all jobs, because that of a new job is not known. */
service_limit service_limit_reached(const double most[SERVICE_LIMITS], const double used[SERVICE_LIMITS], size_t bytes);

/* Amounts that a client uses now. */
typedef struct service_usage {
  double used[SERVICE_LIMITS];
  double day_left; /* time until midnight UTC, at which the processor time is 0 again [s] */
} service_usage;

/* The holder of a token. */
typedef struct service_holder {
  char name[64];
  service_right right;
  double most[SERVICE_LIMITS]; /* limits of the token; 0: the limit of all clients applies */
} service_holder;

/* A stored job. Times are seconds since 1970; 0: not yet. */
typedef struct service_job {
  char id[SERVICE_ID_SIZE];
  char status[16]; /* queued, running, succeeded, failed, cancelled */
  double created, started, finished;
  double progress_t, progress_fraction;
  uint64_t progress_evaluations;
  int attempt;
  size_t runs;      /* number of runs of a study; 0: not a study. A study has no time t */
  char *model_name; /* may be NULL */
  char *analysis;   /* JSON text of the requested analysis, or NULL */
  char *report;     /* JSON text, NULL until there is one */
  char *error;      /* JSON text, NULL unless failed or cancelled with a reason */
  char client[64];  /* sender: the name of a token, or an address; "": not known */
  /* Set by the client, which may change them. */
  char *name;                             /* may be NULL */
  char *tags;                             /* JSON text, an array of strings; NULL: none */
  bool keep;                              /* exempt from removal by age */
  char content_hash[SERVICE_DIGEST_SIZE]; /* digest of the request and of the engine's version; "": not known */
} service_job;
void service_job_free(service_job *job);

/* The purpose of a check. */
typedef enum service_purpose {
  SERVICE_RUN,           /* makes the document a job */
  SERVICE_VALIDATE,      /* reports how the document was understood */
  SERVICE_DRAW,          /* reports that and the scene, from which the mechanism is drawn */
  SERVICE_DERIVE,        /* shows the equations, as the query of the target asks */
  SERVICE_CHECK_ANSWERS, /* checks the matrices in "claim" */
  SERVICE_EXPORT,        /* makes the texts of an FMU, as "fmi" and "outputs" ask */
  SERVICE_IMPORT         /* converts a model of another program, as the query of the target asks */
} service_purpose;

/* A document to be checked. */
typedef struct service_document {
  const char *text; /* request body as it was sent; must last until the check is done */
  size_t size;
  const char *target; /* target of the request, named in problem documents; must last as long */
  service_purpose purpose;
  char *own;          /* malloc'd text if it is not that of the request, freed by the check; else NULL */
  const char *client; /* sender, as in service_submission; copied */
} service_document;

/* Estimate of a job's run time. Jobs of one kind differ only in numbers. The service learns from finished jobs how long
 * one unit of `span` takes. */
typedef struct service_cost {
  uint64_t kind;  /* 0: not known */
  double span;    /* simulated time; 1 if not known */
  double seconds; /* estimated from the size of the model and the number of rows; INFINITY: not known */
} service_cost;

/* The result of a check: a finished response, or the data of a new job. */
typedef struct service_verdict {
  int status;       /* HTTP status of the response; 0: a valid job */
  char *text;       /* body of the response: JSON, a problem document for an error status */
  char *model_name; /* name of the job's model; may be NULL */
  char *analysis;   /* analysis of the job, JSON text; NULL if it has none */
  char *name;       /* name of the job, given beside the model; may be NULL */
  char *tags;       /* tags of the job: JSON text; may be NULL */
  bool keep,
      reuse; /* flags of the job: exempt from removal by age; an equal job that succeeded may be returned instead */
  char content_hash[SERVICE_DIGEST_SIZE];
  service_cost cost;
  size_t runs; /* number of runs of a study; 0: not a study */
} service_verdict;
void service_verdict_free(service_verdict *verdict);

/* The job that a submission led to. */
typedef struct service_receipt {
  char id[SERVICE_ID_SIZE];
  bool replayed; /* an earlier submission had the same idempotency key */
  bool reused;   /* an equal job had already succeeded; for a replay: when the key was first used */
  /* After CLIENT_FULL: the limit, its value, what the client uses of it, and when it changes. */
  service_limit limit;
  double most;
  service_usage usage;
} service_receipt;

typedef struct service_submission {
  const char *document; /* request body as it was sent; stored, and passed to a worker */
  size_t document_size;
  const char *model_name;  /* may be NULL */
  const char *analysis;    /* JSON text, or NULL */
  const char *name, *tags; /* see service_job */
  bool keep;
  /* If true and a job with the same content has succeeded, that job is returned instead. It must also have the same
   * name, tags and `keep`, as far as they are given here. */
  bool reuse;
  bool reuse_own;           /* `reuse` returns only jobs of the same client */
  const char *content_hash; /* NULL: not known */
  service_cost cost;
  size_t runs;                 /* number of runs of a study; 0: not a study */
  const char *client;          /* sender; NULL: not known; all of these count as one client */
  double most[SERVICE_LIMITS]; /* limits of the client */
  const char *idempotency_key; /* NULL if the request has none */
  const char *body_hash;       /* digest of the document, if there is a key */
  service_receipt *receipt;    /* filled when the submission is accepted; may be NULL */
} service_submission;

/* Changes to a job: a value counts only if its `set_...` is true. */
typedef struct service_change {
  bool set_name, set_tags, set_keep;
  const char *name, *tags;
  bool keep;
  const service_job *expected; /* change nothing unless name, tags and keep are these; NULL: no condition */
} service_change;

/* Conditions on listed jobs; those that are NULL or 0 do not count. */
typedef struct service_filter {
  const char *status;
  const char *model_name;
  const char *client; /* sender of the job */
  const char *tag;    /* a tag of the job */
  const char *text;   /* part of its name, of its model's name or of a tag; ASCII letters match in either case */
  double since;       /* created at this time or later, seconds since 1970 */
} service_filter;

typedef struct service_job_list {
  service_job *items;
  size_t count;
  char next[64]; /* cursor of the next page, "" at the end */
} service_job_list;
void service_job_list_free(service_job_list *list);

/* Describes one result array: shape[0] rows; the columns of a row as the labels name them (row-major). */
typedef struct service_array {
  char *name, *unit, *doc;
  int rank;
  size_t shape[4];
  bool timeless; /* true if the rows are not reporting times */
  bool by_run;   /* timeless, and its rows are runs of a study, which arrive one after another like reporting times */
  bool partial;  /* the job is running: more rows may follow */
  uint64_t checksum; /* checksum of all results of the job together; 0: none yet */
  char *labels;      /* JSON text: array of strings, one for each column, or the name if the rank is 1 */
  char *units;       /* JSON text: array of strings; "" for columns without a unit. NULL: not known */
} service_array;
void service_array_free(service_array *array);
/* printf() format of a checksum (uint64_t). */
#define SERVICE_CHECKSUM "xxh3-%016" PRIx64
/* Returns the number of rows that all arrays with time have; 0 if there are no such arrays. Frees the list. */
size_t service_arrays_rows(service_array *list, size_t count);

/* Events of jobs. */
typedef enum service_event_kind {
  SERVICE_EVENT_QUEUED,   /* new, or returned to the queue */
  SERVICE_EVENT_STARTED,  /* running */
  SERVICE_EVENT_PROGRESS, /* the run has advanced */
  SERVICE_EVENT_ROWS,     /* more rows of its results can be read */
  SERVICE_EVENT_DONE,     /* finished */
  SERVICE_EVENT_REMOVED,  /* removed */
  SERVICE_EVENT_MISSED    /* events of any job may have been missed; the id is "" */
} service_event_kind;

typedef struct service_event {
  service_event_kind kind;
  uint64_t number; /* numbered from 1 */
  char id[SERVICE_ID_SIZE];
  /* State of the run when it was last read; only for PROGRESS and ROWS. */
  double t, fraction;
  uint64_t evaluations;
  size_t rows; /* rows that all arrays with time have */
  size_t runs; /* number of runs of a study, which has no time; 0: not a study */
} service_event;

/* A subscription to the events of one job or of all jobs. */
typedef struct service_subscription {
  char id[SERVICE_ID_SIZE]; /* "": all jobs */
  uint64_t life;            /* identifies the start of the service: events are numbered anew after each start */
  uint64_t next;            /* number of the first event that was not read */
  bool quiet;               /* no event for so long that a keep-alive message is due */
} service_subscription;

typedef struct service_limits {
  size_t body_bytes;             /* largest request body */
  double check_seconds;          /* longest check of a document */
  double wait_seconds;           /* longest Prefer: wait */
  double client[SERVICE_LIMITS]; /* limits of clients that have no own ones */
} service_limits;

/* The most documents that one request may submit. */
enum { SERVICE_BATCH_MAX = 100 };
typedef struct service_part service_part;

typedef struct service {
  void *context;
  bool only_runs; /* only runs jobs that other services accept: answers only /healthz, /readyz and /metrics */
  service_limits limits;
  /* Host names of the service besides localhost and addresses, "a.example, b.example"; "*" in the list accepts any. May
   * be NULL. */
  const char *host_names;
  /* Origins of web pages of other sites that may use the service, "https://a.example, https://b.example". May be
   * NULL. */
  const char *page_origins;
  /* Returns the holder of a token, which lasts as long as the service; NULL if the token is unknown. If this function
   * is NULL, no token is needed. */
  const service_holder *(*holder)(void *context, const char *token, size_t size);
  /* Directory of temporary files (NULL: TMPDIR or /tmp), and the bytes of that disk that they must leave free. */
  const char *scratch_folder;
  uint64_t scratch_keep;
  /* borrow_file() asks for permission to make a temporary file of at most `bytes` for a client (as in
   * service_submission.client) and sets `loan` to its number. It returns CLIENT_FULL if as many files are being made or
   * sent for this client as allowed, BUSY if that holds for all clients together, and NO_SPACE if the file would use
   * too much of the disk. Call file_made() when the making of the file has ended, even after a failure, and
   * return_file() when the file is closed. All three are NULL if there is no limit. */
  service_status (*borrow_file)(void *context, const char *client, uint64_t bytes, size_t *loan);
  void (*file_made)(void *context, size_t loan);
  void (*return_file)(void *context, size_t loan);
  /* Checks a document in a confined process. Returns PENDING, BUSY, LATE, TOO_LONG, DIED, NO_WORKERS or FAILED. */
  service_status (*check)(void *context, const service_document *document, service_verdict *verdict);
  /* Queues a job, or finds the job that an idempotency key or `reuse` refers to. In the second case it returns PENDING,
   * and the repeated call uses only the address of the receipt. Returns CONFLICT if the key was used with another body.
   * The row of a new job need not be durable on return: the server then holds the response back until it is, and
   * replaces it by an error if it never will be. */
  service_status (*submit)(void *context, const service_submission *submission);
  /* Returns true if the submission of this request repeated an earlier one with its key. */
  bool (*replayed)(void *context);
  /* Reads what a client (as in service_submission) uses of its limits. */
  service_status (*usage)(void *context, const char *client, service_usage *out);
  service_status (*job)(void *context, const char *id, service_job *out);
  /* Lists jobs, newest first, without their reports. If `cursor` is NULL or "", the list begins with the newest job. A
   * page may be short or empty although more jobs follow: only an empty `next` marks the end. Returns NOT_FOUND if the
   * cursor is invalid. */
  service_status (*jobs)(void *context, const service_filter *filter, size_t limit, const char *cursor,
                         service_job_list *out);
  /* Returns PENDING until the change is durable; CHANGED if the job is not as expected. */
  service_status (*change)(void *context, const char *id, const service_change *change);
  /* Returns true if this request has begun a change, a cancel or a removal: it is handled again for the result. */
  bool (*changing)(void *context);
  /* cancel() and remove() return PENDING until the change is durable. */
  service_status (*cancel)(void *context, const char *id);
  service_status (*remove)(void *context, const char *id);
  /* Returns the document as it was sent. The caller frees it. */
  service_status (*document)(void *context, const char *id, char **text, size_t *size);
  /* Lists the arrays of a job in their order; while the job runs, those that exist, with the rows that they have.
   * Returns DAMAGED if they differ from their checksums. Free each with service_array_free(), then the list with
   * free(). */
  service_status (*arrays)(void *context, const char *id, service_array **list, size_t *count);
  /* Reads rows first, first+stride, ... (`count` of them) of the given columns into `out`, row-major, [count x
   * column_count]. If `out` is NULL, it only compares the data with its checksums. Returns DAMAGED if they differ. */
  service_status (*read)(void *context, const char *id, const char *array, size_t first, size_t stride, size_t count,
                         const size_t *columns, size_t column_count, double *out);
  /* Subscribes to the events of a job, or of all jobs (NULL), from now on. Returns DRAINING if the service is shutting
   * down. */
  service_status (*follow)(void *context, const char *id, service_subscription *follower);
  /* Reads the next event of a subscription. Returns NOT_READY if there is none yet. */
  service_status (*event)(void *context, service_subscription *follower, service_event *out);
  /* Returns the metrics as Prometheus text. The caller frees it. */
  service_status (*metrics)(void *context, char **text);
  /* Returns SERVICE_OK if the service accepts jobs; `reason` is then "" or names maintenance in progress. Otherwise
   * `reason` says why it does not accept jobs. */
  service_status (*ready)(void *context, char reason[SERVICE_REASON_SIZE]);
  /* Returns part `i` < SERVICE_BATCH_MAX of a request that submits several documents; it lasts as long as the request.
   * Returns NULL if memory runs out. */
  service_part *(*part)(void *context, size_t i);
} service;

/* One document of a request that submits several. */
struct service_part {
  service service; /* checks and submits this document; it must be called again when the whole request is */
  int status;      /* HTTP status of its answer; 0: not yet known */
  char *text;      /* body of the answer, malloc'd */
  size_t size;
};

#endif
