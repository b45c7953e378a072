/* answers.h - texts that come from the page, and the answer that goes back to it: one at a time. */
#ifndef MBS_WASM_ANSWERS_H
#define MBS_WASM_ANSWERS_H

#include "api/documents/document.h"
#include "mbs.h"

#include <stdbool.h>
#include <stddef.h>

/* A page has to go on living beside a model. */
extern const mbs_limits module_limits;

/* Reads the document that a call is about; false where that fails, which is the answer then. */
bool answer_begin(const char *text, size_t size, api_document *document);
/* Answers with status 200; the value goes. */
void answer_json(json_t *value);
/* The same with a text of JSON; it goes. */
void answer_text(char *text);
/* Answers with the mistakes of a document; the list goes. */
void answer_mistakes(mbs_diagnostics *list, const json_t *root);
/* The status of the answer, as of HTTP. */
int answer_status(void);

#endif
