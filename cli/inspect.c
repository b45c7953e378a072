/* inspect.c - mbs inspect: prints how a model was understood and what it costs, to find out why something is slow or
 * unexpected. */
#include "inspect.h"

#include "cli.h"

#include "api/documents/document.h"
#include "api/documents/report_json.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of rows for a test of ranks, which takes long; mbs validate tests them in any case. */
enum { RANKED_ROWS_MAX = 600 };

static const cli_extent abbreviated = {24, 60, 100}, complete = {SIZE_MAX, SIZE_MAX, SIZE_MAX};

typedef struct inspect_options {
  const char *model, *analysis;
  bool all, json;
} inspect_options;

static bool read_options(int argc, char **argv, inspect_options *options) {
  static const struct option known[] = {{"analysis", required_argument, NULL, 'f'},
                                        {"all", no_argument, NULL, 'a'},
                                        {"json", no_argument, NULL, 'j'},
                                        {0}};
  int option;
  while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
    if (option == 'f')
      options->analysis = optarg;
    else if (option == 'a')
      options->all = true;
    else if (option == 'j')
      options->json = true;
    else
      return false;
  }
  if (!cli_takes(argc, argv, "MODEL")) return false;
  options->model = argv[optind];
  return true;
}

const char *cli_other_formulation(const mbs_inspection *inspection) {
  return strcmp(inspection->report->formulation, "body") == 0 ? "joint" : "body";
}

const char *cli_part_name(mbs_part part) {
  static const char *const names[] = {
      [MBS_PART_POSITIONS] = "positions",     [MBS_PART_VELOCITIES] = "velocities",
      [MBS_PART_CONSTRAINTS] = "constraints", [MBS_PART_ACCELERATIONS] = "accelerations",
      [MBS_PART_EVALUATION] = "evaluation",   [MBS_PART_SENSORS] = "sensors",
      [MBS_PART_BINDING] = "binding"};
  return names[part];
}

/* Starts the model and measures the parts from `first` to `last`. */
static void inspect_model(const mbs_model *model, mbs_part first, mbs_part last, cli_inspected *out) {
  out->inspection = mbs_inspect(model);
  for (int part = 0; part < MBS_PART_COUNT; part++) out->costs[part].microseconds = NAN;
  if (!out->inspection) return;
  out->started = out->inspection->report->rows <= RANKED_ROWS_MAX;
  if (out->started) out->status = mbs_inspect_start(out->inspection, &out->error);
  if (out->status != MBS_OK) return;
  for (int part = (int)first; part <= (int)last; part++)
    out->costs[part] = cli_measure(out->inspection, (mbs_part)part);
}

/* Makes a copy of the document in another formulation (NULL: its own); without an analysis it is an assembly. */
static void make_variant(const api_document *document, const char *formulation, api_document *variant) {
  json_t *root = json_copy(document->root), *analysis;
  analysis =
      json_is_object(document->analysis) ? json_copy(document->analysis) : json_pack("{s:s}", "type", "assembly");
  if (formulation) json_object_set_new(analysis, "formulation", json_string(formulation));
  api_document_replace_analysis(root, analysis);
  api_document_adopt(root, variant);
}

/* Builds the model in the other formulation, in which not every document can be built. */
static mbs_model *inspect_other(const api_document *document, const char *formulation, cli_inspected *other) {
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  api_document variant;
  make_variant(document, formulation, &variant);
  mbs_model *model = api_document_build(&variant, &limits, &list);
  if (model) inspect_model(model, MBS_PART_EVALUATION, MBS_PART_EVALUATION, other);
  mbs_diagnostics_free(&list);
  api_document_free(&variant);
  return model;
}

static int print_inspected(const cli_inspected *inspected, const cli_inspected *other, const inspect_options *options) {
  if (options->json) {
    json_t *answer = cli_inspect_json(inspected, other);
    json_dumpf(answer, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(answer);
  } else {
    cli_inspect_print(inspected, other, options->all ? &complete : &abbreviated, stdout);
  }
  if (inspected->status == MBS_OK) return CLI_DONE;
  json_t *error = api_error_json(&inspected->error);
  fflush(stdout);
  cli_print_error(error, NULL, stderr);
  json_decref(error);
  return CLI_RUN_FAILED;
}

static int inspect_document(const api_document *document, const cli_files *files, const inspect_options *options) {
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  cli_inspected inspected = {0}, other = {0};
  api_document variant;
  make_variant(document, NULL, &variant);
  mbs_model *model = api_document_build(&variant, &limits, &list), *second = NULL;
  int code = CLI_WRONG_DOCUMENT;
  if (model) inspect_model(model, MBS_PART_POSITIONS, MBS_PART_BINDING, &inspected);
  if (inspected.inspection) {
    second = inspect_other(document, cli_other_formulation(inspected.inspection), &other);
    code = print_inspected(&inspected, &other, options);
  } else if (model) {
    fputs("mbs: the model is too large for mbs inspect\n", stderr);
    code = CLI_RUN_FAILED;
  }
  cli_print_diagnostics(&list, files);
  mbs_inspection_free(inspected.inspection);
  mbs_inspection_free(other.inspection);
  mbs_model_free(model);
  mbs_model_free(second);
  mbs_diagnostics_free(&list);
  api_document_free(&variant);
  return code;
}

int cli_inspect(int argc, char **argv) {
  inspect_options options = {0};
  if (!read_options(argc, argv, &options)) return cli_say_usage(argv[0]);
  int code;
  cli_files files = {0};
  json_t *root = cli_read_json(options.model, options.analysis, &files, &code);
  if (root) {
    api_document document;
    api_document_adopt(root, &document);
    code = inspect_document(&document, &files, &options);
    api_document_free(&document);
  }
  cli_files_free(&files);
  return code;
}
