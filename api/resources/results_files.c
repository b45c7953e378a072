/* results_files.c - see results_files.h. */
#include "api/resources/results_files.h"

#include "api/formats/archive.h"
#include "api/formats/csv.h"
#include "api/formats/file_names.h"
#include "api/formats/h5.h"
#include "api/formats/mat.h"
#include "api/formats/npy.h"
#include "api/http/body_stream.h"
#include "api/http/problem.h"
#include "api/resources/result_list.h"
#include "api/resources/result_name.h"
#include "mbs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A kind of file. */
typedef struct files_kind {
  const char *extension, *type;
  const api_format *archived;                                   /* format of each array in a ZIP file, or ... */
  service_status (*make)(const api_result_set *set, int *file); /* ... function that makes the file */
  bool (*changes)(const service_array *arrays, size_t count);   /* returns true if its bytes vary; NULL: never */
  bool turns;                                                   /* numbers are on the disk twice while it is made */
} files_kind;

static const files_kind npz = {"npz", "application/zip", &api_format_npy, NULL, NULL, false};
static const files_kind csv_zip = {"csv.zip", "application/zip", &api_format_csv, NULL, NULL, false};
/* HDF5 objects made by libmatio contain times. */
static const files_kind mat = {"mat", "application/x-matlab-data", NULL, api_mat_make, api_mat_needs_hdf5, true};
static const files_kind h5 = {"h5", "application/x-hdf5", NULL, api_h5_make, NULL, false};

/* Returns true if the service is shutting down: a long download would be interrupted. */
static bool service_ends(const service *from) {
  char reason[SERVICE_REASON_SIZE];
  return from->ready(from->context, reason) == SERVICE_DRAINING;
}

static void refuse(const api_call *call, api_response *response, const files_kind *kind, service_status status) {
  char what[80];
  response->header_count = 0; /* a problem has no tag */
  snprintf(what, sizeof what, "results of job '%.40s'", call->arguments[0]);
  if (status == SERVICE_DAMAGED)
    api_problem_service(call, response, status, what);
  else if (status == SERVICE_NO_SPACE)
    api_problem(call, response, API_PROBLEM_NO_SPACE,
                "Not enough free disk space to create results.%s; request results.npz, which needs no disk space",
                kind->extension);
  else if (status == SERVICE_CLIENT_FULL)
    api_problem(call, response, API_PROBLEM_TOO_MANY_REQUESTS,
                "The number of your result files that are being created or sent has reached the limit of one client; "
                "try again later, or request results.npz, which is not limited");
  else if (status == SERVICE_BUSY)
    api_problem(call, response, API_PROBLEM_UNAVAILABLE,
                "Too many result files are being created or sent; try again later, or request results.npz, which is "
                "not limited");
  else if (service_ends(call->service))
    api_problem(call, response, API_PROBLEM_DRAINING, "The service is shutting down");
  else
    api_problem(call, response, API_PROBLEM_INTERNAL, "results.%s could not be created from the results of job '%.40s'",
                kind->extension, call->arguments[0]);
}

/* ---- archives, streamed ------------------------------------------------------------------------------------------ */

typedef struct archive_source {
  const service *service;
  char id[SERVICE_ID_SIZE];
  const api_format *format;
  api_result_list list;
  char **files; /* one name for each */
  size_t next;  /* next array of the list */
  api_archive *archive;
  bool reading; /* the slice is open */
  api_slice slice;
} archive_source;

/* Begins the next array, or finishes the archive after the last one. */
static int next_array(archive_source *source) {
  assert(source->next <= source->list.count && !source->reading);
  if (source->next == source->list.count) return api_archive_end(source->archive) ? 0 : -1;
  const char *file = source->files[source->next];
  service_array *array = &source->list.items[source->next++];
  source->reading = true; /* a slice that failed to open must be closed too */
  bool fine = api_slice_open(&source->slice, source->service, source->id, array) &&
              api_archive_begin(source->archive, file, &source->slice);
  return fine ? 1 : -1;
}

static int fill_archive(void *context, api_buffer *out) {
  archive_source *source = context;
  if (!source->archive) source->archive = api_archive_new(out, source->format);
  if (!source->archive) return -1;
  if (!source->reading) return next_array(source);
  ssize_t rows = api_archive_next(source->archive, &source->slice);
  if (rows != 0) return rows > 0 ? 1 : -1;
  api_slice_close(&source->slice);
  source->reading = false;
  return 1;
}

/* Each file of an archive ends with a checksum of its content: everything before `position` must be produced too. */
static int64_t seek_archive(void *context, uint64_t position) {
  const archive_source *source = context;
  return source->archive ? -1 : (int64_t)position;
}

static void rest_archive(void *context) {
  archive_source *source = context;
  if (source->reading) api_slice_drop_buffer(&source->slice);
}

static void close_archive(void *context) {
  archive_source *source = context;
  api_archive_free(source->archive);
  if (source->reading) api_slice_close(&source->slice);
  api_unique_names_free(source->files, source->list.count);
  api_result_list_free(&source->list);
  free(source);
}

/* Answers with an archive, and takes ownership of the list. */
static void respond_archive(const api_call *call, api_response *response, const files_kind *kind,
                            api_result_list *list) {
  archive_source *source = calloc(1, sizeof *source);
  char **files = source ? api_result_set_names(list->items, list->count, &api_file_names) : NULL;
  if (!files) {
    free(source);
    api_result_list_free(list);
    refuse(call, response, kind, SERVICE_FAILED);
    return;
  }
  *source = (archive_source){.service = call->service, .format = kind->archived, .list = *list, .files = files};
  snprintf(source->id, sizeof source->id, "%s", call->arguments[0]);
  api_source body = {.context = source, .fill = fill_archive, .close = close_archive, .rest = rest_archive};
  body.size = api_archive_size(kind->archived, files, list->items, list->count);
  body.sized = body.size > 0;
  if (body.sized) body.seek = seek_archive;
  api_respond_source(response, 200, kind->type, &body);
}

/* ---- files, made ------------------------------------------------------------------------------------------------- */

/* Returns an upper bound of the disk space. */
static uint64_t room_of(const files_kind *kind, const api_result_list *list) {
  uint64_t numbers = kind->turns ? api_result_set_bytes(list->items, list->count) : 0;
  return api_result_set_max_bytes(list->items, list->count) + numbers;
}

/* Requests permission for a temporary file, before anything is read. Returns false if it is refused. Without a limit no
 * notification is set. */
static bool borrow(const api_call *call, api_response *response, const files_kind *kind, const api_result_list *list,
                   api_file_lender *lender) {
  const service *from = call->service;
  *lender = (api_file_lender){0};
  if (!kind->make || !from->borrow_file) return true;
  size_t loan;
  service_status status = from->borrow_file(from->context, call->request->client, room_of(kind, list), &loan);
  if (status == SERVICE_OK)
    *lender = (api_file_lender){from->return_file, from->context, loan};
  else
    refuse(call, response, kind, status);
  return status == SERVICE_OK;
}

static void give_back(const api_file_lender *lender) {
  if (lender->closed) lender->closed(lender->context, lender->loan);
}

/* Answers with a file; takes ownership of the list and the loan. */
static void respond_made(const api_call *call, api_response *response, const files_kind *kind, const char *model_name,
                         api_result_list *list, const api_file_lender *lender) {
  const api_result_set set = {.service = call->service,
                              .id = call->arguments[0],
                              .model_name = model_name,
                              .version = MBS_VERSION,
                              .arrays = list->items,
                              .count = list->count,
                              .scratch = {call->service->scratch_folder, call->service->scratch_keep}};
  int file = -1;
  service_status status = kind->make(&set, &file);
  api_result_list_free(list);
  if (status == SERVICE_OK) {
    api_respond_file(response, 200, kind->type, file, api_temp_file_size(file), lender);
    return;
  }
  give_back(lender);
  refuse(call, response, kind, status);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* Results never change once the job has finished, but another version may write them differently. Returns true after
 * answering that the client has them. */
static bool is_known(const api_call *call, api_response *response, const files_kind *kind, const api_result_list *list,
                     uint64_t checksum) {
  char tag[80];
  snprintf(tag, sizeof tag, "%s-%s-%s", call->arguments[0], kind->extension, MBS_VERSION);
  bool changes = kind->changes && kind->changes(list->items, list->count);
  return !changes && api_results_unchanged(call, response, api_result_list_is_complete(list), checksum, tag);
}

/* Makes the file and answers; takes ownership of the list and the loan. */
static void respond_file(const api_call *call, api_response *response, const files_kind *kind, api_result_list *list,
                         const api_file_lender *lender) {
  char *model_name = api_result_model_name(call);
  if (kind->make)
    respond_made(call, response, kind, model_name ? model_name : "", list, lender);
  else
    respond_archive(call, response, kind, list);
  if (response->status == 200) api_result_disposition(response, model_name, call->arguments[0], NULL, kind->extension);
  free(model_name);
}

/* Checks the results and answers; takes ownership of the list. The service counts the file as being made until this
 * function ends. */
static void check_and_respond(const api_call *call, api_response *response, const files_kind *kind,
                              api_result_list *list) {
  api_file_lender lender;
  if (!borrow(call, response, kind, list, &lender)) {
    api_result_list_free(list);
    return;
  }
  if (api_results_check_all(call, response, list)) {
    respond_file(call, response, kind, list, &lender);
  } else {
    api_result_list_free(list);
    give_back(&lender);
  }
  if (lender.closed) call->service->file_made(call->service->context, lender.loan);
}

static void respond(const api_call *call, api_response *response, const files_kind *kind) {
  api_result_list list;
  if (!api_result_list_load(call, response, &list)) return;
  bool complete = api_result_list_is_complete(&list);
  uint64_t checksum = list.count > 0 ? list.items[0].checksum : 0;
  if (is_known(call, response, kind, &list, checksum))
    api_result_list_free(&list);
  else
    check_and_respond(call, response, kind, &list);
  if (response->status < 400) api_set_result_headers(response, complete, checksum);
}

void api_results_npz(const api_call *call, api_response *response) { respond(call, response, &npz); }
void api_results_csv_zip(const api_call *call, api_response *response) { respond(call, response, &csv_zip); }
void api_results_mat(const api_call *call, api_response *response) { respond(call, response, &mat); }
void api_results_h5(const api_call *call, api_response *response) { respond(call, response, &h5); }
