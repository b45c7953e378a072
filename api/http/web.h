/* web.h - the web interface and the manual: files that are built into the program, served with a strict content
 * policy. */
#ifndef API_HTTP_WEB_H
#define API_HTTP_WEB_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

void api_web_index(const api_call *call, api_response *response);
/* Answers a GET whose path is that of a file of the web interface, or in the manual (/docs); false where there is no
 * such file. */
bool api_web_file(const api_call *call, api_response *response);

#endif
