/* h5.c - see h5.h.
 * Threads: Debian's libhdf5 is thread-safe (a test checks it), but error printing must be disabled in each thread. */
#include "api/formats/h5.h"

#include "api/formats/file_names.h"
#include "api/formats/slice.h"

#include <assert.h>
#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct h5_writer {
  const api_result_set *set;
  hid_t file;
  hid_t text;     /* type of text: UTF-8 of variable length */
  hid_t creation; /* properties for creating datasets */
} h5_writer;

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* Writes texts as an attribute with this data space, which it closes. */
static bool put_texts(const h5_writer *writer, hid_t object, const char *name, hid_t space, const char *const *texts) {
  hid_t attribute = space < 0 ? -1 : H5Acreate2(object, name, writer->text, space, H5P_DEFAULT, H5P_DEFAULT);
  bool fine = attribute >= 0 && H5Awrite(attribute, writer->text, texts) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  return fine;
}

static bool put_text(const h5_writer *writer, hid_t object, const char *name, const char *text) {
  const char *given = text ? text : "";
  return put_texts(writer, object, name, H5Screate(H5S_SCALAR), &given);
}

/* Writes one text for each column, in the shape of a row. */
static bool put_row(const h5_writer *writer, hid_t object, const char *name, const api_slice *slice,
                    const char *(*text)(const api_slice *slice, size_t column)) {
  const service_array *array = &slice->array;
  hsize_t shape[API_RANK_MAX] = {1};
  for (int i = 1; i < array->rank; i++) shape[i - 1] = array->shape[i];
  const char **texts = calloc(slice->column_count + 1, sizeof *texts);
  if (!texts) return false;
  for (size_t k = 0; k < slice->column_count; k++) texts[k] = text(slice, k);
  bool fine =
      put_texts(writer, object, name, H5Screate_simple(array->rank > 1 ? array->rank - 1 : 1, shape, NULL), texts);
  free(texts);
  return fine;
}

static bool tell_array(const h5_writer *writer, hid_t dataset, const api_slice *slice) {
  const service_array *array = &slice->array;
  return put_text(writer, dataset, "name", array->name) && put_text(writer, dataset, "unit", array->unit) &&
         put_text(writer, dataset, "description", array->doc) &&
         put_row(writer, dataset, "labels", slice, api_slice_label) &&
         put_row(writer, dataset, "units", slice, api_slice_unit);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Writes the last rows that were read, those before row slice->done, to the dataset. */
static bool put_rows(hid_t dataset, hid_t space, const api_slice *slice, size_t first) {
  assert(slice->done > first && slice->block);
  size_t shape[API_RANK_MAX];
  hsize_t start[API_RANK_MAX] = {first}, count[API_RANK_MAX] = {slice->done - first};
  int rank = api_slice_shape(slice, shape);
  for (int i = 1; i < rank; i++) count[i] = shape[i];
  hid_t memory = H5Screate_simple(rank, count, NULL);
  bool fine = memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, slice->block) >= 0;
  if (memory >= 0) H5Sclose(memory);
  return fine;
}

static bool put_numbers(hid_t dataset, hid_t space, api_slice *slice) {
  for (;;) {
    size_t first = slice->done;
    ssize_t rows = api_slice_next(slice);
    if (rows == 0) return true;
    if (rows < 0) return false;
    if (slice->column_count > 0 && !put_rows(dataset, space, slice, first)) return false;
  }
}

static bool write_slice(const h5_writer *writer, const char *name, api_slice *slice) {
  size_t shape[API_RANK_MAX];
  hsize_t sizes[API_RANK_MAX];
  int rank = api_slice_shape(slice, shape);
  for (int i = 0; i < rank; i++) sizes[i] = shape[i];
  hid_t space = H5Screate_simple(rank, sizes, NULL);
  hid_t dataset =
      space < 0 ? -1
                : H5Dcreate2(writer->file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, writer->creation, H5P_DEFAULT);
  bool fine = dataset >= 0 && tell_array(writer, dataset, slice) && put_numbers(dataset, space, slice);
  if (dataset >= 0 && H5Dclose(dataset) < 0) fine = false;
  if (space >= 0) H5Sclose(space);
  return fine;
}

static bool write_all(const h5_writer *writer) {
  const api_result_set *set = writer->set;
  char **names = api_result_set_names(set->arrays, set->count, &api_file_names);
  bool fine = names && put_text(writer, writer->file, "job_id", set->id) &&
              put_text(writer, writer->file, "model_name", set->model_name) &&
              put_text(writer, writer->file, "version", set->version);
  for (size_t i = 0; fine && i < set->count; i++) {
    api_slice slice; /* a slice that failed to open must be closed too */
    fine = api_slice_open(&slice, set->service, set->id, &set->arrays[i]) && write_slice(writer, names[i], &slice);
    api_slice_close(&slice);
  }
  api_unique_names_free(names, set->count);
  return fine;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Creates a file for HDF5 1.8 and later, in which attributes may have any size. No times are stored, so that the same
 * job gives the same bytes. */
static hid_t create(const char *path) {
  hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
  if (creation >= 0 && access >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
      H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0)
    file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  if (creation >= 0) H5Pclose(creation);
  if (access >= 0) H5Pclose(access);
  return file;
}

static bool fill(h5_writer *writer) {
  writer->text = H5Tcopy(H5T_C_S1);
  writer->creation = H5Pcreate(H5P_DATASET_CREATE);
  bool fine = writer->text >= 0 && writer->creation >= 0 && H5Tset_size(writer->text, H5T_VARIABLE) >= 0 &&
              H5Tset_cset(writer->text, H5T_CSET_UTF8) >= 0 && H5Pset_obj_track_times(writer->creation, false) >= 0 &&
              H5Pset_fill_time(writer->creation, H5D_FILL_TIME_NEVER) >= 0 && write_all(writer);
  if (writer->text >= 0) H5Tclose(writer->text);
  if (writer->creation >= 0) H5Pclose(writer->creation);
  return fine;
}

service_status api_h5_make(const api_result_set *set, int *file) {
  char path[API_TEMP_FILE_PATH_SIZE];
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* for this thread */
  *file = api_temp_file_open_named(&set->scratch, path);
  if (*file < 0) return SERVICE_FAILED;
  h5_writer writer = {.set = set, .file = create(path)};
  unlink(path);
  service_status status = SERVICE_FAILED;
  if (writer.file >= 0) {
    bool room = api_temp_file_reserve(&set->scratch, *file, api_result_set_max_bytes(set->arrays, set->count));
    status = !room ? SERVICE_NO_SPACE : fill(&writer) ? SERVICE_OK : SERVICE_FAILED;
    if (H5Fclose(writer.file) < 0 && status == SERVICE_OK) status = SERVICE_FAILED;
  }
  if (status != SERVICE_OK) close(*file);
  return status;
}
