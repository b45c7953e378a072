/* arrays.c - see arrays.h. */
#include "arrays.h"

#include "api/formats/file_names.h"
#include "api/formats/npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static service_status read_memory(void *context, const char *id, const char *name, size_t first, size_t stride,
                                  size_t count, const size_t *columns, size_t column_count, double *out) {
  (void)id;
  const cli_arrays *arrays = context;
  for (size_t i = 0; i < arrays->count; i++) {
    const mbs_array *array = &arrays->list[i];
    if (strcmp(array->name, name) != 0) continue;
    for (size_t row = 0; row < count; row++) {
      const double *numbers = array->data + (first + row * stride) * mbs_array_columns(array);
      for (size_t k = 0; k < column_count; k++) *out++ = numbers[columns[k]];
    }
    return SERVICE_OK;
  }
  return SERVICE_NOT_FOUND;
}

static FILE *open_file(const cli_arrays *arrays, const char *name, const char *extension) {
  char path[4096];
  int whole = snprintf(path, sizeof path, "%s/%s%s", arrays->folder, name, extension);
  if (whole < 0 || (size_t)whole >= sizeof path) return NULL;
  FILE *file = fopen(path, "wb");
  if (!file) fprintf(stderr, "mbs: %s: %s\n", path, strerror(errno));
  return file;
}

/* Writes what is pending; false when the file does not take it. */
static bool flush(api_buffer *pending, FILE *file) {
  bool fine = !pending->failed && fwrite(pending->data, 1, pending->size, file) == pending->size;
  pending->size = 0;
  return fine;
}

/* Makes the folder with those it lies in. */
static bool make_folder(const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s", folder);
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool cli_arrays_open(cli_arrays *arrays, const char *folder, const api_format *each) {
  *arrays = (cli_arrays){.folder = folder, .each = each};
  arrays->memory = (service){.context = arrays, .read = read_memory};
  if (!make_folder(folder)) {
    fprintf(stderr, "mbs: %s: %s\n", folder, strerror(errno));
    return false;
  }
  if (each) return true;
  arrays->file = open_file(arrays, "results", ".npz");
  if (!arrays->file) return false;
  arrays->npz = api_archive_new(&arrays->pending, &api_format_npy);
  return arrays->npz != NULL;
}

/* The array as a slice of the API; false when there is no memory. */
static bool open_slice(cli_arrays *arrays, const mbs_array *array, const char *labels, const char *units,
                       api_slice *slice) {
  service_array copy = {.name = strdup(array->name),
                        .unit = strdup(array->unit ? array->unit : ""),
                        .doc = strdup(array->doc ? array->doc : ""),
                        .labels = strdup(labels),
                        .units = units ? strdup(units) : NULL,
                        .rank = array->rank,
                        .timeless = array->timeless};
  memcpy(copy.shape, array->shape, sizeof copy.shape);
  return api_slice_open(slice, &arrays->memory, "", &copy);
}

static bool write_file(const cli_arrays *arrays, const char *name, api_slice *slice) {
  const api_format *format = arrays->each;
  char extension[16];
  snprintf(extension, sizeof extension, ".%s", format->name);
  FILE *file = open_file(arrays, name, extension);
  if (!file) return false;
  api_buffer text = {0};
  bool fine = format->begin(slice, &text) && flush(&text, file);
  while (fine) {
    size_t first = slice->done;
    ssize_t rows = api_slice_next(slice);
    if (rows == 0) break;
    fine = rows > 0 && format->rows(slice, first, (size_t)rows, &text) && flush(&text, file);
  }
  format->end(slice, &text);
  fine = flush(&text, file) && fine;
  api_buffer_free(&text);
  return fclose(file) == 0 && fine;
}

static bool write_npz(cli_arrays *arrays, const char *name, api_slice *slice) {
  bool fine = api_archive_begin(arrays->npz, name, slice);
  while (fine) {
    ssize_t rows = api_archive_next(arrays->npz, slice);
    if (rows == 0) break;
    fine = rows > 0 && flush(&arrays->pending, arrays->file);
  }
  return fine;
}

void cli_arrays_name(cli_arrays *arrays, const mbs_array *list, size_t count) {
  const char **names = calloc(count + 1, sizeof *names);
  for (size_t i = 0; names && i < count; i++) names[i] = list[i].name;
  arrays->list = list;
  arrays->count = count;
  arrays->files = names ? api_unique_names(&api_file_names, names, count) : NULL;
  free(names);
}

bool cli_arrays_add(cli_arrays *arrays, const mbs_array *array, const char *labels, const char *units) {
  if (!arrays->files) return false;
  const char *name = arrays->files[array - arrays->list];
  api_slice slice;
  bool fine = open_slice(arrays, array, labels, units, &slice);
  if (fine) fine = arrays->each ? write_file(arrays, name, &slice) : write_npz(arrays, name, &slice);
  api_slice_close(&slice);
  return fine;
}

bool cli_arrays_close(cli_arrays *arrays) {
  bool fine = true;
  if (arrays->npz) fine = api_archive_end(arrays->npz) && flush(&arrays->pending, arrays->file);
  api_archive_free(arrays->npz);
  api_buffer_free(&arrays->pending);
  api_unique_names_free(arrays->files, arrays->count);
  if (arrays->file) fine = fclose(arrays->file) == 0 && fine;
  return fine;
}
