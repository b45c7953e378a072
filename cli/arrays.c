/* arrays.c - see arrays.h. */
#include "arrays.h"

#include "api/formats/file_names.h"
#include "api/formats/npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The archive file of all arrays. */
#define ARCHIVE "results.npz"

/* Size of a dot, the name of a format and the terminating 0. */
enum { EXTENSION_SIZE = 16 };

bool cli_arrays_open(cli_arrays *arrays, const char *folder, const api_format *each, const char *likely) {
  *arrays = (cli_arrays){.each = each};
  arrays->reader = cli_memory_service(&arrays->memory);
  if (!cli_folder_open(&arrays->folder, folder)) return false;
  char first[64] = ARCHIVE;
  if (each) snprintf(first, sizeof first, "%s.%s", likely, each->name);
  if (cli_folder_may_have(&arrays->folder, first)) return true;
  cli_folder_close(&arrays->folder, false);
  return false;
}

/* Opens the array as a slice of the API. Returns false if memory runs out. */
static bool open_slice(cli_arrays *arrays, const mbs_array *array, const char *labels, const char *units,
                       api_slice *slice) {
  service_array copy = cli_memory_array(array, labels, units);
  return api_slice_open(slice, &arrays->reader, "", &copy);
}

static bool write_file(const cli_arrays *arrays, const char *name, api_slice *slice) {
  FILE *file = cli_folder_file(&arrays->folder, name);
  if (!file) return false;
  bool good = cli_memory_write(arrays->each, slice, file);
  const int reason = errno;
  if (fclose(file) == 0 && good) return true;
  if (!good) errno = reason;
  cli_folder_complain(&arrays->folder, name);
  return false;
}

static bool write_npz(cli_arrays *arrays, const char *name, api_slice *slice) {
  errno = ENOMEM;
  bool good = api_archive_begin(arrays->npz, name, slice);
  while (good) {
    ssize_t rows = api_archive_next(arrays->npz, slice);
    if (rows == 0) return true;
    good = rows > 0 && cli_memory_flush(&arrays->pending, arrays->file);
  }
  cli_folder_complain(&arrays->folder, ARCHIVE);
  return false;
}

/* Returns the names of the files, or of the arrays in an archive; NULL if memory runs out. */
static char **name_files(const cli_arrays *arrays) {
  const char **names = calloc(arrays->memory.count + 1, sizeof *names);
  for (size_t i = 0; names && i < arrays->memory.count; i++) names[i] = arrays->memory.list[i].name;
  char **files = names ? api_unique_names(&api_file_names, names, arrays->memory.count) : NULL;
  free(names);
  for (size_t i = 0; files && arrays->each && i < arrays->memory.count; i++) {
    const size_t length = strlen(files[i]);
    char *whole = realloc(files[i], length + EXTENSION_SIZE);
    if (!whole) {
      api_unique_names_free(files, arrays->memory.count);
      return NULL;
    }
    snprintf(whole + length, EXTENSION_SIZE, ".%s", arrays->each->name);
    files[i] = whole;
  }
  return files;
}

void cli_arrays_name(cli_arrays *arrays, const mbs_array *list, size_t count) {
  static const char *const archive = ARCHIVE;
  arrays->memory = (cli_memory){list, count};
  arrays->files = name_files(arrays);
  const char *const *names = arrays->each ? (const char *const *)arrays->files : &archive;
  arrays->failed = !arrays->files || !cli_folder_replace(&arrays->folder, names, arrays->each ? count : 1);
  if (arrays->failed || arrays->each) return;
  arrays->file = cli_folder_file(&arrays->folder, ARCHIVE);
  arrays->npz = api_archive_new(&arrays->pending, &api_format_npy);
  arrays->failed = !arrays->file || !arrays->npz;
}

bool cli_arrays_add(cli_arrays *arrays, const mbs_array *array, const char *labels, const char *units) {
  if (arrays->failed) return false;
  const char *name = arrays->files[array - arrays->memory.list];
  api_slice slice;
  arrays->failed = !open_slice(arrays, array, labels, units, &slice) ||
                   !(arrays->each ? write_file(arrays, name, &slice) : write_npz(arrays, name, &slice));
  api_slice_close(&slice);
  return !arrays->failed;
}

/* Finishes the archive and closes its file. Returns false after printing an error. */
static bool end_archive(cli_arrays *arrays) {
  errno = ENOMEM;
  bool good = api_archive_end(arrays->npz) && cli_memory_flush(&arrays->pending, arrays->file);
  const int reason = errno;
  bool closed = fclose(arrays->file) == 0;
  if (!good) errno = reason;
  if (!good || !closed) cli_folder_complain(&arrays->folder, ARCHIVE);
  return good && closed;
}

bool cli_arrays_close(cli_arrays *arrays) {
  if (arrays->file && arrays->failed)
    fclose(arrays->file);
  else if (arrays->file)
    arrays->failed = !end_archive(arrays);
  api_archive_free(arrays->npz);
  api_buffer_free(&arrays->pending);
  api_unique_names_free(arrays->files, arrays->memory.count);
  return cli_folder_close(&arrays->folder, !arrays->failed) && !arrays->failed;
}
