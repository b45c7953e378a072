/* download_limits.c - see download_limits.h. */
#include "server/base/download_limits.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

/* Gets the free bytes on the folder's disk beyond its reserve. Returns false if unknown. */
static bool free_beyond(const char *folder, uint64_t reserve, uint64_t *bytes) {
  struct statvfs disk;
  if (statvfs(folder, &disk) != 0) return false;
  uint64_t left = (uint64_t)disk.f_bavail * disk.f_frsize;
  *bytes = left > reserve ? left - reserve : 0;
  return true;
}

/* The files of all clients, or of one. */
typedef struct files_count {
  size_t open, making;
  uint64_t bytes;
} files_count;

/* Counts the files of a client (NULL: all clients), with the mutex locked. */
static files_count count(const srv_download_limits *self, const char *client) {
  files_count sum = {0};
  for (size_t i = 0; i < SRV_FILES_OPEN; i++) {
    const srv_download *file = &self->files[i];
    if (!file->open || (client && strcmp(file->client, client) != 0)) continue;
    sum.open++;
    sum.making += file->making;
    sum.bytes += file->bytes;
  }
  return sum;
}

/* Checks the limits, with the mutex locked. `left`: free bytes; NULL: unknown. */
static service_status may_make(const srv_download_limits *self, const uint64_t *left, const srv_download *wanted) {
  files_count all = count(self, NULL), same = count(self, wanted->client);
  /* The bytes of open files are no longer free. */
  uint64_t most = left ? (*left + all.bytes) / SRV_FILES_SHARE : UINT64_MAX;
  if (wanted->bytes > most) return SERVICE_NO_SPACE;
  if (same.making >= SRV_FILES_MAKING_OF_CLIENT || same.open >= SRV_FILES_OPEN_OF_CLIENT) return SERVICE_CLIENT_FULL;
  bool fits = all.making < SRV_FILES_MAKING && all.open < SRV_FILES_OPEN && all.bytes <= most - wanted->bytes;
  return fits ? SERVICE_OK : SERVICE_BUSY;
}

service_status srv_download_limits_acquire(srv_download_limits *self, const char *folder, uint64_t reserve,
                                           const char *client, uint64_t bytes, size_t *loan) {
  srv_download wanted = {.open = true, .making = true, .bytes = bytes};
  snprintf(wanted.client, sizeof wanted.client, "%s", client ? client : "");
  uint64_t left = 0;
  bool known = free_beyond(folder, reserve, &left); /* without the mutex, because a disk may be slow */
  pthread_mutex_lock(&self->mutex);
  service_status status = may_make(self, known ? &left : NULL, &wanted);
  for (*loan = 0; *loan < SRV_FILES_OPEN && self->files[*loan].open;) ++*loan;
  if (status == SERVICE_OK) self->files[*loan] = wanted;
  pthread_mutex_unlock(&self->mutex);
  if (bytes > SRV_FILES_SMALL || (status != SERVICE_CLIENT_FULL && status != SERVICE_BUSY)) return status;
  *loan = SRV_FILES_OPEN;
  return SERVICE_OK;
}

void srv_download_limits_made(srv_download_limits *self, size_t loan) {
  pthread_mutex_lock(&self->mutex);
  assert(loan >= SRV_FILES_OPEN || self->files[loan].open);
  if (loan < SRV_FILES_OPEN) self->files[loan].making = false;
  pthread_mutex_unlock(&self->mutex);
}

void srv_download_limits_release(srv_download_limits *self, size_t loan) {
  pthread_mutex_lock(&self->mutex);
  assert(loan >= SRV_FILES_OPEN || self->files[loan].open);
  if (loan < SRV_FILES_OPEN) self->files[loan].open = false;
  pthread_mutex_unlock(&self->mutex);
}
