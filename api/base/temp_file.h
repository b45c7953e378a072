/* temp_file.h - temporary files that nobody else sees, for what has to be written before it can be read. */
#ifndef API_BASE_TEMP_FILE_H
#define API_BASE_TEMP_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* How the names of those begin that have one. */
#define API_TEMP_FILE_PREFIX ".mbsd-scratch-"

enum { API_TEMP_FILE_PATH_SIZE = 4096 };

typedef struct api_temp_file {
  const char *folder; /* NULL: the one that TMPDIR names, else /tmp */
  uint64_t keep;      /* bytes of its disk that are to be left free */
} api_temp_file;

/* An open file that has no name: it is gone when it is closed, however that comes about. -1 where there can be none. */
int api_temp_file_open(const api_temp_file *scratch);
/* One that has a name, `path`, for libraries which open files by their names. The caller unlinks it as soon as they
 * have. */
int api_temp_file_open_named(const api_temp_file *scratch, char path[API_TEMP_FILE_PATH_SIZE]);
/* Sets the disk's room for `bytes` of the file aside, so that writing them cannot fail for want of it. False where
 * there is not as much beside what is to be left free. */
bool api_temp_file_reserve(const api_temp_file *scratch, int file, uint64_t bytes);
/* The size of an open file; 0 where it cannot be told. */
uint64_t api_temp_file_size(int file);

#endif
