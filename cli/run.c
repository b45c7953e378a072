/* run.c - mbs run, mbs study: a model, or many runs of it by as many processes as there are processors, to the report
 * on the terminal and the arrays in files. */
#include "api/documents/document.h"
#include "api/formats/csv.h"
#include "api/formats/json.h"
#include "api/jobs/job.h"
#include "arrays.h"
#include "certificate.h"
#include "cli.h"
#include "helpers.h"
#include "parse.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: mbs %s %s.json [--analysis FILE] [--out DIR] [--npz | --json] [--jobs N] "
                            "[--certificate FILE]\n";

/* Most processes that one may ask for. */
enum { MOST_JOBS = 4096 };

typedef struct run_options {
  const char *model, *analysis, *folder, *certificate;
  const api_format *each; /* of the file of an array; NULL: all in one archive */
  size_t jobs;            /* processes that make runs of a study */
} run_options;

/* A whole number from 1 to MOST_JOBS; 0: it is none. */
static size_t read_jobs(const char *text) {
  char *end;
  unsigned long number = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
  if (number >= 1 && number <= MOST_JOBS && *end == '\0') return number;
  fprintf(stderr, "mbs: --jobs is a whole number from 1 to %d, not '%s'\n", MOST_JOBS, text);
  return 0;
}

static bool read_options(int argc, char **argv, run_options *options) {
  static const struct option known[] = {{"analysis", required_argument, NULL, 'a'},
                                        {"out", required_argument, NULL, 'o'},
                                        {"npz", no_argument, NULL, 'n'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"jobs", required_argument, NULL, 'J'},
                                        {"certificate", required_argument, NULL, 'c'},
                                        {0}};
  int option;
  options->each = &api_format_csv;
  options->jobs = cli_processors();
  while ((option = getopt_long(argc, argv, "a:o:njc:", known, NULL)) != -1) {
    if (option == 'a')
      options->analysis = optarg;
    else if (option == 'o')
      options->folder = optarg;
    else if (option == 'n')
      options->each = NULL;
    else if (option == 'j')
      options->each = &api_format_json;
    else if (option == 'c')
      options->certificate = optarg;
    else if (option != 'J' || (options->jobs = read_jobs(optarg)) == 0)
      return false;
  }
  if (optind != argc - 1) return false;
  options->model = argv[optind];
  return options->folder || options->each == &api_format_csv;
}

/* What a run talks to. */
typedef struct run_terminal {
  cli_progress progress;
  cli_arrays *arrays;         /* NULL: they are not kept */
  api_results_digest *digest; /* NULL: there is no certificate */
  cli_helpers *helpers;       /* NULL: all is done in this process */
  json_t *report;             /* of one run, unless there is a certificate */
} run_terminal;

static bool show_progress(void *context, double t, double fraction, uint64_t evaluations) {
  (void)evaluations;
  run_terminal *terminal = context;
  if (terminal->helpers) cli_helpers_look(terminal->helpers);
  return cli_progress_draw(&terminal->progress, t, fraction);
}

static double now(void *context) {
  (void)context;
  return cli_now();
}

static void begin_study(void *context, size_t runs) {
  run_terminal *terminal = context;
  terminal->progress.runs = runs;
  terminal->progress.started = cli_now();
}

static bool share(void *context, const job_share *share) {
  const run_terminal *terminal = context;
  return cli_helpers_share(terminal->helpers, share);
}

static job_shared take_shared(void *context, size_t first, api_block_result *made, double *ahead) {
  const run_terminal *terminal = context;
  return cli_helpers_take(terminal->helpers, first, made, ahead);
}

static void end_helpers(void *context) {
  const run_terminal *terminal = context;
  if (terminal->helpers) cli_helpers_end(terminal->helpers);
}

static void name_arrays(void *context, const mbs_array *list, size_t count) {
  const run_terminal *terminal = context;
  if (terminal->arrays) cli_arrays_name(terminal->arrays, list, count);
}

static const char *keep_array(void *context, const mbs_array *array, const char *labels, const char *units) {
  run_terminal *terminal = context;
  cli_progress_clear(&terminal->progress);
  if (terminal->digest) cli_digest_array(terminal->digest, array);
  if (!terminal->arrays || cli_arrays_add(terminal->arrays, array, labels, units)) return NULL;
  return "its file cannot be written";
}

static void keep_report(void *context, json_t *report) {
  run_terminal *terminal = context;
  terminal->report = report;
}

/* Prints how the job ended, with its report, which is freed, or that of the outcome; returns the exit code. */
static int print_outcome(const job_outcome *outcome, json_t *report) {
  if (!report && outcome->report) report = json_loads(outcome->report, 0, NULL);
  json_t *error = outcome->error ? json_loads(outcome->error, 0, NULL) : NULL;
  if (report) cli_print_report(report, stdout);
  if (error) {
    fflush(stdout);
    if (report) fprintf(stderr, "\nThe job %s.\n", outcome->status);
    cli_print_error(error, stderr);
  }
  int code = strcmp(outcome->status, "succeeded") == 0 ? CLI_DONE : report ? CLI_RUN_FAILED : CLI_WRONG_DOCUMENT;
  cli_release(report);
  json_decref(error);
  return code;
}

/* A document, its value, which is taken over, and its text. */
static int run_document(json_t *root, const char *text, size_t size, cli_arrays *arrays, const run_options *options) {
  api_results_digest digest;
  const char *certificate = options->certificate;
  run_terminal terminal = {.arrays = arrays, .digest = certificate ? &digest : NULL};
  if (options->jobs > 1) terminal.helpers = cli_helpers_new(options->jobs);
  if (certificate) api_results_digest_begin(&digest);
  const job_hooks hooks = {.context = &terminal,
                           .progress = show_progress,
                           .now = now,
                           .study = begin_study,
                           .share = terminal.helpers ? share : NULL,
                           .shared = take_shared,
                           .computed = end_helpers,
                           .arrays = name_arrays,
                           .report = certificate ? NULL : keep_report,
                           .array = keep_array};
  const mbs_limits limits = {0};
  job_outcome outcome;
  api_document document;
  api_document_adopt(root, &document);
  api_job_run_document(&document, &(api_job_source){text, size, &limits}, &hooks, &outcome);
  cli_helpers_free(terminal.helpers);
  cli_progress_clear(&terminal.progress);
  int code = print_outcome(&outcome, terminal.report);
  if (certificate && !cli_write_certificate(certificate, text, size, &outcome, &digest)) code = CLI_USAGE;
  job_outcome_free(&outcome);
  return code;
}

/* Has the run examined; what is no document is told later. Of a study the builder says that it cannot be. */
static char *ask_for_certificate(json_t **root, char *text, size_t *size) {
  char *asked = cli_certified(text, size, true);
  if (!asked) return text;
  api_document document;
  api_syntax_error error;
  if (!api_document_parse(asked, *size, &document, &error)) {
    free(asked);
    return text;
  }
  json_decref(*root);
  *root = document.root;
  free(text);
  return asked;
}

int cli_run(int argc, char **argv) {
  run_options options = {0};
  bool study = strcmp(argv[0], "study") == 0;
  if (!read_options(argc, argv, &options)) {
    fprintf(stderr, usage, argv[0], study ? "FILE" : "MODEL");
    return CLI_USAGE;
  }
  int code;
  size_t size;
  json_t *root;
  char *text = cli_read_parsed(options.model, options.analysis, &size, &root, &code);
  if (!text) {
    json_decref(root);
    return code;
  }
  if (study && !json_object_get(root, "study")) {
    fprintf(stderr, "mbs: %s has no \"study\" beside its \"model\"; mbs run runs it once\n", options.model);
    json_decref(root);
    free(text);
    return CLI_USAGE;
  }
  if (options.certificate) text = ask_for_certificate(&root, text, &size);
  cli_arrays *arrays = options.folder ? malloc(sizeof *arrays) : NULL;
  if (arrays && !cli_arrays_open(arrays, options.folder, options.each)) {
    json_decref(root);
    code = CLI_USAGE;
  } else {
    code = run_document(root, text, size, arrays, &options);
  }
  if (arrays && !cli_arrays_close(arrays) && code == CLI_DONE) {
    fprintf(stderr, "mbs: the results could not be written to %s\n", options.folder);
    code = CLI_RUN_FAILED;
  }
  if (arrays && code != CLI_USAGE && code != CLI_WRONG_DOCUMENT) printf("\nResults: %s\n", options.folder);
  free(arrays);
  free(text);
  return code;
}
