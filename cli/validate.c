/* validate.c - mbs validate: what is understood of a model, or all its mistakes. */
#include "cli.h"
#include "parse.h"

#include "api/documents/document.h"
#include "api/documents/report_json.h"
#include "api/documents/validation.h"

#include <string.h>

static int print_answer(const json_t *answer, bool json) {
  bool assembled = json_is_true(json_object_get(answer, "assembled"));
  if (json) {
    json_dumpf(answer, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    putchar('\n');
    return assembled ? CLI_DONE : CLI_RUN_FAILED;
  }
  cli_print_report(answer, stdout);
  if (assembled) return CLI_DONE;
  printf("\nThe model cannot be assembled.\n");
  cli_print_error(json_object_get(answer, "error"), stdout);
  return CLI_RUN_FAILED;
}

int cli_validate(int argc, char **argv) {
  bool json = argc == 3 && strcmp(argv[2], "--json") == 0;
  if (argc != 2 && !json) {
    fputs("usage: mbs validate MODEL.json [--json]\n", stderr);
    return CLI_USAGE;
  }
  int code;
  json_t *root = cli_read_json(argv[1], NULL, &code);
  if (!root) return code;
  code = CLI_WRONG_DOCUMENT;
  api_document document;
  api_document_adopt(root, &document);
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  json_t *answer = api_document_validate(&document, &limits, false, &list);
  if (answer) {
    code = print_answer(answer, json);
  } else {
    cli_print_diagnostics(&list);
  }
  cli_release(answer);
  mbs_diagnostics_free(&list);
  api_document_free(&document);
  return code;
}
