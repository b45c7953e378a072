/* run.c - mbs run, mbs study: runs a model, or many runs of it in parallel processes; prints the report and writes the
 * arrays to files. */
#include "api/base/clock.h"
#include "api/base/processors.h"
#include "api/documents/document.h"
#include "api/documents/scene_json.h"
#include "api/formats/csv.h"
#include "api/formats/json.h"
#include "api/jobs/job.h"
#include "arrays.h"
#include "certificate.h"
#include "cli.h"
#include "csv_file.h"
#include "motion.h"
#include "parse.h"
#include "worker_pool.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of processes that a user may request. */
enum { MOST_JOBS = 4096 };

typedef struct run_options {
  const char *model, *analysis, *folder, *csv, *columns, *glb, *certificate;
  bool npz, json;         /* formats of the arrays; neither: CSV */
  const api_format *each; /* format of an array's file; NULL: all arrays in one archive */
  size_t jobs;            /* processes for runs of a study */
} run_options;

/* Reads an integer from 1 to MOST_JOBS. Returns 0 after printing an error. */
static size_t read_jobs(const char *text) {
  char *end;
  unsigned long number = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
  if (number >= 1 && number <= MOST_JOBS && *end == '\0') return number;
  fprintf(stderr, "mbs: --jobs must be an integer from 1 to %d, got '%s'\n", MOST_JOBS, text);
  return 0;
}

/* Sets the format of the arrays. Returns false after printing which options cannot be combined. */
static bool choose_format(run_options *options) {
  options->each = options->npz ? NULL : options->json ? &api_format_json : &api_format_csv;
  if (options->npz && options->json)
    fputs("mbs: --npz and --json cannot be combined; use one of them, or neither for CSV\n", stderr);
  else if ((options->npz || options->json) && !options->folder)
    fprintf(stderr, "mbs: --%s requires --out DIR, the folder for the arrays\n", options->npz ? "npz" : "json");
  else if (options->columns && !options->csv)
    fputs("mbs: --columns requires --csv FILE, the file for these columns\n", stderr);
  else
    return true;
  return false;
}

static bool read_options(int argc, char **argv, const char *names, run_options *options) {
  static const struct option known[] = {{"analysis", required_argument, NULL, 'a'},
                                        {"out", required_argument, NULL, 'o'},
                                        {"npz", no_argument, NULL, 'n'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"csv", required_argument, NULL, 'v'},
                                        {"columns", required_argument, NULL, 'l'},
                                        {"glb", required_argument, NULL, 'g'},
                                        {"jobs", required_argument, NULL, 'J'},
                                        {"certificate", required_argument, NULL, 'c'},
                                        {0}};
  int option;
  options->jobs = api_processors();
  while ((option = getopt_long(argc, argv, "a:o:njc:", known, NULL)) != -1) {
    if (option == 'a')
      options->analysis = optarg;
    else if (option == 'o')
      options->folder = optarg;
    else if (option == 'n')
      options->npz = true;
    else if (option == 'j')
      options->json = true;
    else if (option == 'v')
      options->csv = optarg;
    else if (option == 'l')
      options->columns = optarg;
    else if (option == 'g')
      options->glb = optarg;
    else if (option == 'c')
      options->certificate = optarg;
    else if (option != 'J' || (options->jobs = read_jobs(optarg)) == 0)
      return false;
  }
  if (!cli_takes(argc, argv, names)) return false;
  options->model = argv[optind];
  return choose_format(options);
}

/* The callbacks' data of a run. */
typedef struct run_terminal {
  cli_progress progress;
  cli_arrays *arrays;            /* stored arrays; NULL: none */
  const char *csv;               /* path of the file with columns of several arrays; NULL: none */
  const char *columns;           /* labels of its columns; NULL: coordinates, rates and sensors */
  const char *glb;               /* path of the glTF file; NULL: none */
  json_t *scene;                 /* scene of the model for that file */
  bool csv_written, glb_written; /* the file is there */
  bool file_failed;              /* a file could not be written; the error was printed */
  api_results_digest *digest;    /* digest for the certificate; NULL: no certificate */
  cli_worker_pool *helpers;      /* worker processes; NULL: everything is done in this process */
  json_t *report;                /* report of a single run without a certificate */
} run_terminal;

static void keep_scene(void *context, const mbs_model *model) {
  run_terminal *terminal = context;
  terminal->scene = api_scene_json(model);
}

static bool show_progress(void *context, double t, double fraction, uint64_t evaluations) {
  (void)evaluations;
  run_terminal *terminal = context;
  if (terminal->helpers) cli_worker_pool_poll(terminal->helpers);
  return cli_progress_draw(&terminal->progress, t, fraction);
}

static void begin_study(void *context, size_t runs) {
  run_terminal *terminal = context;
  terminal->progress.runs = runs;
  terminal->progress.started = api_now(NULL);
}

static bool share(void *context, const job_share *share) {
  const run_terminal *terminal = context;
  return cli_worker_pool_share(terminal->helpers, share);
}

static job_shared take_shared(void *context, size_t first, api_block_result *made, double *ahead) {
  const run_terminal *terminal = context;
  return cli_worker_pool_take(terminal->helpers, first, made, ahead);
}

static void end_helpers(void *context) {
  const run_terminal *terminal = context;
  if (terminal->helpers) cli_worker_pool_end(terminal->helpers);
}

static void name_arrays(void *context, const mbs_array *list, size_t count) {
  run_terminal *terminal = context;
  cli_progress_clear(&terminal->progress);
  if (terminal->arrays) cli_arrays_name(terminal->arrays, list, count);
  if (count == 0) return;
  if (terminal->csv) terminal->csv_written = cli_csv_file_write(terminal->csv, terminal->columns, list, count);
  if (terminal->glb) terminal->glb_written = cli_glb_file_write(terminal->glb, terminal->scene, list, count);
  terminal->file_failed = (terminal->csv && !terminal->csv_written) || (terminal->glb && !terminal->glb_written);
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

/* Prints how the job ended, with `report`, which is freed, or that of the outcome. Returns the exit code. */
static int print_outcome(const job_outcome *outcome, json_t *report, const cli_files *files) {
  if (!report && outcome->report) report = json_loads(outcome->report, 0, NULL);
  json_t *error = outcome->error ? json_loads(outcome->error, 0, NULL) : NULL;
  if (report) cli_print_report(report, stdout);
  if (error) {
    fflush(stdout);
    if (report) fprintf(stderr, "\nThe job %s.\n", outcome->status);
    cli_print_error(error, files, stderr);
  }
  int code = strcmp(outcome->status, "succeeded") == 0 ? CLI_DONE : report ? CLI_RUN_FAILED : CLI_WRONG_DOCUMENT;
  cli_release(report);
  json_decref(error);
  return code;
}

/* A document: its value, which is released, its text and its files. */
typedef struct run_source {
  json_t *root;
  const char *text;
  size_t size;
  cli_files files;
  char *asked; /* the text with `certify` set for a certificate; NULL: as it was read */
} run_source;

static int run_document(run_source *source, cli_arrays *arrays, const run_options *options) {
  api_results_digest digest;
  const char *certificate = options->certificate;
  run_terminal terminal = {.arrays = arrays,
                           .csv = options->csv,
                           .columns = options->columns,
                           .glb = options->glb,
                           .digest = certificate ? &digest : NULL};
  if (options->jobs > 1) terminal.helpers = cli_worker_pool_new(options->jobs);
  if (certificate) api_results_digest_begin(&digest);
  const job_hooks hooks = {.context = &terminal,
                           .progress = show_progress,
                           .now = api_now,
                           .built = options->glb ? keep_scene : NULL,
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
  api_document_adopt(source->root, &document);
  source->root = NULL;
  api_job_run_document(&document, &(api_job_source){source->text, source->size, &limits}, &hooks, &outcome);
  cli_worker_pool_free(terminal.helpers);
  cli_progress_clear(&terminal.progress);
  if (arrays && arrays->failed) { /* the error has already been printed */
    free(outcome.error);
    outcome.error = NULL;
  }
  int code = print_outcome(&outcome, terminal.report, &source->files);
  if (terminal.file_failed) code = CLI_USAGE;
  if (terminal.csv_written)
    printf("\n%s: %s\n", options->columns ? "Columns" : "Coordinates, rates and sensors", options->csv);
  if (terminal.glb_written) printf("\nglTF: %s\n", options->glb);
  json_decref(terminal.scene);
  if (certificate && !cli_write_certificate(certificate, source->text, source->size, &outcome, &digest))
    code = CLI_USAGE;
  job_outcome_free(&outcome);
  return code;
}

/* Requests the verification of the run. An invalid document is reported later; for a study the builder reports that it
 * cannot have a certificate. */
static void ask_for_certificate(run_source *source) {
  size_t size = source->size;
  api_document document;
  api_syntax_error error;
  source->asked = cli_certified(source->text, &size, true);
  if (!source->asked || !api_document_parse(source->asked, size, &document, &error)) return;
  json_decref(source->root);
  source->root = document.root;
  source->text = source->asked;
  source->size = size;
}

/* Runs a document, with its arrays into the directory, if there is one. Returns the exit code. */
static int run_to_folder(run_source *source, const run_options *options) {
  if (!options->folder) return run_document(source, NULL, options);
  cli_arrays *arrays = malloc(sizeof *arrays);
  const char *likely = json_object_get(source->root, "study") ? "parameters" : "T";
  if (!arrays || !cli_arrays_open(arrays, options->folder, options->each, likely)) {
    free(arrays);
    return CLI_USAGE;
  }
  int code = run_document(source, arrays, options);
  const bool written = arrays->memory.list != NULL;
  if (!cli_arrays_close(arrays))
    code = CLI_USAGE;
  else if (written)
    printf("\nResults: %s\n", options->folder);
  free(arrays);
  return code;
}

/* Returns true if the document and the options agree with the command; otherwise prints an error. */
static bool is_possible(const json_t *root, const run_options *options, bool study) {
  const bool has_study = json_object_get(root, "study") != NULL;
  if (study && !has_study)
    fprintf(stderr, "mbs: %s is not a study: a study has \"model\" and \"study\"; for a single run use mbs run\n",
            options->model);
  else if (has_study && (options->csv || options->glb))
    fprintf(stderr, "mbs: %s is a study, but %s contains the motion of a single run; use --out DIR\n", options->model,
            options->csv ? "--csv" : "--glb");
  else
    return true;
  return false;
}

int cli_run(int argc, char **argv) {
  run_options options = {0};
  const bool study = strcmp(argv[0], "mbs study") == 0;
  if (!read_options(argc, argv, study ? "FILE" : "MODEL", &options)) return cli_say_usage(argv[0]);
  int code;
  run_source source = {0};
  source.text = cli_read_parsed(options.model, options.analysis, &source.files, &source.size, &source.root, &code);
  if (source.text && !is_possible(source.root, &options, study)) {
    code = CLI_USAGE;
  } else if (source.text) {
    if (options.certificate) ask_for_certificate(&source);
    code = run_to_folder(&source, &options);
  }
  json_decref(source.root);
  free(source.asked);
  cli_files_free(&source.files);
  return code;
}
