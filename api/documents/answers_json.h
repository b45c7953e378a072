/* answers_json.h - the verdicts on answers as JSON. */
#ifndef API_DOCUMENTS_ANSWERS_JSON_H
#define API_DOCUMENTS_ANSWERS_JSON_H

#include "mbs.h"

#include <jansson.h>

/* Extent of the report: everything; typical errors without the correct equation; verdicts only. */
typedef enum api_answers_show {
  API_ANSWERS_ALL,
  API_ANSWERS_SLIP,
  API_ANSWERS_VERDICT,
  API_ANSWERS_SHOWS
} api_answers_show;

/* Returns the value named "all", "slip" or "verdict"; API_ANSWERS_SHOWS for another name. */
api_answers_show api_answers_show_named(const char *name);
/* Returns the states at which the answers were evaluated. */
json_t *api_answers_states_json(const mbs_check *check);
/* Returns the verdict on one block. */
json_t *api_answers_verdict_json(const mbs_check *check, const mbs_block_verdict *result, api_answers_show show);
/* Returns an error for a row of blocks (-1: the matrix) that has the wrong number of blocks. */
json_t *api_answers_size_error_json(const char *matrix, int row, const char *detail);

#endif
