/* answers.c - see answers.h. */
#include "answers.h"

#include "api/checks/document_problem.h"
#include "module.h"

#include <stdlib.h>
#include <string.h>

enum { OK = 200 };

const mbs_limits module_limits = {.memory = (size_t)512 << 20, .advice = "a job of the service may have more"};

/* The last answer. The page makes one call at a time. */
static api_response response;

void *module_allocate(size_t size) { return malloc(size); }

void module_release(void *memory) { free(memory); }

const char *module_answer(void) { return response.body; }

size_t module_answer_size(void) { return response.body_size; }

static void forget(void) {
  api_response_free(&response);
  response = (api_response){0};
}

int answer_status(void) { return response.status; }

void answer_json(json_t *value) {
  forget();
  api_respond_json(&response, OK, value);
}

void answer_text(char *text) {
  forget();
  api_respond_text(&response, OK, "application/json", text, text ? strlen(text) : 0);
}

void answer_errors(mbs_diagnostics *list, const json_t *root) {
  forget();
  api_problem_diagnostics(NULL, &response, list, root);
  mbs_diagnostics_free(list);
}

bool answer_begin(const char *text, size_t size, api_document *document) {
  api_syntax_error error;
  forget();
  if (api_document_parse(text, size, document, &error)) return true;
  api_problem_unparsed(NULL, &response, &error, module_limits.advice);
  return false;
}
