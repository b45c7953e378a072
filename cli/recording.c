/* recording.c - see recording.h. */
#include "recording.h"

#include "api/base/clock.h"
#include "api/documents/document.h"
#include "api/documents/scene_json.h"
#include "api/jobs/job.h"
#include "cli.h"
#include "saved_arrays.h"

#include <stdlib.h>
#include <string.h>

/* A document: its text, its files and the model of it. */
typedef struct built {
  cli_files files;
  api_document document;
  const char *text;
  size_t size;
  mbs_model *model;
} built;

/* Builds the model of a file. Returns false after printing an error; `code` is then the exit code. */
static bool build(const char *path, const char *analysis, built *out, int *code) {
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  json_t *root;
  *out = (built){.text = NULL};
  out->text = cli_read_parsed(path, analysis, &out->files, &out->size, &root, code);
  if (!out->text) return false;
  api_document_adopt(root, &out->document);
  out->model = api_document_build(&out->document, &limits, &list);
  *code = CLI_WRONG_DOCUMENT;
  cli_print_diagnostics(&list, &out->files);
  mbs_diagnostics_free(&list);
  return out->model != NULL;
}

static void built_free(built *self) {
  mbs_model_free(self->model);
  api_document_free(&self->document);
  cli_files_free(&self->files);
}

/* The callbacks' data of a run. */
typedef struct shown_run {
  cli_progress progress;
  cli_recording recording;
  cli_show show;
  void *context;
  bool failed; /* it could not be shown */
} shown_run;

static bool show_progress(void *context, double t, double fraction, uint64_t evaluations) {
  (void)evaluations;
  return cli_progress_draw(&((shown_run *)context)->progress, t, fraction);
}

static void show_arrays(void *context, const mbs_array *list, size_t count) {
  shown_run *run = context;
  cli_progress_clear(&run->progress);
  run->recording.list = list;
  run->recording.count = count;
  run->failed = count > 0 && !run->show(run->context, &run->recording);
}

/* Runs the model and shows its arrays. Returns the exit code. */
static int run_model(built *source, cli_show show, void *context) {
  const mbs_limits limits = {0};
  const char *name = api_document_name(&source->document);
  shown_run run = {.recording = {.title = name ? name : ""}, .show = show, .context = context};
  run.recording.scene = api_scene_json(source->model);
  const job_hooks hooks = {.context = &run, .progress = show_progress, .now = api_now, .arrays = show_arrays};
  job_outcome outcome;
  api_job_run_model(source->model, &(api_job_source){source->text, source->size, &limits}, &hooks, &outcome);
  cli_progress_clear(&run.progress);
  json_t *error = outcome.error ? json_loads(outcome.error, 0, NULL) : NULL;
  if (error) cli_print_error(error, &source->files, stderr);
  const int code = error ? CLI_RUN_FAILED : run.failed ? CLI_USAGE : CLI_DONE;
  json_decref(error);
  json_decref(run.recording.scene);
  job_outcome_free(&outcome);
  return code;
}

static int show_model(const cli_recording_source *source, cli_show show, void *context) {
  int code;
  built model;
  if (build(source->path, source->analysis, &model, &code)) {
    if (!model.document.study) {
      code = run_model(&model, show, context);
    } else {
      fprintf(stderr, "mbs: %s is a study, whose results are not a motion\n", source->path);
      code = CLI_USAGE;
    }
  }
  built_free(&model);
  return code;
}

static int show_saved(const cli_recording_source *source, cli_show show, void *context) {
  int code = CLI_USAGE;
  built model = {.text = NULL};
  if (source->model && !build(source->model, NULL, &model, &code)) {
    built_free(&model);
    return code;
  }
  cli_recording recording = {.title = source->path};
  const char *name = model.model ? api_document_name(&model.document) : NULL;
  if (name) recording.title = name;
  if (model.model) recording.scene = api_scene_json(model.model);
  mbs_arena *arena = mbs_arena_new(0);
  recording.list = arena ? cli_saved_arrays(source->path, arena, &recording.count) : NULL;
  code = recording.list && show(context, &recording) ? CLI_DONE : CLI_USAGE;
  mbs_arena_free(arena);
  json_decref(recording.scene);
  built_free(&model);
  return code;
}

int cli_record(const cli_recording_source *source, cli_show show, void *context) {
  if (!cli_is_saved(source->path)) return show_model(source, show, context);
  if (!source->analysis) return show_saved(source, show, context);
  fprintf(stderr, "mbs: --analysis belongs to a model; %s has results\n", source->path);
  return CLI_USAGE;
}
