/* batch.h - POST /api/v1/jobs with an array: several documents in one request. */
#ifndef API_RESOURCES_BATCH_H
#define API_RESOURCES_BATCH_H

#include "api/http/call.h"
#include "api/http/response.h"
#include "api/resources/job_key.h"

#include <stdbool.h>

/* Returns true if the body of a request is an array with a value in it. */
bool api_batch_is(const api_request *request);
/* Submits a document by a call that has it as its body. */
typedef void api_batch_submit(const api_call *call, api_response *response, const api_job_key *key);
/* Submits all documents of the array and answers 207 with the answer to each, in their order. The key of a document is
 * that of the request, with the number of the document. Answers 400 if the body is no array, and 413 if it has too many
 * documents; nothing is submitted then. */
void api_batch_post(const api_call *call, api_response *response, api_batch_submit *submit);

#endif
