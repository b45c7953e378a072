/* events.h - streams of job events: GET /api/v1/events, GET /api/v1/jobs/ID/events.
 * Server-sent events (text/event-stream of the HTML standard). A client that lost the connection sends the id of the
 * last event that it received (Last-Event-ID). The stream continues after that event, or reports that events were
 * missed, and the current state. */
#ifndef API_RESOURCES_EVENTS_H
#define API_RESOURCES_EVENTS_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_events_of_all(const api_call *call, api_response *response);
void api_events_of_job(const api_call *call, api_response *response);

#endif
