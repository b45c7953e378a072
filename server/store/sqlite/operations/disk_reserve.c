/* disk_reserve.c - see disk_reserve.h. */
#include "server/store/sqlite/operations/disk_reserve.h"

#include "server/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Maximum size of the file `room` [bytes], and divisor of the reserve that gives its size: enough for some removals
 * with their changes. */
static const size_t most_bytes = (size_t)8 << 20, share = 4;
/* Size that the file does not go below while there is as much space [bytes]. A removal writes pages of both databases
 * and of their logs: measured up to 0.5 MB, with 22 MB of results. */
static const size_t least_bytes = (size_t)1 << 20;

static size_t file_bytes(const sqlite_disk_reserve *room) {
  size_t bytes = room->reserve / share;
  return bytes < most_bytes ? bytes : most_bytes;
}

double sqlite_disk_reserve_free(const sqlite_disk_reserve *room) {
  struct statvfs disk;
  if (statvfs(room->folder, &disk) != 0) return -1;
  return (double)disk.f_bavail * (double)disk.f_frsize;
}

bool sqlite_disk_reserve_has(const sqlite_disk_reserve *room, size_t bytes, bool small) {
  double reserve = (double)room->reserve;
  return sqlite_disk_reserve_free(room) - (double)bytes >= (small ? reserve / 2 : reserve);
}

void sqlite_disk_reserve_open(sqlite_disk_reserve *room, const char *folder, size_t reserve) {
  char path[4096];
  *room = (sqlite_disk_reserve){.folder = folder, .reserve = reserve, .file = -1};
  pthread_mutex_init(&room->mutex, NULL);
  if (file_bytes(room) == 0) return;
  snprintf(path, sizeof path, "%s/room", folder);
  room->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (room->file < 0) {
    srv_log(SRV_WARNING, "no_room_kept", (srv_field[]){srv_text("file", path), srv_text("why", strerror(errno)), {0}});
    return;
  }
  struct stat file;
  room->file_size = fstat(room->file, &file) == 0 ? (size_t)file.st_size : 0;
  if (sqlite_disk_reserve_free(room) < (double)file_bytes(room))
    sqlite_disk_reserve_give_up(room);
  else
    sqlite_disk_reserve_keep(room);
}

void sqlite_disk_reserve_close(sqlite_disk_reserve *room) {
  if (room->file >= 0) close(room->file);
  pthread_mutex_destroy(&room->mutex);
}

bool sqlite_disk_reserve_give_up(sqlite_disk_reserve *room) {
  pthread_mutex_lock(&room->mutex);
  bool given = room->file_size > 0 && ftruncate(room->file, 0) == 0;
  if (given) room->file_size = 0;
  pthread_mutex_unlock(&room->mutex);
  if (given)
    srv_log(SRV_WARNING, "disk_full",
            (srv_field[]){srv_text("folder", room->folder), srv_text("do", "delete jobs or other files"), {0}});
  return given;
}

/* Enlarges the file to `bytes` if that leaves the reserve free. Otherwise it gets half of what is left, so that other
 * changes have space, but at least what a removal needs. */
static void keep(sqlite_disk_reserve *room, size_t bytes) {
  const double left = fmax(sqlite_disk_reserve_free(room), 0) + (double)room->file_size;
  if (!sqlite_disk_reserve_has(room, bytes - room->file_size, false))
    bytes = (size_t)fmin((double)bytes, fmax(left / 2, fmin(left, (double)least_bytes)));
  if (bytes > room->file_size && posix_fallocate(room->file, 0, (off_t)bytes) == 0) room->file_size = bytes;
}

void sqlite_disk_reserve_keep(sqlite_disk_reserve *room) {
  pthread_mutex_lock(&room->mutex);
  size_t bytes = file_bytes(room);
  if (room->file >= 0 && room->file_size < bytes) keep(room, bytes);
  pthread_mutex_unlock(&room->mutex);
}
