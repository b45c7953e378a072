/* validate.c - mbs validate: prints how a model was understood, or all its errors. */
#include "cli.h"
#include "parse.h"

#include "api/documents/document.h"
#include "api/documents/report_json.h"
#include "api/documents/validation.h"

#include <getopt.h>

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
  cli_print_error(json_object_get(answer, "error"), NULL, stdout);
  return CLI_RUN_FAILED;
}

/* Reads the options. Returns false after printing an error. */
static bool read_options(int argc, char **argv, bool *json) {
  static const struct option known[] = {{"json", no_argument, NULL, 'j'}, {0}};
  int option;
  while ((option = getopt_long(argc, argv, "", known, NULL)) == 'j') *json = true;
  return option == -1 && cli_takes(argc, argv, "MODEL");
}

int cli_validate(int argc, char **argv) {
  bool json = false;
  if (!read_options(argc, argv, &json)) return cli_say_usage(argv[0]);
  int code;
  cli_files files = {0};
  json_t *root = cli_read_json(argv[optind], NULL, &files, &code);
  if (root) {
    api_document document;
    api_document_adopt(root, &document);
    const mbs_limits limits = {0};
    mbs_diagnostics list = {0};
    json_t *answer = api_document_validate(&document, &limits, false, &list);
    code = answer ? print_answer(answer, json) : CLI_WRONG_DOCUMENT;
    if (!answer) cli_print_diagnostics(&list, &files);
    cli_release(answer);
    mbs_diagnostics_free(&list);
    api_document_free(&document);
  }
  cli_files_free(&files);
  return code;
}
