/* web.h - the web interface and the manual: files built into the program, served with a strict content security
 * policy. */
#ifndef API_HTTP_WEB_H
#define API_HTTP_WEB_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

void api_web_index(const api_call *call, api_response *response);
/* Answers a GET for a file of the web interface, or for any path of the manual (/docs; 404 if it has no such page).
 * Returns false, without an answer, for other paths. */
bool api_web_file(const api_call *call, api_response *response);

#endif
