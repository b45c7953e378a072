/* row_query.h - query parameters that select rows of results. */
#ifndef API_RESOURCES_ROW_QUERY_H
#define API_RESOURCES_ROW_QUERY_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads a time, ?from= or ?to=; NaN if it is missing. Returns false after answering that it is invalid. */
bool api_row_query_time(const api_call *call, api_response *response, const char *name, double *value);
/* Reads ?stride=; 1 if it is missing. Returns false after answering that it is invalid. */
bool api_row_query_stride(const api_call *call, api_response *response, size_t *stride);

#endif
