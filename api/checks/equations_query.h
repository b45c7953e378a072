/* equations_query.h - reads the query of a request for equations. */
#ifndef API_CHECKS_EQUATIONS_QUERY_H
#define API_CHECKS_EQUATIONS_QUERY_H

#include "api/documents/equations.h"
#include "api/http/call.h"
#include "api/http/response.h"

/* Reads ?format=, ?only= and ?mathml=; `query` points into the target. Returns false after answering with an error. */
bool api_equations_query_read(const api_call *call, const api_target *target, api_response *response,
                              api_equations_query *query);

#endif
