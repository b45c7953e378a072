/* events.h - what happens to jobs, told as it happens: GET /api/v1/events, GET /api/v1/jobs/ID/events.
 *
 * Server-sent events (the HTML standard's text/event-stream): a client who was cut off names the last event that it
 * has seen (Last-Event-ID) and goes on behind it, or is told that it missed something, and how things stand now. */
#ifndef API_RESOURCES_EVENTS_H
#define API_RESOURCES_EVENTS_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_events_of_all(const api_call *call, api_response *response);
void api_events_of_job(const api_call *call, api_response *response);

#endif
