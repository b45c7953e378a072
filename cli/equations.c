/* equations.c - mbs equations: prints the equations of a model. */
#include "cli.h"

#include "api/base/values.h"
#include "api/documents/document.h"
#include "api/documents/equations.h"
#include "api/documents/report_json.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct equations_options {
  const char *model, *at, *formulation, *t;
  api_equations_query query;
  bool sparse;
} equations_options;

static bool is_number(const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end > text && !*end && isfinite(value)) return true;
  fprintf(stderr, "mbs: --t must be a time in seconds, got '%s'\n", text);
  return false;
}

static bool are_matrices(const char *only) {
  char problem[300];
  if (api_equations_known(only, problem)) return true;
  fprintf(stderr, "mbs: %s\n", problem);
  return false;
}

static bool read_format(const char *name, api_equations_format *format) {
  *format = api_equations_format_named(name);
  if (*format != API_EQUATIONS_FORMATS) return true;
  fprintf(stderr, "mbs: --format must be text, json, latex or mathml, got '%s'\n", name);
  return false;
}

static bool read_option(int option, equations_options *options) {
  switch (option) {
  case 'f': return read_format(optarg, &options->query.format);
  case 'o': options->query.only = optarg; return are_matrices(optarg);
  case 't': options->t = optarg; return is_number(optarg);
  case 'a': options->at = optarg; break;
  case 'c': options->formulation = optarg; break;
  case 's': options->sparse = true; break;
  default: return false;
  }
  return true;
}

static bool read_options(int argc, char **argv, equations_options *options) {
  static const struct option known[] = {{"format", required_argument, NULL, 'f'},
                                        {"only", required_argument, NULL, 'o'},
                                        {"t", required_argument, NULL, 't'},
                                        {"at", required_argument, NULL, 'a'},
                                        {"formulation", required_argument, NULL, 'c'},
                                        {"sparse", no_argument, NULL, 's'},
                                        {0}};
  int option;
  options->query.format = API_EQUATIONS_TEXT;
  while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
    if (!read_option(option, options)) return false;
  if (!cli_takes(argc, argv, "MODEL")) return false;
  options->model = argv[optind];
  return true;
}

/* Returns the state at which numbers are evaluated: from a file {"t", "q", "v"}, or a time; NULL without either. Sets
 * `code` if the file is invalid. */
static json_t *read_at(const equations_options *options, cli_files *files, int *code) {
  json_t *at = NULL;
  if (options->at) {
    at = cli_read_part(options->at, "/at", files, code);
    if (!at) return NULL;
    *code = CLI_DONE;
  }
  if (!options->t) return at;
  if (!at) at = json_object();
  json_object_set_new(at, "t", json_real(strtod(options->t, NULL)));
  return at;
}

/* Makes the document that the service would receive. */
static void wrap(json_t *root, const equations_options *options, json_t *at, api_document *document) {
  json_t *wrapped = json_object_get(root, "model") ? json_incref(root) : json_pack("{s:O}", "model", root);
  if (at) json_object_set_new(wrapped, "at", at);
  if (options->formulation) json_object_set_new(wrapped, "formulation", json_string(options->formulation));
  if (options->sparse) json_object_set_new(wrapped, "sparse", json_true());
  json_decref(root);
  api_document_adopt(wrapped, document);
}

static int print_equations(api_document *document, const cli_files *files, const equations_options *options) {
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  api_equations_excess excess;
  char *text = api_document_equations(document, &options->query, &limits, &list, &excess);
  if (text) {
    fputs(text, stdout);
  } else if (list.count == 0) {
    fprintf(stderr, "%s%s%s%s\n", excess.detail, excess.fitting[0] ? "; select matrices, for example with --only " : "",
            excess.fitting, excess.fitting[0] ? " --sparse" : "");
  } else {
    cli_print_diagnostics(&list, files);
  }
  free(text);
  mbs_diagnostics_free(&list);
  return text ? CLI_DONE : CLI_WRONG_DOCUMENT;
}

int cli_equations(int argc, char **argv) {
  equations_options options = {0};
  if (!read_options(argc, argv, &options)) return cli_say_usage(argv[0]);
  int code = CLI_DONE;
  cli_files files = {0};
  json_t *root = cli_read_json(options.model, NULL, &files, &code);
  if (root) code = CLI_DONE;
  json_t *at = root ? read_at(&options, &files, &code) : NULL;
  if (root && code == CLI_DONE) {
    api_document document;
    if (!json_object_get(root, "model")) files.list[0].at = "/model";
    wrap(root, &options, at, &document);
    code = print_equations(&document, &files, &options);
    api_document_free(&document);
  } else {
    json_decref(root);
  }
  cli_files_free(&files);
  return code;
}
