/* request_validation.h - has the service check the document of a request. */
#ifndef API_RESOURCES_REQUEST_VALIDATION_H
#define API_RESOURCES_REQUEST_VALIDATION_H

#include "api/http/call.h"
#include "api/http/response.h"

/* Checks the body for a purpose. Returns true if it makes a job; `verdict` then has the data of the job. Returns false
 * if `response` is the answer, or pending. */
bool api_request_validate(const api_call *call, api_response *response, service_purpose purpose,
                          service_verdict *verdict);
/* Does the same for any document. An answer with status 200 has the given media type. */
bool api_request_validate_document(const api_call *call, api_response *response, const service_document *document,
                                   const char *media_type, service_verdict *verdict);

#endif
