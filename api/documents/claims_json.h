/* claims_json.h - what was found of claims, as JSON. */
#ifndef API_DOCUMENTS_CLAIMS_JSON_H
#define API_DOCUMENTS_CLAIMS_JSON_H

#include "mbs.h"

#include <jansson.h>

/* How much is told: all; the slips without what would be right; the verdicts alone. */
typedef enum api_claims_show { API_CLAIMS_ALL, API_CLAIMS_SLIP, API_CLAIMS_VERDICT, API_CLAIMS_SHOWS } api_claims_show;

/* The one of that name, "all", "slip" or "verdict"; API_CLAIMS_SHOWS where there is none. */
api_claims_show api_claims_show_named(const char *name);
/* The states at which claims were judged. */
json_t *api_claims_states_json(const mbs_check *check);
/* A block that was judged. */
json_t *api_claims_judged_json(const mbs_check *check, const mbs_judged *judged, api_claims_show show);
/* A row of blocks (-1: the matrix) that has another number of them than it should. */
json_t *api_claims_misfit_json(const char *matrix, int row, const char *detail);

#endif
