/* request_validation.h - a request's document, looked at by the service. */
#ifndef API_RESOURCES_REQUEST_VALIDATION_H
#define API_RESOURCES_REQUEST_VALIDATION_H

#include "api/http/call.h"
#include "api/http/response.h"

/* Has the body checked for a purpose. True: it makes a job, and `verdict` has what is known of it.
 * False: `response` is the answer, or pending. */
bool api_request_validate(const api_call *call, api_response *response, service_purpose purpose,
                          service_verdict *verdict);
/* The same for any document; what it answers with status 200 is of the media type. */
bool api_request_validate_document(const api_call *call, api_response *response, const service_document *document,
                                   const char *media_type, service_verdict *verdict);

#endif
