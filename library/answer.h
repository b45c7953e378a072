/* answer.h - the answers of mbsd.h. */
#ifndef LIBRARY_ANSWER_H
#define LIBRARY_ANSWER_H

#include "api/documents/document.h"
#include "mbs/mbsd.h"

#include <jansson.h>

struct mbsd_answer {
  mbsd_status status;
  char *json, *error; /* malloc'd; NULL: none */
  mbs_arena *arena;   /* owner of the arrays */
  mbs_array *arrays;  /* [count] */
  size_t count;
  char *bytes; /* [byte_count] malloc'd; NULL: none */
  size_t byte_count;
};

/* Returns an answer without arrays. Takes `json` and `error`, of which one may be NULL. */
mbsd_answer *answer_new(mbsd_status status, json_t *json, json_t *error);
/* Returns the answer to a text that is not JSON. */
mbsd_answer *answer_malformed(const api_syntax_error *error);
/* Copies arrays into an answer. Returns false if memory runs out. */
bool answer_copy_arrays(mbsd_answer *answer, const mbs_array *list, size_t count);

#endif
