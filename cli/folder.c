/* folder.c - see folder.h. */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name under which a manifest is written before it replaces the older one. */
#define NEW_MANIFEST CLI_MANIFEST ".new"

/* Creates the directory and its parents. Returns false with the reason in `errno`. */
static bool make_folders(const char *folder) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (char *slash = *path ? strchr(path + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool is_file_name(const char *name) {
  return name && *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Returns the names that a manifest lists; NULL if it is invalid. */
static json_t *listed_names(const json_t *manifest) {
  const char *program = json_string_value(json_object_get(manifest, "program"));
  json_t *files = json_object_get(manifest, "files"), *name;
  size_t i;
  if (!program || strcmp(program, "mbs") != 0 || !json_is_array(files)) return NULL;
  json_array_foreach(files, i, name) if (!is_file_name(json_string_value(name))) return NULL;
  return json_incref(files);
}

/* Reads the manifest, if there is one. Returns false if it cannot be read or is invalid. */
static bool read_manifest(cli_folder *folder) {
  int descriptor = openat(folder->descriptor, CLI_MANIFEST, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return true;
  if (descriptor < 0) {
    cli_folder_complain(folder, CLI_MANIFEST);
    return false;
  }
  json_t *manifest = json_loadfd(descriptor, 0, NULL);
  close(descriptor);
  folder->files = listed_names(manifest);
  json_decref(manifest);
  if (!folder->files)
    fprintf(stderr, "mbs: %s/%s is not a file list of mbs; remove it, or use another folder\n", folder->path,
            CLI_MANIFEST);
  return folder->files != NULL;
}

/* Opens the directory and locks it. Returns false with the reason in `errno`. */
static bool open_locked(cli_folder *folder) {
  if (!make_folders(folder->path)) return false;
  folder->descriptor = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->descriptor < 0 || faccessat(folder->descriptor, ".", W_OK | X_OK, AT_EACCESS) != 0) return false;
  /* A file system without locks is accepted. */
  return flock(folder->descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool cli_folder_open(cli_folder *folder, const char *path) {
  *folder = (cli_folder){.path = path, .descriptor = -1};
  bool good = open_locked(folder);
  if (!good)
    fprintf(stderr, "mbs: %s: %s\n", path,
            errno == EWOULDBLOCK ? "another mbs process is writing to this folder" : strerror(errno));
  if (good && read_manifest(folder)) return true;
  cli_folder_close(folder, false);
  return false;
}

static bool is_listed(const cli_folder *folder, const char *name) {
  size_t i;
  json_t *listed;
  json_array_foreach(folder->files, i, listed) if (strcmp(json_string_value(listed), name) == 0) return true;
  return false;
}

bool cli_folder_may_have(const cli_folder *folder, const char *name) {
  struct stat status;
  if (fstatat(folder->descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || is_listed(folder, name)) return true;
  fprintf(stderr, "mbs: %s/%s exists and is not from an earlier run of mbs; remove it, or use another folder\n",
          folder->path, name);
  return false;
}

/* Replaces the manifest atomically. Returns false on failure. */
static bool write_manifest(const cli_folder *folder, bool complete) {
  json_t *manifest = json_pack("{s:s, s:b, s:O}", "program", "mbs", "complete", complete, "files", folder->files);
  errno = manifest ? 0 : ENOMEM;
  FILE *file = manifest ? cli_folder_file(folder, NEW_MANIFEST) : NULL;
  if (!file) {
    if (!manifest) cli_folder_complain(folder, CLI_MANIFEST);
    json_decref(manifest);
    return false;
  }
  bool good = json_dumpf(manifest, file, 0) == 0 && putc('\n', file) != EOF;
  good = fclose(file) == 0 && good;
  good = good && renameat(folder->descriptor, NEW_MANIFEST, folder->descriptor, CLI_MANIFEST) == 0;
  json_decref(manifest);
  if (good) return true;
  cli_folder_complain(folder, CLI_MANIFEST);
  unlinkat(folder->descriptor, NEW_MANIFEST, 0);
  return false;
}

bool cli_folder_replace(cli_folder *folder, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!cli_folder_may_have(folder, names[i])) return false;
  json_t *older = folder->files, *name;
  json_t *newer = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(newer, json_string(names[i]));
  folder->files = json_copy(newer);
  if (older) json_array_extend(folder->files, older);
  bool good = write_manifest(folder, false);
  size_t i;
  if (good) json_array_foreach(older, i, name) unlinkat(folder->descriptor, json_string_value(name), 0);
  json_decref(folder->files);
  folder->files = newer;
  json_decref(older);
  folder->replaced = good;
  return good;
}

FILE *cli_folder_file(const cli_folder *folder, const char *name) {
  int descriptor = openat(folder->descriptor, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  if (!file) {
    cli_folder_complain(folder, name);
    if (descriptor >= 0) close(descriptor);
  }
  return file;
}

void cli_folder_complain(const cli_folder *folder, const char *name) {
  fprintf(stderr, "mbs: %s/%s: %s\n", folder->path, name, errno ? strerror(errno) : "cannot be written");
}

bool cli_folder_close(cli_folder *folder, bool complete) {
  bool good = !complete || !folder->replaced || write_manifest(folder, true);
  json_decref(folder->files);
  if (folder->descriptor >= 0) close(folder->descriptor);
  *folder = (cli_folder){.descriptor = -1};
  return good;
}
