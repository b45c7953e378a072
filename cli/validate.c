/* validate.c - mbs validate: what is understood of a model, or all its mistakes. */
#include "cli.h"

#include "api/documents/document.h"
#include "api/documents/report_json.h"
#include "api/documents/validation.h"

#include <stdlib.h>

static int print_answer(const json_t *answer) {
  cli_print_report(answer, stdout);
  if (json_is_true(json_object_get(answer, "assembled"))) return CLI_DONE;
  printf("\nThe model cannot be assembled.\n");
  cli_print_error(json_object_get(answer, "error"), stdout);
  return CLI_RUN_FAILED;
}

int cli_validate(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: mbs validate MODEL.json\n", stderr);
    return CLI_USAGE;
  }
  int code;
  size_t size;
  char *text = cli_read_document(argv[1], NULL, &size, &code);
  if (!text) return code;
  code = CLI_WRONG_DOCUMENT;
  api_document document;
  api_syntax_error error;
  if (api_document_parse(text, size, &document, &error)) {
    const mbs_limits limits = {0};
    mbs_diagnostics list = {0};
    json_t *answer = api_document_validate(&document, &limits, false, &list);
    if (answer) {
      code = print_answer(answer);
    } else {
      json_t *errors = api_errors_json(&list);
      cli_print_mistakes(errors, stderr);
      json_decref(errors);
    }
    json_decref(answer);
    mbs_diagnostics_free(&list);
    api_document_free(&document);
  }
  free(text);
  return code;
}
