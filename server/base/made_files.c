/* made_files.c - see made_files.h. */
#include "server/base/made_files.h"

#include <stdbool.h>
#include <sys/statvfs.h>

/* What is free on the folder's disk beyond its reserve; false where it cannot be told. */
static bool free_beyond(const char *folder, uint64_t reserve, uint64_t *bytes) {
  struct statvfs disk;
  if (statvfs(folder, &disk) != 0) return false;
  uint64_t left = (uint64_t)disk.f_bavail * disk.f_frsize;
  *bytes = left > reserve ? left - reserve : 0;
  return true;
}

/* Under the mutex. */
static service_status may_make(const srv_made_files *self, uint64_t most, uint64_t bytes) {
  if (bytes > most) return SERVICE_NO_SPACE;
  bool fits = self->making < SRV_FILES_MAKING && self->open < SRV_FILES_OPEN && self->bytes <= most - bytes;
  return fits ? SERVICE_OK : SERVICE_BUSY;
}

service_status srv_made_files_borrow(srv_made_files *self, const char *folder, uint64_t reserve, uint64_t bytes) {
  uint64_t left = 0;
  bool known = free_beyond(folder, reserve, &left); /* a disk may take its time: not under the mutex */
  pthread_mutex_lock(&self->mutex);
  /* What those that are open take is not free. */
  uint64_t most = known ? (left + self->bytes) / SRV_FILES_SHARE : UINT64_MAX;
  service_status status = may_make(self, most, bytes);
  if (status == SERVICE_OK) {
    self->making++;
    self->open++;
    self->bytes += bytes;
  }
  pthread_mutex_unlock(&self->mutex);
  return status;
}

void srv_made_files_made(srv_made_files *self) {
  pthread_mutex_lock(&self->mutex);
  self->making--;
  pthread_mutex_unlock(&self->mutex);
}

void srv_made_files_return(srv_made_files *self, uint64_t bytes) {
  pthread_mutex_lock(&self->mutex);
  self->open--;
  self->bytes -= bytes;
  pthread_mutex_unlock(&self->mutex);
}
