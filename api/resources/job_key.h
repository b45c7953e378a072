/* job_key.h - the header Idempotency-Key: a request that is sent twice makes one job. */
#ifndef API_RESOURCES_JOB_KEY_H
#define API_RESOURCES_JOB_KEY_H

#include "api/base/digest.h"
#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

enum { API_JOB_KEY_MAX = 255 }; /* bytes of the longest key */

typedef struct api_job_key {
  const char *text; /* NULL: not sent */
  char body_hash[API_DIGEST_SIZE];
} api_job_key;

/* Reads the key. Returns false after answering that it is invalid. */
bool api_job_key_read(const api_call *call, api_response *response, api_job_key *key);

#endif
