/* resources.h - the handlers of the route table, one file a resource. */
#ifndef API_RESOURCES_H
#define API_RESOURCES_H

#include "call.h"

#include <stdbool.h>

/* meta.c */
void api_index(const api_call *call, api_response *response);
void api_health(const api_call *call, api_response *response);
void api_ready(const api_call *call, api_response *response);
void api_metrics(const api_call *call, api_response *response);
void api_openapi(const api_call *call, api_response *response);
void api_schema_file(const api_call *call, api_response *response);

/* web.c */
void api_web_index(const api_call *call, api_response *response);
/* Answers a GET whose path is that of a file of the web interface; false where there is no such file. */
bool api_web_file(const api_call *call, api_response *response);

/* examples.c */
void api_examples_list(const api_call *call, api_response *response);
void api_examples_get(const api_call *call, api_response *response);

/* validate.c */
void api_validate(const api_call *call, api_response *response);

/* jobs.c */
void api_jobs_list(const api_call *call, api_response *response);
void api_jobs_post(const api_call *call, api_response *response);
void api_jobs_get(const api_call *call, api_response *response);
void api_jobs_delete(const api_call *call, api_response *response);
void api_jobs_cancel(const api_call *call, api_response *response);
void api_jobs_model(const api_call *call, api_response *response);

/* results.c */
void api_results_list(const api_call *call, api_response *response);
void api_results_get(const api_call *call, api_response *response);
void api_results_npz(const api_call *call, api_response *response);

#endif
