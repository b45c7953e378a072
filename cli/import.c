/* import.c - mbs import: converts a model of another program to a document. */
#include "cli.h"
#include "print_document.h"
#include "replace_file.h"

#include "api/imports/imported.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

typedef struct options {
  import_options import;
  const char *source, *out;
  bool strict, report;
} options;

static bool read_options(int argc, char **argv, options *out) {
  static const struct option known[] = {{"format", required_argument, NULL, 'f'},
                                        {"out", required_argument, NULL, 'o'},
                                        {"strict", no_argument, NULL, 's'},
                                        {"partial", no_argument, NULL, 'p'},
                                        {"main", required_argument, NULL, 'm'},
                                        {"keyframe", required_argument, NULL, 'k'},
                                        {"floating", no_argument, NULL, 'l'},
                                        {"report", no_argument, NULL, 'r'},
                                        {0}};
  bool good = true;
  for (int option; (option = getopt_long(argc, argv, "o:", known, NULL)) != -1;) {
    switch (option) {
    case 'f': out->import.format = optarg; break;
    case 'o': out->out = optarg; break;
    case 's': out->strict = true; break;
    case 'p': out->import.partial = true; break;
    case 'm': out->import.main_file = optarg; break;
    case 'k': out->import.keyframe = optarg; break;
    case 'l': out->import.floating = true; break;
    case 'r': out->report = true; break;
    default: good = false;
    }
  }
  if (!good || !cli_takes(argc, argv, "SOURCE")) return false;
  out->source = argv[optind];
  return true;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

static void print_place(const char *file, json_int_t line, json_int_t column, const char *pointer) {
  fprintf(stderr, "%s:", file && *file ? file : "-");
  if (pointer && *pointer) fprintf(stderr, "%s:", pointer);
  if (line) fprintf(stderr, "%" JSON_INTEGER_FORMAT ":", line);
  if (column) fprintf(stderr, "%" JSON_INTEGER_FORMAT ":", column);
  fputc(' ', stderr);
}

/* Prints "FILE:LINE: level: text" for each item of a list. Returns true if one is a note `dropped`. */
static bool print_all(const json_t *list, const char *source) {
  bool dropped = false;
  size_t index;
  json_t *item;
  json_array_foreach(list, index, item) {
    const char *level = json_string_value(json_object_get(item, "level"));
    const char *file = json_string_value(json_object_get(item, "file")),
               *pointer = json_string_value(json_object_get(item, "source"));
    if (!pointer && !json_object_get(item, "file")) pointer = json_string_value(json_object_get(item, "pointer"));
    const json_int_t count = json_integer_value(json_object_get(item, "count"));
    print_place(file ? file : source, json_integer_value(json_object_get(item, "line")), 0, pointer);
    fprintf(stderr, "%s: %s", level ? level : "error", json_string_value(json_object_get(item, "detail")));
    if (count > 1) fprintf(stderr, " (%" JSON_INTEGER_FORMAT " times)", count);
    fputc('\n', stderr);
    dropped = dropped || (level && strcmp(level, "dropped") == 0);
  }
  return dropped;
}

static int print_fault(const import_fault *fault, const char *source) {
  print_place(*fault->file ? fault->file : source, fault->line, fault->column, NULL);
  fprintf(stderr, "error: %s\n", fault->detail);
  return fault->status == 0 || fault->status == 500 ? CLI_USAGE : CLI_WRONG_DOCUMENT;
}

/* ---- the document ----------------------------------------------------------------------------------------------- */

static bool print_document(const void *model, FILE *file) { return cli_print_document(model, file); }

static int put_out(const options *asked, const api_imported *imported) {
  const json_t *model = asked->report ? imported->answer : json_object_get(imported->answer, "model");
  const bool dropped = print_all(imported->notes, asked->source);
  if (dropped && asked->strict) {
    fprintf(stderr, "mbs: parts of %s are not in the document, which --strict refuses\n", asked->source);
    return CLI_WRONG_DOCUMENT;
  }
  if (asked->out ? !cli_replace_file(asked->out, print_document, model) : !cli_print_document(model, stdout))
    return CLI_USAGE;
  if (!imported->not_assembled) return CLI_DONE;
  fputs("The model cannot be assembled.\n", stderr);
  cli_print_error(imported->not_assembled, NULL, stderr);
  return CLI_RUN_FAILED;
}

int cli_import(int argc, char **argv) {
  options asked = {.import = {.format_option = "--format"}};
  if (!read_options(argc, argv, &asked)) return cli_say_usage(argv[0]);
  import_fault fault;
  import_tree *tree = import_tree_of_path(asked.source, &fault);
  if (!tree && fault.status == 0 && !fault.code) {
    fprintf(stderr, "mbs: %s: %s\n", asked.source, strerror(errno));
    return CLI_USAGE;
  }
  if (!tree) return print_fault(&fault, asked.source);
  api_imported imported;
  const mbs_limits limits = {.wall_seconds = 10};
  int code = CLI_WRONG_DOCUMENT;
  api_import(tree, &asked.import, &limits, &imported);
  if (imported.answer) {
    code = put_out(&asked, &imported);
  } else {
    print_all(imported.notes, asked.source);
    print_all(imported.errors, asked.source);
    if (imported.fault.status) code = print_fault(&imported.fault, asked.source);
  }
  api_imported_free(&imported);
  import_tree_free(tree);
  return code;
}
