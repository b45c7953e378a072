/* check.c - mbs check: compares a student's equations with those of a model. */
#include "cli.h"

#include "api/base/values.h"
#include "api/documents/answers.h"
#include "api/documents/report_json.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Adds the answers to the model: a file {"claim": .., "at": ..}, or the matrices alone. */
static void put_claim(json_t *root, json_t *claim) {
  const char *key;
  json_t *value;
  if (!json_object_get(claim, "claim")) {
    json_object_set(root, "claim", claim);
    return;
  }
  json_object_foreach(claim, key, value) json_object_set(root, key, value);
}

/* Prints the block, "B[r_2, theta_2]", if it is known. */
static void print_place(const json_t *entry) {
  const json_t *labels = json_object_get(entry, "labels");
  const char *row = json_string_value(json_array_get(labels, 0)),
             *column = json_string_value(json_array_get(labels, 1));
  printf("%s", json_string_value(json_object_get(entry, "matrix")));
  if (row) printf("[%s%s%s]", row, column ? ", " : "", column ? column : "");
}

/* Prints the numbers of a wrong block and of the correct one, if they are known. */
static void print_numbers(const json_t *entry) {
  const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(6);
  char *claimed = json_dumps(json_object_get(entry, "claimed"), flags);
  char *value = json_dumps(json_object_get(entry, "value"), flags);
  if (claimed && value) printf("  your numbers: %s, the correct ones: %s\n", claimed, value);
  free(claimed);
  free(value);
}

static void print_entry(const json_t *entry) {
  const json_t *slips = json_object_get(entry, "slips"), *place = json_object_get(entry, "place"), *slip;
  const char *detail = json_string_value(json_object_get(entry, "detail"));
  const char *text = json_string_value(json_object_get(entry, "text"));
  const char *verdict = json_string_value(json_object_get(entry, "verdict"));
  size_t k;
  print_place(entry);
  printf(": %s%s", verdict, json_is_true(json_object_get(entry, "accidental")) ? ", but only for these numbers" : "");
  if (place)
    printf(" at line %d, column %d", (int)json_integer_value(json_object_get(place, "line")),
           (int)json_integer_value(json_object_get(place, "column")));
  if (detail) printf(": %s", detail);
  if (text && strcmp(verdict, "right") != 0) printf("; the correct block is %s", text);
  putchar('\n');
  json_array_foreach(slips, k, slip) printf("  %s: %s\n", json_string_value(json_object_get(slip, "slip")),
                                            json_string_value(json_object_get(slip, "detail")));
  if (strcmp(verdict, "wrong") == 0 && json_array_size(slips) == 0) print_numbers(entry);
}

static int print_answer(json_t *answer, bool as_json) {
  const json_t *entries = json_object_get(answer, "entries"), *entry;
  bool right = json_is_true(json_object_get(answer, "right"));
  size_t k;
  char *text = as_json ? api_json_string(json_incref(answer)) : NULL;
  if (text) {
    puts(text);
    free(text);
    return right ? CLI_DONE : CLI_RUN_FAILED;
  }
  json_array_foreach(entries, k, entry) print_entry(entry);
  puts(right                          ? "All blocks are right."
       : json_array_size(entries) > 0 ? "Not all blocks are right."
                                      : "There are no blocks to check.");
  return right ? CLI_DONE : CLI_RUN_FAILED;
}

static int check(json_t *root, const cli_files *files, bool as_json) {
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  api_document document;
  api_document_adopt(root, &document);
  api_equations_excess excess;
  json_t *answer = api_document_check_answers(&document, &limits, &list, &excess);
  int code = CLI_WRONG_DOCUMENT;
  if (answer) {
    code = print_answer(answer, as_json);
  } else if (list.count == 0) {
    fprintf(stderr, "%s%s%s\n", excess.detail, excess.fitting[0] ? "; the file may contain only the matrices " : "",
            excess.fitting);
  } else {
    cli_print_diagnostics(&list, files);
  }
  json_decref(answer);
  mbs_diagnostics_free(&list);
  api_document_free(&document);
  return code;
}

/* Reads the options. Returns false after printing an error. */
static bool read_options(int argc, char **argv, bool *as_json) {
  static const struct option known[] = {{"json", no_argument, NULL, 'j'}, {0}};
  int option;
  while ((option = getopt_long(argc, argv, "", known, NULL)) == 'j') *as_json = true;
  return option == -1 && cli_takes(argc, argv, "MODEL CLAIM");
}

int cli_check(int argc, char **argv) {
  bool as_json = false;
  if (!read_options(argc, argv, &as_json)) return cli_say_usage(argv[0]);
  int code = CLI_WRONG_DOCUMENT;
  cli_files files = {0};
  json_t *model = cli_read_json(argv[optind], NULL, &files, &code),
         *claim = model ? cli_read_part(argv[optind + 1], "", &files, &code) : NULL;
  if (claim) {
    bool wrapped = json_object_get(model, "model") != NULL;
    if (!wrapped) files.list[0].at = "/model";
    if (!json_object_get(claim, "claim")) files.list[1].at = "/claim";
    json_t *root = wrapped ? json_incref(model) : json_pack("{s:O}", "model", model);
    put_claim(root, claim);
    code = check(root, &files, as_json);
  }
  json_decref(model);
  json_decref(claim);
  cli_files_free(&files);
  return code;
}
