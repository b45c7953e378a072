/* answers_json.h - what was found of claims, as JSON. */
#ifndef API_DOCUMENTS_ANSWERS_JSON_H
#define API_DOCUMENTS_ANSWERS_JSON_H

#include "mbs.h"

#include <jansson.h>

/* How much is told: all; the slips without what would be right; the verdicts alone. */
typedef enum api_answers_show {
  API_ANSWERS_ALL,
  API_ANSWERS_SLIP,
  API_ANSWERS_VERDICT,
  API_ANSWERS_SHOWS
} api_answers_show;

/* The one of that name, "all", "slip" or "verdict"; API_ANSWERS_SHOWS where there is none. */
api_answers_show api_answers_show_named(const char *name);
/* The states at which claims were judged. */
json_t *api_answers_states_json(const mbs_check *check);
/* A block that was judged. */
json_t *api_answers_verdict_json(const mbs_check *check, const mbs_block_verdict *result, api_answers_show show);
/* A row of blocks (-1: the matrix) that has another number of them than it should. */
json_t *api_answers_size_error_json(const char *matrix, int row, const char *detail);

#endif
