/* fake_service.h - a service in memory for tests of the API, and requests to it. */
#ifndef FAKE_SERVICE_H
#define FAKE_SERVICE_H

#include "api/api.h"
#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { FAKE_JOBS_MAX = 32, FAKE_ARRAYS_MAX = 48, FAKE_EVENTS_MAX = 32, FAKE_LIFE = 0xabc };

typedef struct fake_job {
  bool used;
  service_job job;
  char *document;
  size_t document_size;
  char *client, *key, *body_hash; /* as it was submitted */
  service_cost cost;
  service_array arrays[FAKE_ARRAYS_MAX];
  double *data[FAKE_ARRAYS_MAX];
  size_t array_count;
  const char *damaged; /* the array whose numbers differ from their checksum; "": the list of arrays */
} fake_job;

typedef struct fake_service {
  service service;
  fake_job jobs[FAKE_JOBS_MAX];
  size_t job_count;
  service_status submit_status; /* status of the next submissions */
  service_status check_status;  /* status of the next checks */
  bool slow;                    /* checks, cancels and removals return PENDING first */
  bool begun;                   /* one of them has begun */
  size_t rounds;                /* how often the last request was handled */
  service_receipt refusal;      /* receipt of the next submissions that are refused */
  double most[SERVICE_LIMITS];  /* limits of the last submission */
  service_usage usage;          /* usage of every client */
  bool replayed;                /* of the last submission */
  service_filter filter;        /* of the last list; its texts are freed */
  bool ready;
  size_t numbers_read;                   /* by service->read */
  service_event events[FAKE_EVENTS_MAX]; /* events so far, of the start FAKE_LIFE */
  size_t event_count;
} fake_service;

/* Limits: bodies of 1 MiB, 10000 rows, 60 s of checking, 30 s of waiting. Documents are checked in this process. */
void fake_service_open(fake_service *fake);
void fake_service_close(fake_service *fake);
/* Adds a job in the state given; returns it. */
fake_job *fake_service_add(fake_service *fake, const char *status);
/* Adds an array of consecutive rows; `labels` is JSON text, `data` is copied. */
void fake_job_add_array(fake_job *job, const char *name, int rank, const size_t *shape, const char *labels,
                        const double *data, bool timeless);
/* Adds an event of a job with the next number; the caller may set its other values. */
service_event *fake_service_tell(fake_service *fake, service_event_kind kind, const char *id);
/* Runs all queued jobs to their end. */
void fake_service_work(fake_service *fake);

/* ---- requests ------------------------------------------------------------------------------------------------ */

typedef struct fake_answer {
  api_response response; /* status and headers; its body is freed */
  char *text;            /* the whole body and a terminating 0 */
  size_t size;
  bool broken; /* the stream failed */
} fake_answer;

/* Sends a request without a body; `header` is "Name: value", several separated by newlines, or NULL. */
void fake_get(fake_service *fake, const char *target, const char *header, fake_answer *answer);
void fake_post(fake_service *fake, const char *target, const char *header, const char *body, fake_answer *answer);
/* Sends any request. `waited`: the job of a second call, or NULL. */
void fake_request(fake_service *fake, const char *method, const char *target, const char *header, const void *body,
                  size_t size, const char *waited, fake_answer *answer);
void fake_answer_free(fake_answer *answer);
/* Returns the value of a header; NULL if it is missing. */
const char *fake_answer_header(const fake_answer *answer, const char *name);
/* Returns the body as JSON; fails the test if it is not JSON or has no newline at its end. */
json_t *fake_answer_json(const fake_answer *answer);

/* A valid model: a pendulum with one body that runs for 1 s and records 11 rows. */
extern const char *const fake_pendulum;

#endif
