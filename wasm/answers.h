/* answers.h - reads the texts that the page sends, and stores the answer: one call at a time. */
#ifndef MBS_WASM_ANSWERS_H
#define MBS_WASM_ANSWERS_H

#include "api/documents/document.h"
#include "mbs.h"

#include <stdbool.h>
#include <stddef.h>

/* Limits of a model, so that it cannot exhaust the memory of the browser. */
extern const mbs_limits module_limits;

/* Parses the document of a call. If that fails, returns false and sets the problem as the answer. */
bool answer_begin(const char *text, size_t size, api_document *document);
/* Answers with status 200 and a value. Takes ownership of `value`. */
void answer_json(json_t *value);
/* Answers with status 200 and a JSON text. Takes ownership of `text`. */
void answer_text(char *text);
/* Answers with the errors of a document. Frees the list. */
void answer_errors(mbs_diagnostics *list, const json_t *root);
/* Returns the HTTP status of the answer. */
int answer_status(void);

#endif
