#include "model_run.h"

#include "api/documents/document.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

static model_run run_text(const char *text, size_t size) {
  api_document document;
  api_syntax_error syntax;
  mbs_diagnostics list = {0};
  model_run run = {.status = MBS_INVALID};
  if (!api_document_parse(text, size, &document, &syntax))
    fail_msg("line %d, column %d: %s", syntax.line, syntax.column, syntax.detail);
  run.model = api_document_build(&document, &(mbs_limits){0}, &list);
  if (run.model)
    run.status = mbs_run(run.model, NULL, &run.result, &run.error);
  else
    run.error = list.items[0];
  mbs_diagnostics_free(&list);
  api_document_free(&document);
  return run;
}

char *model_run_in(int dim, char *document) {
  if (dim == 2) return document;
  char *spatial = models_in_space(document);
  assert_non_null(spatial);
  free(document);
  return spatial;
}

model_run model_run_text(const char *format, ...) {
  static char text[16384];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  assert_in_range(length, 1, sizeof text - 1);
  return run_text(text, (size_t)length);
}

model_run model_run_merged(const char *one, const char *two) {
  char *text = models_merged(one, two);
  model_run run = run_text(text, strlen(text));
  free(text);
  return run;
}

model_run model_run_with(char *document, char *members) {
  model_run run = model_run_merged(document, members);
  free(document);
  free(members);
  return run;
}

model_run model_run_file(const char *name) {
  static char text[65536];
  char path[256];
  snprintf(path, sizeof path, "models/%s.json", name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  return run_text(text, size);
}

model_run model_run_changed(const char *name, char *changes) {
  char *document = models_named_with(name, changes);
  model_run run = model_run_text("%s", document);
  free(document);
  free(changes);
  model_run_require(&run);
  return run;
}

void model_run_free(model_run *run) {
  mbs_result_free(run->result);
  mbs_model_free(run->model);
}

void model_run_require(const model_run *run) {
  const mbs_error *error = &run->error;
  if (run->status != MBS_OK)
    fail_msg("%s, '%s' at t = %g: %s", mbs_status_code(run->status), error->element, error->time, error->message);
}

double model_run_value(const model_run *run, const char *array, long row, size_t column) {
  const mbs_array *found = run->result ? mbs_result_array(run->result, array) : NULL;
  if (!found) fail_msg("no array %s: %s", array, run->error.message);
  size_t columns = mbs_array_columns(found);
  assert_true(column < columns);
  size_t at = row < 0 ? found->shape[0] - (size_t)-row : (size_t)row;
  assert_true(at < found->shape[0]);
  return found->data[at * columns + column];
}

double model_run_output(const model_run *run, const char *label, long row) {
  const mbs_array *forces = mbs_result_array(run->result, "forces");
  assert_non_null(forces);
  for (size_t k = 0; k < mbs_array_columns(forces); k++)
    if (strcmp(forces->labels[k], label) == 0) return model_run_value(run, "forces", row, k);
  fail_msg("no output %s", label);
  return NAN;
}

static bool is_event(const mbs_event *event, const char *element, const char *kind) {
  return strcmp(event->element, element) == 0 && strcmp(event->kind, kind) == 0;
}

double model_run_event(const model_run *run, const char *element, const char *kind, size_t index) {
  const mbs_report *report = &run->result->report;
  for (size_t i = 0; i < report->event_count; i++)
    if (is_event(&report->events[i], element, kind) && index-- == 0) return report->events[i].t;
  return NAN;
}

size_t model_run_events(const model_run *run, const char *element, const char *kind) {
  const mbs_report *report = &run->result->report;
  size_t count = 0;
  for (size_t i = 0; i < report->event_count; i++) count += is_event(&report->events[i], element, kind);
  return count;
}
