/* data_directory.c - see data_directory.h. */
#include "server/store/sqlite/connection/data_directory.h"

#include "api/base/temp_file.h"
#include "server/base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Permissions for the owner only. */
enum { FOLDER_MODE = 0700, FILE_MODE = 0600, OTHERS = 0077 };

/* Name of the file that marks an unfinished first start of a directory. */
static const char beginning[] = "beginning";

/* ---- making and locking ------------------------------------------------------------------------------------------ */

bool sqlite_data_directory_make(const char *folder) {
  char path[SQLITE_FOLDER_PATH];
  if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  return mkdir(path, FOLDER_MODE) == 0 || errno == EEXIST;
}

int sqlite_data_directory_lock(const char *folder, char message[SQLITE_FOLDER_MESSAGE]) {
  char path[SQLITE_FOLDER_PATH];
  snprintf(path, sizeof path, "%s/lock", folder);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);
  if (file < 0) {
    snprintf(message, SQLITE_FOLDER_MESSAGE, "cannot open %.300s: %s", path, strerror(errno));
    return -1;
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    snprintf(message, SQLITE_FOLDER_MESSAGE, "another daemon is using the folder %.300s", folder);
    close(file);
    return -1;
  }
  return file;
}

bool sqlite_data_directory_lock_moved(const char *folder, int lock) {
  char path[SQLITE_FOLDER_PATH];
  struct stat named, held;
  snprintf(path, sizeof path, "%s/lock", folder);
  if (stat(path, &named) != 0 || fstat(lock, &held) != 0) return true;
  return named.st_ino != held.st_ino || named.st_dev != held.st_dev;
}

bool sqlite_data_directory_sync(const char *folder) {
  int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  bool good = fsync(file) == 0;
  close(file);
  return good;
}

/* ---- permissions ------------------------------------------------------------------------------------------------- */

/* Returns true if a file of this name belongs to the service: a database, one of its side files, the lock, the reserved
 * space (room), or a marker. */
static bool is_ours(const char *name) {
  static const char *const beginnings[] = {"queue.db", "results.db", "lock", "room", "beginning", "backed-up"};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) return true;
  return false;
}

/* If the group or other users have permissions on a file, sets its permissions to `mode` and logs this. */
static void tighten(const char *path, mode_t mode) {
  struct stat state;
  if (stat(path, &state) != 0 || (state.st_mode & OTHERS) == 0) return;
  char was[16];
  snprintf(was, sizeof was, "%04o", (unsigned)(state.st_mode & 07777));
  bool good = chmod(path, mode) == 0;
  srv_log(SRV_WARNING, good ? "permissions_tightened" : "permissions_loose",
          (srv_field[]){
              srv_text("file", path), srv_text("mode", was), srv_text("error", good ? "" : strerror(errno)), {0}});
}

void sqlite_data_directory_sweep(const char *folder) {
  DIR *list = opendir(folder);
  if (!list) return;
  for (const struct dirent *entry; (entry = readdir(list));)
    if (strncmp(entry->d_name, API_TEMP_FILE_PREFIX, strlen(API_TEMP_FILE_PREFIX)) == 0)
      unlinkat(dirfd(list), entry->d_name, 0);
  closedir(list);
}

void sqlite_data_directory_tighten(const char *folder) {
  umask(OTHERS);
  tighten(folder, FOLDER_MODE);
  DIR *list = opendir(folder);
  if (!list) return;
  for (const struct dirent *entry; (entry = readdir(list));) {
    char path[SQLITE_FOLDER_PATH];
    bool fits = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path;
    if (fits && entry->d_type != DT_DIR && is_ours(entry->d_name)) tighten(path, FILE_MODE);
  }
  closedir(list);
}

/* ---- completeness ---------------------------------------------------------------------------------------------- */

static bool has_content(const char *folder, const char *name) {
  char path[SQLITE_FOLDER_PATH];
  struct stat state;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return stat(path, &state) == 0 && state.st_size > 0;
}

static bool is_there(const char *folder, const char *name) {
  char path[SQLITE_FOLDER_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

bool sqlite_data_directory_complete(const char *folder, bool *fresh, char message[SQLITE_FOLDER_MESSAGE]) {
  bool queue = has_content(folder, "queue.db"), results = has_content(folder, "results.db");
  *fresh = (!queue && !results) || is_there(folder, beginning);
  if (*fresh || queue == results) return true;
  const char *lost = queue ? "results.db" : "queue.db", *kept = queue ? "queue.db" : "results.db";
  snprintf(message, SQLITE_FOLDER_MESSAGE,
           "%.200s/%s is %s, but %s exists and needs it. Put %s back, restore both from a backup, or move %s away to "
           "start without its jobs",
           folder, lost, is_there(folder, lost) ? "empty" : "missing", kept, lost, kept);
  return false;
}

bool sqlite_data_directory_begin(const char *folder, char message[SQLITE_FOLDER_MESSAGE]) {
  char path[SQLITE_FOLDER_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, beginning);
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, FILE_MODE);
  bool good = file >= 0 && sqlite_data_directory_sync(folder);
  if (!good) snprintf(message, SQLITE_FOLDER_MESSAGE, "cannot write to the folder %.300s: %s", folder, strerror(errno));
  if (file >= 0) close(file);
  return good;
}

void sqlite_data_directory_made(const char *folder) {
  char path[SQLITE_FOLDER_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, beginning);
  sqlite_data_directory_sync(folder); /* the databases first */
  if (unlink(path) == 0) sqlite_data_directory_sync(folder);
}
