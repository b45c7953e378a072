/* fault_vfs.c - a disk that fails, for the unmodified daemon: this library is preloaded (LD_PRELOAD) and placed between
 * SQLite and the files. FAULT_KIND selects the fault, FAULT_AT the write or sync at which it happens (counted from 1
 * over all files), FAULT_COUNT the file that receives the count.
 *
 *     fail   the write fails with an I/O error, once          full   so do the 10 writes after it: the disk is full
 *     short  half of it is written, and an error, once        sync   like `fail`, at the next sync
 *     power  the process ends; unsynced data is lost          torn   like `power`, but some of it is on the disk
 *     lie    like `power`, and earlier syncs had no effect */
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A write or a truncation (without data) that was not synced. */
typedef struct change {
  struct change *next;
  sqlite3_int64 at;
  int size; /* -1: truncation to `at` */
  unsigned char data[];
} change;

/* A file as the process sees it, if the power may fail; the real file contains the synced data. */
typedef struct overlay {
  struct overlay *next;
  char *path;
  unsigned char *data;
  sqlite3_int64 size, capacity;
  change *changes, **last;
} overlay;

typedef struct fault_file {
  sqlite3_file base;
  overlay *over; /* NULL: writes go directly to the real file */
  sqlite3_file *real;
} fault_file;

enum { FULL_FOR = 10 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs *real_vfs, fault_vfs;
static overlay *overlays;
static long count, fault_at;
static const char *kind = "";
static int pending; /* for `sync`: the next one fails */

static int is_kind(const char *name) { return strcmp(kind, name) == 0; }
static int loses_power(void) { return is_kind("power") || is_kind("torn") || is_kind("lie"); }

static void tell_count(void) {
  const char *path = getenv("FAULT_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", count);
  fclose(file);
}

/* ---- the overlay ------------------------------------------------------------------------------------------------- */

static void put(overlay *over, sqlite3_int64 at, const void *data, int size) {
  if (at + size > over->capacity) {
    over->capacity = 2 * (at + size);
    over->data = realloc(over->data, (size_t)over->capacity);
  }
  if (at > over->size) memset(over->data + over->size, 0, (size_t)(at - over->size));
  memcpy(over->data + at, data, (size_t)size);
  if (at + size > over->size) over->size = at + size;
}

static void note(overlay *over, sqlite3_int64 at, const void *data, int size) {
  change *next = calloc(1, sizeof *next + (size < 0 ? 0 : (size_t)size));
  next->at = at;
  next->size = size;
  if (size > 0) memcpy(next->data, data, (size_t)size);
  *over->last = next;
  over->last = &next->next;
}

/* Writes unsynced changes to the real file, each with a chance of `percent`. */
static void settle(overlay *over, sqlite3_file *real, int percent) {
  for (change *next; (next = over->changes);) {
    over->changes = next->next;
    if (rand() % 100 < percent) {
      if (next->size < 0)
        real->pMethods->xTruncate(real, next->at);
      else
        real->pMethods->xWrite(real, next->data, next->size, next->at);
    }
    free(next);
  }
  over->last = &over->changes;
}

static overlay *overlay_of(const char *path, sqlite3_file *real) {
  for (overlay *over = overlays; over; over = over->next)
    if (strcmp(over->path, path) == 0) return over;
  overlay *over = calloc(1, sizeof *over);
  over->path = strdup(path);
  over->last = &over->changes;
  sqlite3_int64 size = 0;
  real->pMethods->xFileSize(real, &size);
  if (size > 0) {
    over->data = malloc((size_t)size);
    over->size = over->capacity = size;
    real->pMethods->xRead(real, over->data, (int)size, 0);
  }
  over->next = overlays;
  overlays = over;
  return over;
}

/* ---- the fault --------------------------------------------------------------------------------------------------- */

static void lose_power(fault_file *file) {
  if (is_kind("torn") && file->over) settle(file->over, file->real, 50);
  tell_count();
  _exit(99);
}

/* Counts a write or a sync. Returns 1 if it must fail. */
static int fails(fault_file *file, int is_sync) {
  count++;
  if (fault_at == 0 || count < fault_at) return 0;
  if (loses_power() && count == fault_at) lose_power(file);
  if (is_kind("full")) return count <= fault_at + FULL_FOR && !is_sync;
  if (count == fault_at && is_kind("sync")) pending = 1;
  if (is_kind("sync")) {
    int now = pending && is_sync;
    if (now) pending = 0;
    return now;
  }
  return count == fault_at;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

#define REAL(file) (((fault_file *)(file))->real)
#define CALL(file, verb, ...) REAL(file)->pMethods->verb(REAL(file), ##__VA_ARGS__)

static int file_close(sqlite3_file *file) { return CALL(file, xClose); }

static int file_read(sqlite3_file *file, void *out, int size, sqlite3_int64 at) {
  overlay *over = ((fault_file *)file)->over;
  if (!over) return CALL(file, xRead, out, size, at);
  pthread_mutex_lock(&mutex);
  int there = at >= over->size ? 0 : over->size - at < size ? (int)(over->size - at) : size;
  if (there > 0) memcpy(out, over->data + at, (size_t)there);
  memset((char *)out + there, 0, (size_t)(size - there));
  pthread_mutex_unlock(&mutex);
  return there == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at) {
  fault_file *self = (fault_file *)file;
  pthread_mutex_lock(&mutex);
  int code = SQLITE_OK;
  if (fails(self, 0)) {
    code = is_kind("full") ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    if (is_kind("short")) CALL(file, xWrite, data, size / 2, at);
  } else if (self->over) {
    put(self->over, at, data, size);
    note(self->over, at, data, size);
  } else {
    code = CALL(file, xWrite, data, size, at);
  }
  pthread_mutex_unlock(&mutex);
  return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  fault_file *self = (fault_file *)file;
  if (!self->over) return CALL(file, xTruncate, size);
  pthread_mutex_lock(&mutex);
  if (size < self->over->size) self->over->size = size;
  note(self->over, size, NULL, -1);
  pthread_mutex_unlock(&mutex);
  return SQLITE_OK;
}

static int file_sync(sqlite3_file *file, int flags) {
  fault_file *self = (fault_file *)file;
  pthread_mutex_lock(&mutex);
  int code = fails(self, 1) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
  if (code == SQLITE_OK && self->over && !is_kind("lie")) settle(self->over, self->real, 100);
  pthread_mutex_unlock(&mutex);
  return code == SQLITE_OK && !self->over ? CALL(file, xSync, flags) : code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  fault_file *self = (fault_file *)file;
  if (!self->over) return CALL(file, xFileSize, size);
  *size = self->over->size;
  return SQLITE_OK;
}

static int file_lock(sqlite3_file *file, int lock) { return CALL(file, xLock, lock); }
static int file_unlock(sqlite3_file *file, int lock) { return CALL(file, xUnlock, lock); }
static int file_reserved(sqlite3_file *file, int *out) { return CALL(file, xCheckReservedLock, out); }

static int file_control(sqlite3_file *file, int verb, void *argument) {
  /* A hint of the future size would change the real file, which the overlay hides. */
  if (((fault_file *)file)->over && verb == SQLITE_FCNTL_SIZE_HINT) return SQLITE_OK;
  return CALL(file, xFileControl, verb, argument);
}

static int sector_size(sqlite3_file *file) { return CALL(file, xSectorSize); }
static int characteristics(sqlite3_file *file) {
  (void)file;
  return 0; /* no guarantees */
}
static int shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **out) {
  return CALL(file, xShmMap, region, size, extend, out);
}
static int shm_lock(sqlite3_file *file, int first, int n, int flags) { return CALL(file, xShmLock, first, n, flags); }
static void shm_barrier(sqlite3_file *file) { CALL(file, xShmBarrier); }
static int shm_unmap(sqlite3_file *file, int drop) { return CALL(file, xShmUnmap, drop); }

static const sqlite3_io_methods methods = {
    .iVersion = 2, /* no memory maps */
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved,
    .xFileControl = file_control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  fault_file *self = (fault_file *)file;
  memset(self, 0, sizeof *self);
  self->real = (sqlite3_file *)(self + 1);
  int code = real_vfs->xOpen(real_vfs, name, self->real, flags, out);
  if (code != SQLITE_OK) return code;
  self->base.pMethods = &methods;
  if (name && loses_power()) {
    pthread_mutex_lock(&mutex);
    self->over = overlay_of(name, self->real);
    pthread_mutex_unlock(&mutex);
  }
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  (void)vfs;
  pthread_mutex_lock(&mutex);
  for (overlay **link = &overlays; *link; link = &(*link)->next) {
    overlay *over = *link;
    if (strcmp(over->path, name) != 0) continue;
    over->size = 0;
    for (change *next; (next = over->changes);) {
      over->changes = next->next;
      free(next);
    }
    over->last = &over->changes;
    break;
  }
  pthread_mutex_unlock(&mutex);
  return real_vfs->xDelete(real_vfs, name, sync);
}

static void __attribute__((constructor)) begin(void) {
  const char *at = getenv("FAULT_AT"), *what = getenv("FAULT_KIND");
  if (!what) return;
  sqlite3_initialize();
  real_vfs = sqlite3_vfs_find(NULL);
  fault_at = at ? atol(at) : 0;
  kind = what;
  srand((unsigned)fault_at);
  fault_vfs = *real_vfs;
  fault_vfs.zName = "fault";
  fault_vfs.szOsFile = (int)sizeof(fault_file) + real_vfs->szOsFile;
  fault_vfs.xOpen = vfs_open;
  fault_vfs.xDelete = vfs_delete;
  sqlite3_vfs_register(&fault_vfs, 1);
}

static void __attribute__((destructor)) end(void) {
  if (count > 0) tell_count();
}
