/* results.c - see results.h. */
#include "api/resources/results.h"

#include "api/base/hash.h"
#include "api/base/name_list.h"
#include "api/base/values.h"
#include "api/formats/csv.h"
#include "api/formats/json.h"
#include "api/formats/npy.h"
#include "api/formats/table.h"
#include "api/http/body_stream.h"
#include "api/http/fields.h"
#include "api/http/problem.h"
#include "api/resources/result_list.h"
#include "api/resources/result_name.h"
#include "api/resources/row_query.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the list ------------------------------------------------------------------------------------------------ */

/* Returns the units of the columns; "" for each column of an array that was stored without units. */
static json_t *units_json(const service_array *array, const json_t *labels) {
  if (array->units) return api_json_parse(array->units);
  json_t *units = json_array();
  for (size_t i = 0; i < json_array_size(labels); i++) json_array_append_new(units, json_string(""));
  return units;
}

static json_t *array_json(const service_array *array) {
  json_t *labels = api_json_parse(array->labels);
  json_t *shape = json_array();
  for (int i = 0; i < array->rank; i++) json_array_append_new(shape, json_integer((json_int_t)array->shape[i]));
  json_t *object = json_object();
  json_object_set_new(object, "name", api_json_text(array->name));
  json_object_set_new(object, "shape", shape);
  json_object_set_new(object, "units", units_json(array, labels));
  json_object_set_new(object, "labels", labels);
  json_object_set_new(object, "unit", api_json_text(array->unit));
  json_object_set_new(object, "description", api_json_text(array->doc));
  json_object_set_new(object, "timeless", json_boolean(array->timeless));
  return object;
}

void api_results_list(const api_call *call, api_response *response) {
  api_result_list list;
  if (!api_result_list_load(call, response, &list)) return;
  json_t *arrays = json_array();
  for (size_t i = 0; i < list.count; i++) json_array_append_new(arrays, array_json(&list.items[i]));
  json_t *answer = json_object();
  bool complete = api_result_list_is_complete(&list);
  uint64_t checksum = list.count > 0 ? list.items[0].checksum : 0;
  json_object_set_new(answer, "arrays", arrays);
  json_object_set_new(answer, "complete", json_boolean(complete));
  json_object_set_new(answer, "checksum", checksum != 0 ? json_sprintf(SERVICE_CHECKSUM, checksum) : json_null());
  api_respond_json(response, 200, answer);
  api_set_result_headers(response, complete, checksum);
  api_result_list_free(&list);
}

/* ---- the request ---------------------------------------------------------------------------------------------- */

static const api_format *const formats[] = {&api_format_json, &api_format_csv, &api_format_npy};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

/* The preference of Accept for a format. */
typedef struct api_liking {
  int specificity; /* specificity of the matching range: 1 all types, 2 a family, 3 the type itself; 0: no match */
  double quality;
  size_t place; /* position of that range */
} api_liking;

/* Returns how specifically a range matches one of the types "a|b" of a format, as api_liking.specificity. */
static int fit(const char *range, const char *accept) {
  int best = strcmp(range, "*/*") == 0 || strcmp(range, "*") == 0;
  size_t family = strcspn(range, "/");
  api_name_list types;
  api_name_list_split(&types, accept);
  for (size_t i = 0; i < types.count; i++) {
    if (strcasecmp(range, types.items[i]) == 0) return 3;
    if (strcmp(range + family, "/*") == 0 && strncasecmp(range, types.items[i], family + 1) == 0) best = 2;
  }
  return best;
}

/* Considers a range with its parameters, "text/csv;q=0.5". */
static void consider(api_liking liking[], api_field part, size_t place) {
  api_field range, parameter;
  if (!api_field_next(&part, ";", &range)) return;
  char type[64], weight[16];
  snprintf(type, sizeof type, "%.*s", (int)range.length, range.text);
  double quality = 1;
  while (api_field_next(&part, ";", &parameter))
    if (api_field_value(parameter, "q", weight, sizeof weight)) quality = strtod(weight, NULL);
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    int specificity = fit(type, formats[i]->accept);
    if (specificity < liking[i].specificity || specificity == 0) continue;
    if (specificity == liking[i].specificity && !(quality > liking[i].quality)) continue;
    liking[i] = (api_liking){specificity, quality, place};
  }
}

/* Returns the format with the highest weight in Accept; NULL if none is acceptable. For each format the most specific
 * range counts; among equals the first one is chosen (RFC 9110, 12.5.1). Without the header all formats are
 * acceptable. */
static const api_format *format_of_accept(const api_request *request) {
  api_liking liking[FORMAT_COUNT] = {{0}};
  size_t line = 0, places = 0;
  for (const char *accept; (accept = api_field_line(request, "Accept", &line));) {
    api_field rest = {accept, strlen(accept)}, part;
    while (api_field_next(&rest, ",", &part)) consider(liking, part, places++);
  }
  if (places == 0) return formats[0];
  size_t best = FORMAT_COUNT;
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    if (!(liking[i].quality > 0)) continue;
    bool better = best == FORMAT_COUNT || liking[i].quality > liking[best].quality ||
                  (liking[i].quality == liking[best].quality && liking[i].place < liking[best].place);
    if (better) best = i;
  }
  return best < FORMAT_COUNT ? formats[best] : NULL;
}

/* Returns the requested format; NULL after answering that there is none. */
static const api_format *choose_format(const api_call *call, api_response *response) {
  const char *name = api_target_query(&call->target, "format");
  if (!name) {
    const api_format *format = format_of_accept(call->request);
    if (!format)
      api_problem(call, response, API_PROBLEM_NOT_ACCEPTABLE,
                  "The Accept header allows no available format; an array is available as JSON, CSV or .npy");
    return format;
  }
  api_name_list known;
  api_name_list_split(&known, NULL);
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    if (strcmp(formats[i]->name, name) == 0) return formats[i];
    api_name_list_add(&known, formats[i]->name);
  }
  char hint[256];
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "Unknown format '%.60s'; %s", name,
              api_name_list_hint(&known, name, hint, sizeof hint));
  return NULL;
}

/* Reads integers "a:b", both optional. Returns false after answering that they are invalid. */
static bool read_rows(const api_call *call, api_response *response, size_t *from, size_t *to) {
  const char *text = api_target_query(&call->target, "rows");
  *from = 0;
  *to = SIZE_MAX;
  if (!text) return true;
  size_t *ends[] = {from, to};
  bool whole = strchr(text, ':') != NULL;
  for (int k = 0; k < 2 && whole; k++, text++) {
    char *end = (char *)text;
    errno = 0;
    if (*text >= '0' && *text <= '9') *ends[k] = (size_t)strtoull(text, &end, 10);
    whole = errno == 0 && *end == (k == 0 ? ':' : '\0');
    text = end;
  }
  if (!whole)
    api_problem(call, response, API_PROBLEM_BAD_REQUEST,
                "The query parameter rows must be a:b, the rows a to b - 1 counted from 0 (b may be omitted)");
  return whole;
}

/* Reduces the slice to the requested part. Returns false after answering with an error. */
static bool apply_query(const api_call *call, api_response *response, api_slice *slice) {
  double from, to;
  size_t stride, first, end;
  bool by_rows = api_target_query(&call->target, "rows") != NULL;
  if (!api_row_query_time(call, response, "from", &from) || !api_row_query_time(call, response, "to", &to) ||
      !api_row_query_stride(call, response, &stride) || !read_rows(call, response, &first, &end)) {
    return false;
  }
  if (by_rows && !(isnan(from) && isnan(to))) {
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "Use either rows, or from and to, not both");
    return false;
  }
  if (slice->array.timeless && !(isnan(from) && isnan(to))) {
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "The rows of array '%.100s' have no times; omit from and to",
                slice->array.name);
    return false;
  }
  char why[512];
  const char *columns = api_target_query(&call->target, "columns");
  if (columns && !api_slice_choose(slice, columns, why)) {
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "%s", why);
    return false;
  }
  if (by_rows) {
    api_slice_rows(slice, first, end, stride);
    return true;
  }
  service_status status = api_slice_cut(slice, from, to, stride);
  if (status != SERVICE_OK) api_problem_service(call, response, status, "reporting times");
  return status == SERVICE_OK;
}

/* ---- one array ------------------------------------------------------------------------------------------------ */

typedef struct array_source {
  const api_format *format;
  api_slice slice;
  bool begun;
  /* A table of columns of several arrays, and these arrays, which it reads; otherwise empty. */
  api_table table;
  api_result_list list;
} array_source;

static int fill_array(void *context, api_buffer *out) {
  array_source *source = context;
  if (!source->begun) {
    source->begun = true;
    return source->format->begin(&source->slice, out) ? 1 : -1;
  }
  size_t first = source->slice.done;
  ssize_t rows = api_slice_next(&source->slice);
  if (rows < 0) return -1;
  if (rows > 0) return source->format->rows(&source->slice, first, (size_t)rows, out) ? 1 : -1;
  source->format->end(&source->slice, out);
  return 0;
}

static void rest_array(void *context) { api_slice_drop_buffer(&((array_source *)context)->slice); }

/* Returns the number of bytes before the first row in a file of numbers. */
static size_t head_size(const array_source *source) {
  api_buffer head = {0};
  bool good = source->format->begin(&source->slice, &head) && !head.failed;
  size_t size = good ? head.size : 0;
  api_buffer_free(&head);
  return size;
}

/* All rows of a file of numbers have the same size. */
static int64_t seek_array(void *context, uint64_t position) {
  array_source *source = context;
  assert(source->format == &api_format_npy);
  size_t head = head_size(source), row = source->slice.column_count * sizeof(double);
  if (head == 0) return -1;
  source->begun = position >= head;
  if (!source->begun || row == 0) {
    api_slice_seek(&source->slice, 0);
    return (int64_t)(source->begun ? position - head : position);
  }
  api_slice_seek(&source->slice, (size_t)((position - head) / row));
  return (int64_t)((position - head) % row);
}

static void close_array(void *context) {
  array_source *source = context;
  api_slice_close(&source->slice);
  api_table_free(&source->table);
  api_result_list_free(&source->list);
  free(source);
}

static api_source source_of(array_source *source) {
  api_source body = {.context = source, .fill = fill_array, .close = close_array, .rest = rest_array};
  size_t head = source->format == &api_format_npy ? head_size(source) : 0;
  if (head > 0) {
    body.sized = true;
    body.size = head + (uint64_t)source->slice.count * source->slice.column_count * sizeof(double);
    body.seek = seek_array;
  }
  return body;
}

/* Makes the entity tag from job and slice, which determine the bytes: results never change. */
static void make_tag(const array_source *source, char tag[80]) {
  const api_slice *slice = &source->slice;
  uint64_t hash = api_hash(API_HASH_START, source->format->name, strlen(source->format->name) + 1);
  hash = api_hash(hash, slice->array.name, strlen(slice->array.name) + 1);
  const size_t rows[4] = {slice->first, slice->stride, slice->count, slice->chosen};
  hash = api_hash(hash, rows, sizeof rows);
  hash = api_hash(hash, slice->columns, slice->column_count * sizeof *slice->columns);
  snprintf(tag, 80, "%s-%016" PRIx64, slice->id, hash);
}

/* Adds a file name for formats other than JSON, which browsers show. */
static void add_disposition(const api_call *call, api_response *response, const api_slice *slice,
                            const api_format *format) {
  if (format == &api_format_json) return;
  char *model_name = api_result_model_name(call);
  api_result_disposition(response, model_name, slice->id, slice->array.name, format->name);
  free(model_name);
}

/* Compares the data that is to be sent, and its times, with their checksums. */
static bool check_slice(const api_call *call, api_response *response, const api_slice *slice) {
  size_t budget = API_RESULTS_CHECKED, time_column = 0;
  service_array times = {.name = API_TIMES};
  api_call reading = *call;
  reading.service = slice->service; /* a table reads its columns from several arrays */
  return api_results_check(&reading, response, &slice->array, slice->first, slice->stride, slice->count, slice->columns,
                           slice->column_count, &budget) &&
         (slice->array.timeless || api_results_check(call, response, &times, slice->first, slice->stride, slice->count,
                                                     &time_column, 1, &budget));
}

/* Answers with the requested part of the source's slice, and takes ownership of the source. */
static void respond_part(const api_call *call, api_response *response, array_source *source) {
  const api_format *format = source->format;
  bool complete = !source->slice.array.partial, by_run = source->slice.array.by_run;
  size_t rows = source->slice.array.shape[0];
  uint64_t checksum = source->slice.array.checksum;
  char tag[80];
  if (!apply_query(call, response, &source->slice)) {
    close_array(source);
    return;
  }
  make_tag(source, tag);
  if (api_results_unchanged(call, response, complete, checksum, tag)) {
    close_array(source);
  } else if (check_slice(call, response, &source->slice)) {
    add_disposition(call, response, &source->slice, format);
    const api_source body = source_of(source);
    api_respond_source(response, 200, format->type, &body);
  } else {
    close_array(source);
    return;
  }
  api_set_result_headers(response, complete, checksum);
  if (by_run) api_response_header(response, "X-Rows-Complete", "%zu", rows);
  api_response_header(response, "Vary", "Accept");
}

/* Answers with an array, and takes ownership of it. */
static void respond_array(const api_call *call, api_response *response, const api_format *format,
                          service_array *array) {
  array_source *source = calloc(1, sizeof *source);
  if (source) source->format = format;
  if (source && api_slice_open(&source->slice, call->service, call->arguments[0], array)) {
    respond_part(call, response, source);
    return;
  }
  api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
  if (source) close_array(source);
}

static void respond_unknown(const api_call *call, api_response *response, const api_result_list *list) {
  const char **known = calloc(list->count + 1, sizeof *known);
  char hint[512] = "";
  for (size_t i = 0; known && i < list->count; i++) known[i] = list->items[i].name;
  if (known) api_name_hint(known, list->count, call->arguments[1], hint, sizeof hint);
  api_problem(call, response, API_PROBLEM_NOT_FOUND, "There is no array '%.100s'; %s", call->arguments[1], hint);
  free(known);
}

void api_results_get(const api_call *call, api_response *response) {
  const api_format *format = choose_format(call, response);
  api_result_list list;
  if (!format || !api_result_list_load(call, response, &list)) return;
  service_array *array = NULL;
  for (size_t i = 0; i < list.count && !array; i++) {
    if (strcmp(list.items[i].name, call->arguments[1]) == 0) array = &list.items[i];
  }
  if (array)
    respond_array(call, response, format, array);
  else
    respond_unknown(call, response, &list);
  api_result_list_free(&list);
}

/* ---- columns of several arrays --------------------------------------------------------------------------------- */

void api_results_csv(const api_call *call, api_response *response) {
  service_array array = {0};
  array_source *source = calloc(1, sizeof *source);
  if (!source) {
    api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
    return;
  }
  source->format = &api_format_csv;
  if (!api_result_list_load(call, response, &source->list)) {
    free(source);
    return;
  }
  const api_result_list *list = &source->list;
  const bool good = api_table_open(&source->table, call->service, list->items, list->count, &array) &&
                    api_slice_open(&source->slice, &source->table.reader, call->arguments[0], &array);
  service_array_free(&array);
  if (good && source->table.count > 0) {
    if (!api_target_query(&call->target, "columns"))
      api_slice_take(&source->slice, source->table.usual, source->table.usual_count);
    respond_part(call, response, source);
    return;
  }
  if (good)
    api_problem(call, response, API_PROBLEM_NOT_FOUND,
                "Job '%.40s' has no arrays over time; fetch its arrays from results/NAME or results.csv.zip",
                call->arguments[0]);
  else
    api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
  close_array(source);
}
