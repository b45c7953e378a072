/* encoding.h - bodies in gzip (RFC 9110, sections 8.4 and 12.5.3). */
#ifndef API_HTTP_ENCODING_H
#define API_HTTP_ENCODING_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

/* Whether the request's body comes as it is. False after answering 415. */
bool api_encoding_reads(const api_call *call, api_response *response);
/* Encodes the body if the client's Accept-Encoding likes that and it is text, or a program, of some length, or nothing
 * else is acceptable; 406 where nothing is. A large one asks to be called again beside (see api_response). Returns
 * whether parts of the body are out of the question. */
bool api_encoding_apply(const api_call *call, api_response *response);

#endif
