/* equations_wish.h - what the query of a request wants of equations. */
#ifndef API_CHECKS_EQUATIONS_WISH_H
#define API_CHECKS_EQUATIONS_WISH_H

#include "api/documents/equations.h"
#include "api/http/call.h"
#include "api/http/response.h"

/* Reads ?format=, ?only= and ?mathml=; `wish` points into the target. False after answering what is wrong. */
bool api_equations_wish_read(const api_call *call, const api_target *target, api_response *response,
                             api_equations_wish *wish);

#endif
