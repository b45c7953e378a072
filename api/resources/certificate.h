/* certificate.h - GET /api/v1/jobs/{id}/certificate: the certificate of a job's result. */
#ifndef API_RESOURCES_CERTIFICATE_H
#define API_RESOURCES_CERTIFICATE_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_certificate_get(const api_call *call, api_response *response);

#endif
