/* file_faults.c - see file_faults.h. */
#include "server/store/sqlite/connection/file_faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool sqlite_file_fault_init(sqlite_file_fault *self, const char *folder, const char *name) {
  static const char *const endings[SQLITE_FAULT_FILES] = {"", "-wal", "-shm"};
  *self = (sqlite_file_fault){.name = name};
  pthread_mutex_init(&self->mutex, NULL);
  for (size_t i = 0; i < SQLITE_FAULT_FILES; i++) {
    struct stat state;
    if (asprintf(&self->paths[i], "%s/%s%s", folder, name, endings[i]) < 0) {
      self->paths[i] = NULL;
      return false;
    }
    if (stat(self->paths[i], &state) != 0) continue;
    self->files[i].device = state.st_dev;
    self->files[i].number = state.st_ino;
  }
  return true;
}

void sqlite_file_fault_free(sqlite_file_fault *self) {
  for (size_t i = 0; i < SQLITE_FAULT_FILES; i++) free(self->paths[i]);
  pthread_mutex_destroy(&self->mutex);
}

static bool look_at_files(const sqlite_file_fault *self) {
  for (size_t i = 0; i < SQLITE_FAULT_FILES; i++) {
    struct stat state;
    if (self->files[i].number == 0) continue;
    if (stat(self->paths[i], &state) != 0) return true;
    if (state.st_ino != self->files[i].number || state.st_dev != self->files[i].device) return true;
  }
  return false;
}

bool sqlite_file_fault_moved(sqlite_file_fault *self) {
  bool moved = look_at_files(self);
  pthread_mutex_lock(&self->mutex);
  self->moved = moved;
  pthread_mutex_unlock(&self->mutex);
  return moved;
}

/* Returns true if an error concerns the file and not one statement. A full disk is detected by its free space. */
static bool is_of_the_file(int code) {
  switch (code) {
  case SQLITE_PERM:
  case SQLITE_READONLY:
  case SQLITE_IOERR:
  case SQLITE_CANTOPEN:
  case SQLITE_PROTOCOL: return true;
  default: return false;
  }
}

void sqlite_file_fault_locked(sqlite_file_fault *self) {
  pthread_mutex_lock(&self->mutex);
  self->locked = true;
  snprintf(self->trouble, sizeof self->trouble, "%s is locked by another program; stop that program", self->name);
  pthread_mutex_unlock(&self->mutex);
}

void sqlite_file_fault_failed(sqlite_file_fault *self, sqlite3 *handle) {
  int code = sqlite3_errcode(handle) & 0xff;
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) sqlite_file_fault_damaged(self, sqlite3_errmsg(handle));
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) sqlite_file_fault_locked(self);
  if (!is_of_the_file(code)) return;
  pthread_mutex_lock(&self->mutex);
  self->locked = false;
  snprintf(self->trouble, sizeof self->trouble, "%s cannot be written: %.120s", self->name, sqlite3_errmsg(handle));
  pthread_mutex_unlock(&self->mutex);
}

void sqlite_file_fault_worked(sqlite_file_fault *self, bool wrote) {
  pthread_mutex_lock(&self->mutex);
  if (self->locked || wrote) self->trouble[0] = '\0';
  pthread_mutex_unlock(&self->mutex);
}

void sqlite_file_fault_damaged(sqlite_file_fault *self, const char *what) {
  pthread_mutex_lock(&self->mutex);
  if (!self->damage[0])
    snprintf(self->damage, sizeof self->damage,
             "%s is damaged (%.60s): stop the service, run mbsd --check, and restore a backup", self->name, what);
  pthread_mutex_unlock(&self->mutex);
}

void sqlite_file_fault_text(sqlite_file_fault *self, char text[SQLITE_FAULT_TEXT]) {
  pthread_mutex_lock(&self->mutex);
  memcpy(text, self->damage[0] ? self->damage : self->trouble, SQLITE_FAULT_TEXT);
  if (self->moved)
    snprintf(text, SQLITE_FAULT_TEXT,
             "a file of %s was deleted or replaced while the service is running; put it back, or restore a backup and "
             "restart",
             self->name);
  pthread_mutex_unlock(&self->mutex);
}

bool sqlite_file_fault_needs_write(sqlite_file_fault *self) {
  pthread_mutex_lock(&self->mutex);
  bool needed = self->trouble[0] && !self->locked;
  pthread_mutex_unlock(&self->mutex);
  return needed;
}
