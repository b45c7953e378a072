/* result_stream.c - see result_stream.h. */
#include "api/jobs/result_stream.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const mbs_array *array) { return array->shape[0] * mbs_array_columns(array) * sizeof(double); }

static size_t most_bytes(const job_hooks *hooks) { return hooks->array_bytes > 0 ? hooks->array_bytes : SIZE_MAX; }

/* Announces an array. Returns NULL, or why it cannot be stored. */
static const char *begin(const job_hooks *hooks, const mbs_array *array) {
  size_t columns = mbs_array_columns(array);
  api_buffer labels = {0}, units = {0};
  api_json_write_texts(array->labels, columns, &labels);
  api_json_write_texts(array->units, columns, &units);
  api_buffer_add(&labels, "", 1);
  api_buffer_add(&units, "", 1);
  bool whole = !labels.failed && !units.failed;
  const char *why = whole ? hooks->array(hooks->context, array, labels.data, units.data) : "out of memory";
  api_buffer_free(&labels);
  api_buffer_free(&units);
  return why;
}

static const char *give(const job_hooks *hooks, size_t position, const mbs_array *array, size_t first, size_t end) {
  return hooks->rows && end > first ? hooks->rows(hooks->context, position, array, first, end - first) : NULL;
}

/* ---- while the job runs ---------------------------------------------------------------------------------------- */

/* Announces the arrays that will be stored for any number of rows. */
static void begin_early(api_result_stream *self) {
  assert(self->begun == 0 && self->given == 0);
  const mbs_result *result = self->result;
  size_t left = most_bytes(self->hooks);
  for (size_t i = 0; i < result->array_count; i++) {
    const mbs_array *array = &result->arrays[i];
    if ((array->timeless && !array->by_run) || bytes_of(array) > left || begin(self->hooks, array)) return;
    left -= bytes_of(array);
    self->begun++;
  }
}

static double time_of(const mbs_result *result, size_t row) {
  const mbs_array *times = mbs_result_array(result, "T");
  return times ? times->data[row] : NAN;
}

/* Passes on finished rows if they are wanted now. */
static void give_rows(api_result_stream *self) {
  const job_hooks *hooks = self->hooks;
  assert(self->given <= self->rows);
  if (self->refused || self->rows == self->given) return;
  if (!hooks->wants_rows || !hooks->wants_rows(hooks->context)) return;
  if (self->given == 0) begin_early(self);
  self->refused = self->begun == 0;
  for (size_t i = 0; i < self->begun && !self->refused; i++)
    self->refused = give(hooks, i, &self->result->arrays[i], self->given, self->rows) != NULL;
  if (self->refused) return;
  self->given = self->rows;
  if (hooks->has_rows) hooks->has_rows(hooks->context, time_of(self->result, self->rows - 1));
}

static void rows_done(void *user, const mbs_result *result, size_t rows) {
  api_result_stream *self = user;
  self->result = result;
  self->rows = rows;
  give_rows(self);
}

/* Rows are also requested during a long step. */
static bool progress(void *user, double t, double fraction, uint64_t evaluations) {
  api_result_stream *self = user;
  give_rows(self);
  return !self->hooks->progress || self->hooks->progress(self->hooks->context, t, self->share * fraction, evaluations);
}

static double now(void *user) {
  const job_hooks *hooks = ((const api_result_stream *)user)->hooks;
  return hooks->now(hooks->context);
}

mbs_hooks api_result_stream_hooks(api_result_stream *self) {
  assert(self->hooks && self->share > 0 && self->share <= 1);
  return (mbs_hooks){.user = self, .progress = progress, .now = self->hooks->now ? now : NULL, .rows = rows_done};
}

/* ---- at its end -------------------------------------------------------------------------------------------------- */

/* Returns the error that says why not all arrays were stored, from the array `first` on. */
static json_t *not_kept(const mbs_result *result, const job_hooks *hooks, size_t first, const char *why) {
  assert(first < result->array_count);
  size_t wanted = 0, rows = 0;
  for (size_t i = 0; i < result->array_count; i++) {
    wanted += bytes_of(&result->arrays[i]);
    if (!result->arrays[i].timeless) rows = result->arrays[i].shape[0];
  }
  char detail[640];
  if (why) {
    snprintf(detail, sizeof detail, "array '%.100s' and the arrays after it could not be stored: %.400s",
             result->arrays[first].name, why);
  } else {
    snprintf(detail, sizeof detail,
             "the result arrays have %zu bytes, but the limit of a job (--result) is %zu; array '%.100s' and the "
             "arrays after it were dropped. Request fewer rows (a larger dt, an earlier t_end) or fewer columns "
             "(points, sensors), or start the service with a larger --result",
             wanted, hooks->array_bytes, result->arrays[first].name);
  }
  json_t *error = api_plain_error_json("results_not_kept", detail);
  json_object_set_new(error, "t", api_json_number(rows > 0 ? time_of(result, rows - 1) : NAN));
  return error;
}

/* Passes on the remaining rows of array number `i`. Returns NULL, or why it cannot be stored. */
static const char *finish_array(const api_result_stream *self, size_t i, const mbs_array *array) {
  bool early = i < self->begun;
  size_t given = early ? self->given : 0;
  if (self->refused && early) return "the service did not accept the rows of the job";
  if (array->shape[0] < given) return "the run removed rows that it had already reported as final";
  const char *why = early ? NULL : begin(self->hooks, array);
  return why ? why : give(self->hooks, i, array, given, array->shape[0]);
}

json_t *api_result_stream_finish(api_result_stream *self, const mbs_result *result) {
  const job_hooks *hooks = self->hooks;
  if (hooks->computed) hooks->computed(hooks->context);
  if (hooks->arrays) hooks->arrays(hooks->context, result->arrays, result->array_count);
  size_t left = most_bytes(hooks);
  for (size_t i = 0; hooks->array && i < result->array_count; i++) {
    const mbs_array *array = &result->arrays[i];
    if (bytes_of(array) > left) return not_kept(result, hooks, i, NULL);
    left -= bytes_of(array);
    const char *why = finish_array(self, i, array);
    if (why) return not_kept(result, hooks, i, why);
  }
  return NULL;
}
