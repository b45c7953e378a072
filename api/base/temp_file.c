/* temp_file.c - see temp_file.h. */
#include "api/base/temp_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *folder_of(const api_temp_file *scratch) {
  const char *folder = scratch->folder ? scratch->folder : getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

int api_temp_file_open_named(const api_temp_file *scratch, char path[API_TEMP_FILE_PATH_SIZE]) {
  int length = snprintf(path, API_TEMP_FILE_PATH_SIZE, "%s/" API_TEMP_FILE_PREFIX "XXXXXX", folder_of(scratch));
  return length < API_TEMP_FILE_PATH_SIZE ? mkostemp(path, O_CLOEXEC) : -1;
}

int api_temp_file_open(const api_temp_file *scratch) {
  int file = open(folder_of(scratch), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  /* Not all file systems support files without a name. */
  char path[API_TEMP_FILE_PATH_SIZE];
  file = api_temp_file_open_named(scratch, path);
  if (file >= 0) unlink(path);
  return file;
}

bool api_temp_file_reserve(const api_temp_file *scratch, int file, uint64_t bytes) {
  assert(file >= 0);
  struct statvfs disk;
  if (fstatvfs(file, &disk) == 0) {
    uint64_t left = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (left < scratch->keep || left - scratch->keep < bytes) return false;
  }
  int result;
  do result = bytes > 0 ? fallocate(file, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) : 0;
  while (result != 0 && errno == EINTR);
  return result == 0 || errno == EOPNOTSUPP; /* without support for reservation, the check above must suffice */
}

uint64_t api_temp_file_size(int file) {
  struct stat status;
  return fstat(file, &status) == 0 ? (uint64_t)status.st_size : 0;
}
