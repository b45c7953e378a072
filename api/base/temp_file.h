/* temp_file.h - private temporary files, for data that must be written before it can be read. */
#ifndef API_BASE_TEMP_FILE_H
#define API_BASE_TEMP_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* Prefix of the names of named temporary files. */
#define API_TEMP_FILE_PREFIX ".mbsd-scratch-"

enum { API_TEMP_FILE_PATH_SIZE = 4096 };

typedef struct api_temp_file {
  const char *folder; /* NULL: the directory in TMPDIR, else /tmp */
  uint64_t keep;      /* bytes of its disk that must remain free */
} api_temp_file;

/* Opens a file without a name, which the system removes when it is closed or the process ends. Returns -1 on
 * failure. */
int api_temp_file_open(const api_temp_file *scratch);
/* Opens a file with a name, `path`, for libraries that open files by name. The caller unlinks it as soon as they have
 * opened it. Returns -1 on failure. */
int api_temp_file_open_named(const api_temp_file *scratch, char path[API_TEMP_FILE_PATH_SIZE]);
/* Reserves disk space for `bytes` of the file, so that writing them cannot fail. Returns false if that would leave less
 * than `keep` bytes of the disk free. */
bool api_temp_file_reserve(const api_temp_file *scratch, int file, uint64_t bytes);
/* Returns the size of an open file; 0 if it cannot be read. */
uint64_t api_temp_file_size(int file);

#endif
