/* results_npz.c - see results_npz.h. */
#include "api/resources/results_npz.h"

#include "api/formats/file_names.h"
#include "api/formats/npz.h"
#include "api/formats/slice.h"
#include "api/http/body_stream.h"
#include "api/http/problem.h"
#include "api/resources/result_list.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct npz_source {
  const service *service;
  char id[SERVICE_ID_SIZE];
  api_result_list list;
  char **files; /* a name each */
  size_t next;  /* array of the list to begin */
  api_npz *npz;
  bool reading; /* the slice is open */
  api_slice slice;
} npz_source;

/* Begins the next array, or ends the archive after the last one. */
static int next_array(npz_source *source) {
  if (source->next == source->list.count) return api_npz_end(source->npz) ? 0 : -1;
  const char *file = source->files[source->next];
  service_array *array = &source->list.items[source->next++];
  source->reading = true; /* an open that failed is closed, too */
  bool fine = api_slice_open(&source->slice, source->service, source->id, array) &&
              api_npz_begin(source->npz, file, source->slice.array.shape, source->slice.array.rank);
  return fine ? 1 : -1;
}

static int fill_npz(void *context, api_buffer *out) {
  npz_source *source = context;
  if (!source->npz) source->npz = api_npz_new(out);
  if (!source->npz) return -1;
  if (!source->reading) return next_array(source);
  ssize_t rows = api_slice_next(&source->slice);
  if (rows < 0) return -1;
  if (rows > 0) {
    return api_npz_add(source->npz, source->slice.block, (size_t)rows * source->slice.column_count) ? 1 : -1;
  }
  api_slice_close(&source->slice);
  source->reading = false;
  return 1;
}

static void close_npz(void *context) {
  npz_source *source = context;
  api_npz_free(source->npz);
  if (source->reading) api_slice_close(&source->slice);
  api_file_names_free(source->files, source->list.count);
  api_result_list_free(&source->list);
  free(source);
}

static bool name_files(npz_source *source) {
  const char **names = calloc(source->list.count + 1, sizeof *names);
  for (size_t i = 0; names && i < source->list.count; i++) names[i] = source->list.items[i].name;
  source->files = names ? api_file_names(names, source->list.count) : NULL;
  free(names);
  return source->files != NULL;
}

/* Compares the arrays, from the first on as many numbers as may take their time now, with their checksums. */
static bool check_arrays(const api_call *call, api_response *response, const npz_source *source) {
  size_t budget = API_RESULTS_CHECKED;
  for (size_t i = 0; i < source->list.count; i++) {
    const service_array *array = &source->list.items[i];
    size_t width = 1;
    for (int k = 1; k < array->rank; k++) width *= array->shape[k];
    size_t *columns = malloc((width + 1) * sizeof *columns);
    for (size_t k = 0; columns && k < width; k++) columns[k] = k;
    bool fine = columns && api_results_check(call, response, array, 0, 1, array->shape[0], columns, width, &budget);
    if (!columns) api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
    free(columns);
    if (!fine) return false;
  }
  return true;
}

void api_results_npz(const api_call *call, api_response *response) {
  npz_source *source = calloc(1, sizeof *source);
  if (!source) {
    api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
    return;
  }
  source->service = call->service;
  snprintf(source->id, sizeof source->id, "%s", call->arguments[0]);
  if (!api_result_list_load(call, response, &source->list)) {
    close_npz(source);
    return;
  }
  bool complete = api_result_list_is_complete(&source->list);
  uint64_t checksum = source->list.count > 0 ? source->list.items[0].checksum : 0;
  if (api_results_unchanged(call, response, complete, checksum, source->id) || !check_arrays(call, response, source)) {
    close_npz(source);
    return;
  }
  if (!name_files(source)) {
    close_npz(source);
    api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
    return;
  }
  const api_source body = {source, fill_npz, close_npz};
  api_respond_source(response, 200, "application/zip", &body);
  api_response_header(response, "Content-Disposition", "attachment; filename=\"results-%s.npz\"", call->arguments[0]);
  api_results_say(response, complete, checksum);
}
