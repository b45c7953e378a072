/* mat.c - see mat.h. libmatio writes the file; it needs all numbers of a variable at once, in column-major order.
 * Threads: libmatio's only global state is the function that receives its messages; Debian's libhdf5 is thread-safe (a
 * test checks it). */
#include "api/formats/mat.h"

#include "api/base/utf16.h"
#include "api/formats/column_major.h"
#include "api/formats/mat_names.h"

#include <hdf5.h>
#include <matio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Largest amount of numbers in version 5 [bytes]: it counts bytes with 31 bits, and the descriptions also need
 * space. */
static const uint64_t version_5_bytes = 2000000000;

typedef struct mat_writer {
  const api_result_set *set;
  mat_t *mat;
  char **names;   /* of the variables */
  matvar_t *told; /* info.arrays */
} mat_writer;

/* Errors are returned as status; the library must not write to standard error. */
static void take_message(int level, char *message) { (void)level, (void)message; }
__attribute__((constructor)) static void be_quiet(void) { Mat_LogInitFunc("mbsd", take_message); }

/* ---- structures -------------------------------------------------------------------------------------------------- */

static matvar_t *new_text(const char *text) {
  size_t size = strlen(text);
  uint16_t *units = malloc((size + 1) * sizeof *units);
  if (!units) return NULL;
  size_t count = api_utf16(text, units);
  size_t shape[2] = {count > 0, count};
  matvar_t *variable = Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF16, 2, shape, units, 0);
  free(units);
  return variable;
}

/* Adds a field to a structure, which then owns `value`. Returns false if memory runs out. */
static bool add_field(matvar_t *structure, const char *name, matvar_t *value) {
  if (!structure || !value) return Mat_VarFree(value), false;
  return Mat_VarAddStructField(structure, name) == 0 && (Mat_VarSetStructFieldByName(structure, name, 0, value), true);
}

static matvar_t *new_structure(const char *name) {
  size_t one[2] = {1, 1};
  return Mat_VarCreateStruct(name, 2, one, NULL, 0);
}

/* Returns a cell for each column, in the shape of a row: with two indices, {j,k} belongs to A(:,j,k). */
static matvar_t *new_cells(const api_slice *slice, const char *(*text)(const api_slice *slice, size_t column)) {
  const service_array *array = &slice->array;
  size_t shape[2] = {array->rank > 1 ? array->shape[1] : 1, 1}, count = slice->column_count;
  for (int i = 2; i < array->rank; i++) shape[1] *= array->shape[i];
  matvar_t **cells = calloc(count + 1, sizeof *cells);
  bool fine = cells != NULL;
  for (size_t k = 0; fine && k < count; k++)
    fine = (cells[k / shape[1] + k % shape[1] * shape[0]] = new_text(text(slice, k))) != NULL;
  matvar_t *variable = fine ? Mat_VarCreate(NULL, MAT_C_CELL, MAT_T_CELL, 2, shape, cells, 0) : NULL;
  for (size_t k = 0; cells && !variable && k < count; k++) Mat_VarFree(cells[k]); /* otherwise the variable owns them */
  free(cells);
  return variable;
}

static matvar_t *new_entry(const api_slice *slice) {
  const service_array *array = &slice->array;
  matvar_t *entry = new_structure(NULL);
  bool fine = add_field(entry, "name", new_text(array->name)) &&
              add_field(entry, "unit", new_text(array->unit ? array->unit : "")) &&
              add_field(entry, "description", new_text(array->doc ? array->doc : "")) &&
              add_field(entry, "labels", new_cells(slice, api_slice_label)) &&
              add_field(entry, "units", new_cells(slice, api_slice_unit));
  if (fine) return entry;
  Mat_VarFree(entry);
  return NULL;
}

static bool write_variable(const mat_writer *writer, matvar_t *variable) {
  bool fine = variable && Mat_VarWrite(writer->mat, variable, MAT_COMPRESSION_NONE) == 0;
  Mat_VarFree(variable);
  return fine;
}

/* Writes `info`, which then owns info.arrays. */
static bool write_info(mat_writer *writer) {
  matvar_t *info = new_structure(API_MAT_INFO), *told = writer->told;
  writer->told = NULL;
  bool fine = add_field(info, "arrays", told) && add_field(info, "job_id", new_text(writer->set->id)) &&
              add_field(info, "model_name", new_text(writer->set->model_name)) &&
              add_field(info, "version", new_text(writer->set->version));
  if (fine) return write_variable(writer, info);
  Mat_VarFree(info);
  return false;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static bool write_numbers(const mat_writer *writer, const char *name, const api_slice *slice,
                          const api_column_major *turned) {
  size_t shape[API_RANK_MAX + 1] = {0, 1};
  int rank = api_slice_shape(slice, shape);
  if (rank == 1) rank = 2; /* a column vector */
  return write_variable(
      writer, Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, rank, shape, turned->numbers, MAT_F_DONT_COPY_DATA));
}

static service_status write_array(const mat_writer *writer, const char *name, service_array *array) {
  const api_result_set *set = writer->set;
  api_slice slice;
  api_column_major turned = {0};
  service_status status = SERVICE_FAILED;
  if (api_slice_open(&slice, set->service, set->id, array) && add_field(writer->told, name, new_entry(&slice)))
    status = api_column_major_open(&turned, &slice, &set->scratch);
  if (status == SERVICE_OK && !write_numbers(writer, name, &slice, &turned)) status = SERVICE_FAILED;
  api_column_major_close(&turned);
  api_slice_close(&slice);
  return status;
}

static service_status write_all(mat_writer *writer) {
  const api_result_set *set = writer->set;
  writer->told = new_structure(NULL);
  if (!writer->told) return SERVICE_FAILED;
  for (size_t i = 0; i < set->count; i++) {
    service_status status = write_array(writer, writer->names[i], &set->arrays[i]);
    if (status != SERVICE_OK) return status;
  }
  return write_info(writer) ? SERVICE_OK : SERVICE_FAILED;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static mat_t *create(const api_result_set *set, const char *path, bool hdf5) {
  /* The header text has no time, so that the same job gives the same bytes. */
  char text[128];
  snprintf(text, sizeof text, "MATLAB %s MAT-file, written by mbsd %.20s, job %.40s", hdf5 ? "7.3" : "5.0",
           set->version, set->id);
  return Mat_CreateVer(path, text, hdf5 ? MAT_FT_MAT73 : MAT_FT_MAT5);
}

/* libmatio does not check whether its writes succeed: the disk space is reserved before it begins. */
static service_status fill(mat_writer *writer, int file) {
  const api_result_set *set = writer->set;
  uint64_t numbers = api_result_set_bytes(set->arrays, set->count);
  bool room = api_temp_file_reserve(&set->scratch, file, api_result_set_max_bytes(set->arrays, set->count));
  service_status status = room ? write_all(writer) : SERVICE_NO_SPACE;
  Mat_VarFree(writer->told);
  bool closed = Mat_Close(writer->mat) == 0;
  if (status == SERVICE_OK && (!closed || api_temp_file_size(file) < numbers)) return SERVICE_FAILED;
  return status;
}

bool api_mat_needs_hdf5(const service_array *arrays, size_t count) {
  return api_result_set_bytes(arrays, count) > version_5_bytes;
}

service_status api_mat_make_version(const api_result_set *set, bool hdf5, int *file) {
  mat_writer writer = {.set = set, .names = api_result_set_names(set->arrays, set->count, &api_mat_names)};
  char path[API_TEMP_FILE_PATH_SIZE];
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* for this thread */
  *file = writer.names ? api_temp_file_open_named(&set->scratch, path) : -1;
  service_status status = SERVICE_FAILED;
  if (*file >= 0) {
    writer.mat = create(set, path, hdf5);
    unlink(path);
    if (writer.mat) status = fill(&writer, *file);
  }
  api_unique_names_free(writer.names, set->count);
  if (status != SERVICE_OK && *file >= 0) close(*file);
  return status;
}

service_status api_mat_make(const api_result_set *set, int *file) {
  return api_mat_make_version(set, api_mat_needs_hdf5(set->arrays, set->count), file);
}
