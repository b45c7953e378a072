/* web.h - the web interface and the manual: files built into the program, served with a strict content security
 * policy. */
#ifndef API_HTTP_WEB_H
#define API_HTTP_WEB_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

void api_web_index(const api_call *call, api_response *response);
/* Answers a GET for a file of the web interface or of the manual (/docs). Returns false if there is no such file. */
bool api_web_file(const api_call *call, api_response *response);

#endif
