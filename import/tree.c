/* tree.c - see tree.h. */
#include "import/tree.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libxml/parser.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct import_tree {
  import_file **files; /* [count] each malloc'd, so that they do not move */
  size_t count, capacity, bytes;
  size_t listed; /* number of files of the source; later ones were read on request */
  int folder;    /* descriptor of the folder that contains the source, if that is a single file; else -1 */
};

enum { PATH_LENGTH = 1024 };

static bool refuse(import_fault *fault, int status, const char *code, const char *file, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static bool refuse(import_fault *fault, int status, const char *code, const char *file, const char *format, ...) {
  *fault = (import_fault){.status = status, .code = code};
  snprintf(fault->file, sizeof fault->file, "%s", file ? file : "");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
  va_end(arguments);
  return false;
}

static bool no_memory(import_fault *fault) { return refuse(fault, 500, "no_memory", NULL, "out of memory"); }

/* ---- paths ------------------------------------------------------------------------------------------------------ */

bool import_path_is_inside(const char *path) {
  if (*path == '/' || *path == '\\' || strlen(path) >= PATH_LENGTH) return false;
  if (path[0] && path[1] == ':') return false; /* a drive of Windows */
  for (const char *part = path; *part;) {
    const size_t length = strcspn(part, "/\\");
    if (length == 2 && strncmp(part, "..", 2) == 0) return false;
    if (part[length] == '\\') return false;
    part += length + (part[length] != 0);
  }
  return true;
}

const char *import_file_text(const import_file *file) {
  return strncmp(file->data, "\xEF\xBB\xBF", 3) == 0 ? file->data + 3 : file->data;
}

size_t import_folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Copies a path without "." and empty parts. */
static void clean_path(const char *path, char out[PATH_LENGTH]) {
  size_t n = 0;
  for (const char *part = path; *part;) {
    const size_t length = strcspn(part, "/");
    if (length > 0 && !(length == 1 && *part == '.')) {
      if (n) out[n++] = '/';
      memcpy(out + n, part, length);
      n += length;
    }
    part += length + (part[length] != 0);
  }
  out[n] = 0;
}

/* ---- lists of files --------------------------------------------------------------------------------------------- */

static import_tree *tree_new(import_fault *fault) {
  import_tree *tree = calloc(1, sizeof *tree);
  if (!tree) no_memory(fault);
  if (tree) tree->folder = -1;
  return tree;
}

void import_tree_free(import_tree *tree) {
  if (!tree) return;
  for (size_t i = 0; i < tree->count; i++) {
    free(tree->files[i]->path);
    free((char *)tree->files[i]->data);
    free(tree->files[i]);
  }
  if (tree->folder >= 0) close(tree->folder);
  free(tree->files);
  free(tree);
}

/* Adds a file of `size` bytes, whose content the caller fills in; a 0 follows it. Returns NULL with the reason in
 * `fault`. */
static char *add_file(import_tree *tree, const char *path, size_t size, import_fault *fault) {
  if (tree->count >= IMPORT_FILES_MAX) {
    refuse(fault, 413, "too_large", path, "the source has more than %d files", IMPORT_FILES_MAX);
    return NULL;
  }
  if (size > IMPORT_BYTES_MAX - tree->bytes) {
    refuse(fault, 413, "too_large", path, "the files of the source have more than %d MiB", IMPORT_BYTES_MAX >> 20);
    return NULL;
  }
  if (tree->count == tree->capacity) {
    const size_t more = tree->capacity ? 2 * tree->capacity : 16;
    import_file **files = realloc(tree->files, more * sizeof *files);
    if (files) tree->files = files;
    if (files) tree->capacity = more;
  }
  import_file *file = malloc(sizeof *file);
  char *name = strdup(path), *data = malloc(size + 1);
  if (!file || !name || !data || tree->count == tree->capacity) {
    free(file);
    free(name);
    free(data);
    no_memory(fault);
    return NULL;
  }
  data[size] = 0;
  *file = (import_file){.path = name, .data = data, .size = size};
  tree->files[tree->count++] = file;
  tree->bytes += size;
  return data;
}

size_t import_tree_count(const import_tree *tree) { return tree->listed; }
const import_file *import_tree_at(const import_tree *tree, size_t index) { return tree->files[index]; }

/* ---- archives --------------------------------------------------------------------------------------------------- */

static bool is_archive(const unsigned char *data, size_t size) {
  return (size >= 4 && memcmp(data, "PK", 2) == 0 && data[2] < 9 && data[3] < 9) ||
         (size >= 2 && data[0] == 0x1f && data[1] == 0x8b) || (size > 262 && memcmp(data + 257, "ustar", 5) == 0);
}

/* Reads the content of an entry, whose size an archive may give wrongly or not at all. */
static bool read_entry(import_tree *tree, struct archive *archive, const char *path, size_t packed,
                       import_fault *fault) {
  size_t size = 0, capacity = 0;
  char *content = NULL;
  for (;;) {
    if (size == capacity) {
      capacity = capacity ? 2 * capacity : 1 << 16;
      char *more = realloc(content, capacity);
      if (!more) free(content);
      if (!more) return no_memory(fault);
      content = more;
    }
    const la_ssize_t got = archive_read_data(archive, content + size, capacity - size);
    size += got > 0 ? (size_t)got : 0;
    const size_t all = tree->bytes + size;
    bool good = true;
    if (got < 0)
      good = refuse(fault, 400, "damaged_archive", path, "the archive is damaged: %s", archive_error_string(archive));
    else if (all > IMPORT_BYTES_MAX)
      good = refuse(fault, 413, "too_large", path, "the unpacked files have more than %d MiB", IMPORT_BYTES_MAX >> 20);
    else if (all > IMPORT_RATIO_FROM && all / IMPORT_RATIO_MAX > packed)
      good = refuse(fault, 413, "too_large", path, "the unpacked files are more than %d times as large as the archive",
                    IMPORT_RATIO_MAX);
    if (good && got > 0) continue;
    char *data = good ? add_file(tree, path, size, fault) : NULL;
    if (data) memcpy(data, content, size);
    free(content);
    return data != NULL;
  }
}

static bool take_entry(import_tree *tree, struct archive *archive, struct archive_entry *entry, size_t packed,
                       import_fault *fault) {
  const char *path = archive_entry_pathname_utf8(entry);
  if (!path) path = archive_entry_pathname(entry);
  char clean[PATH_LENGTH], unnamed[40];
  if (!path) { /* a name that is not ASCII, in a locale without it; no file of a model refers to it */
    snprintf(unnamed, sizeof unnamed, "(unreadable name %zu)", tree->count + 1);
    path = unnamed;
  }
  const bool linked = archive_entry_hardlink(entry) || archive_entry_symlink(entry);
  if (linked) return refuse(fault, 422, "path_refused", path, "'%.200s' is a link; only files are read", path);
  if (!import_path_is_inside(path))
    return refuse(fault, 422, "path_refused", path, "the path '%.200s' leaves the archive", path);
  if (archive_entry_filetype(entry) == AE_IFDIR) return true;
  if (archive_entry_filetype(entry) != AE_IFREG)
    return refuse(fault, 422, "path_refused", path, "'%.200s' is not a file", path);
  if (archive_entry_is_encrypted(entry)) return refuse(fault, 422, "path_refused", path, "'%.200s' is encrypted", path);
  clean_path(path, clean);
  return read_entry(tree, archive, clean, packed, fault);
}

static bool unpack(import_tree *tree, const void *data, size_t size, import_fault *fault) {
  struct archive *archive = archive_read_new();
  if (!archive) return no_memory(fault);
  bool good = archive_read_support_format_zip(archive) == ARCHIVE_OK &&
              archive_read_support_format_tar(archive) == ARCHIVE_OK &&
              archive_read_support_filter_gzip(archive) == ARCHIVE_OK &&
              archive_read_open_memory(archive, data, size) == ARCHIVE_OK;
  if (!good) refuse(fault, 400, "damaged_archive", NULL, "the archive cannot be read");
  while (good) {
    struct archive_entry *entry;
    const int status = archive_read_next_header(archive, &entry);
    if (status == ARCHIVE_EOF) break;
    good = status == ARCHIVE_OK || status == ARCHIVE_WARN;
    if (good)
      good = take_entry(tree, archive, entry, size, fault);
    else
      refuse(fault, 400, "damaged_archive", NULL, "the archive is damaged: %s", archive_error_string(archive));
  }
  archive_read_free(archive);
  if (good && tree->count == 0) return refuse(fault, 422, "unknown_format", NULL, "the archive contains no files");
  return good;
}

/* libarchive asks for the local time zone, which glibc looks up in a file unless TZ is set, and glibc's iconv reads
 * tables, when a file of a zip archive is read: here one whose name is not ASCII. */
void import_prepare(void) {
  static const unsigned char archive[] = {
      0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x21, 0x5c, 0x43, 0xbe, 0xb7, 0xe8,
      0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0xc3, 0xa9, 0x61, 0x50, 0x4b, 0x01,
      0x02, 0x14, 0x03, 0x14, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x21, 0x5c, 0x43, 0xbe, 0xb7, 0xe8, 0x01,
      0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0xc3, 0xa9, 0x50, 0x4b, 0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x01,
      0x00, 0x01, 0x00, 0x30, 0x00, 0x00, 0x00, 0x21, 0x00, 0x00, 0x00, 0x00, 0x00};
  import_fault fault;
  setenv("TZ", "UTC0", 1);
  tzset();
  xmlInitParser();
  import_tree_free(import_tree_of_bytes("", archive, sizeof archive, &fault));
}

import_tree *import_tree_of_bytes(const char *name, const void *data, size_t size, import_fault *fault) {
  import_tree *tree = tree_new(fault);
  if (!tree) return NULL;
  bool good;
  if (is_archive(data, size)) {
    good = unpack(tree, data, size, fault);
  } else {
    char *copy = add_file(tree, name, size, fault);
    good = copy != NULL;
    if (good && size) memcpy(copy, data, size);
  }
  tree->listed = tree->count;
  if (good) return tree;
  import_tree_free(tree);
  return NULL;
}

/* ---- folders ---------------------------------------------------------------------------------------------------- */

/* Reads an open file. Returns false with the reason in `fault`. */
static bool read_file(import_tree *tree, int file, const char *path, size_t size, import_fault *fault) {
  char *data = add_file(tree, path, size, fault);
  size_t done = 0;
  while (data && done < size) {
    const ssize_t got = read(file, data + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += (size_t)got;
  }
  if (data && done < size) return refuse(fault, 0, "unreadable", path, "'%.200s' cannot be read", path);
  return data != NULL;
}

static bool read_folder(import_tree *tree, int folder, const char *at, int depth, import_fault *fault);

static bool read_member(import_tree *tree, int folder, const char *name, const char *path, int depth,
                        import_fault *fault) {
  struct stat about;
  const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 && errno == ELOOP)
    return refuse(fault, 422, "path_refused", path, "'%.200s' is a link; only files are read", path);
  if (file < 0) return refuse(fault, 0, "unreadable", path, "'%.200s' cannot be read", path);
  if (fstat(file, &about) == 0 && S_ISDIR(about.st_mode)) return read_folder(tree, file, path, depth + 1, fault);
  bool good = S_ISREG(about.st_mode);
  if (good)
    good = read_file(tree, file, path, (size_t)about.st_size, fault);
  else
    refuse(fault, 422, "path_refused", path, "'%.200s' is not a file", path);
  close(file);
  return good;
}

/* Reads the files of a folder, whose descriptor it closes. Hidden files are left out. */
static bool read_folder(import_tree *tree, int folder, const char *at, int depth, import_fault *fault) {
  DIR *list = fdopendir(folder);
  if (!list) close(folder);
  if (!list) return no_memory(fault);
  bool good = depth < IMPORT_DEPTH_MAX || refuse(fault, 413, "too_large", at, "folders are nested too deeply");
  for (const struct dirent *entry; good && (entry = readdir(list));) {
    char path[PATH_LENGTH];
    if (*entry->d_name == '.') continue;
    const int length = snprintf(path, sizeof path, "%s%s%s", at, *at ? "/" : "", entry->d_name);
    good = length < (int)sizeof path || refuse(fault, 422, "path_refused", at, "a path is too long");
    good = good && read_member(tree, folder, entry->d_name, path, depth, fault);
  }
  closedir(list);
  return good;
}

static int by_path(const void *a, const void *b) {
  return strcmp((*(import_file *const *)a)->path, (*(import_file *const *)b)->path);
}

/* Opens the folder that contains a file. */
static int folder_of(const char *path) {
  char folder[PATH_LENGTH];
  const size_t length = import_folder_length(path);
  snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 1, length ? path : ".");
  return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Reads a source that is a single file. Unpacks it if it is an archive. */
static import_tree *open_single(import_tree *tree, int file, const char *path, size_t size, import_fault *fault) {
  const char *name = path + import_folder_length(path);
  if (!read_file(tree, file, name, size, fault)) {
    import_tree_free(tree);
    return NULL;
  }
  const import_file *only = tree->files[0];
  if (is_archive((const unsigned char *)only->data, only->size)) {
    import_tree *unpacked = import_tree_of_bytes(name, only->data, only->size, fault);
    import_tree_free(tree);
    return unpacked;
  }
  tree->folder = folder_of(path);
  tree->listed = 1;
  return tree;
}

import_tree *import_tree_of_path(const char *path, import_fault *fault) {
  struct stat about;
  *fault = (import_fault){0};
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &about) != 0) {
    const int why = errno;
    if (file >= 0) close(file);
    errno = why;
    return NULL;
  }
  import_tree *tree = tree_new(fault);
  if (tree && S_ISDIR(about.st_mode)) {
    bool good = read_folder(tree, file, "", 0, fault);
    if (good && tree->count == 0) good = refuse(fault, 422, "unknown_format", path, "the folder contains no files");
    if (tree->count) qsort(tree->files, tree->count, sizeof *tree->files, by_path);
    tree->listed = tree->count;
    if (good) return tree;
    import_tree_free(tree);
    return NULL;
  }
  if (tree) tree = open_single(tree, file, path, (size_t)about.st_size, fault);
  close(file);
  return tree;
}

/* Reads a file at `path` below the folder that contains the source, which is a single file. Does not follow links. */
static const import_file *read_beside(import_tree *tree, const char *path) {
  char part[PATH_LENGTH];
  int folder = tree->folder;
  const import_file *found = NULL;
  for (const char *rest = path; folder >= 0;) {
    const size_t length = strcspn(rest, "/");
    const bool last = rest[length] == 0;
    snprintf(part, sizeof part, "%.*s", (int)length, rest);
    const int next = openat(folder, part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (last ? 0 : O_DIRECTORY));
    if (folder != tree->folder) close(folder);
    folder = next;
    rest += length + !last;
    if (!last || next < 0) continue;
    struct stat about;
    import_fault fault;
    if (fstat(next, &about) == 0 && S_ISREG(about.st_mode) &&
        read_file(tree, next, path, (size_t)about.st_size, &fault))
      found = tree->files[tree->count - 1];
    close(next);
    break;
  }
  return found;
}

const import_file *import_tree_find(import_tree *tree, const char *path) {
  char clean[PATH_LENGTH];
  if (!import_path_is_inside(path)) return NULL;
  clean_path(path, clean);
  for (size_t i = 0; i < tree->count; i++)
    if (strcmp(tree->files[i]->path, clean) == 0) return tree->files[i];
  return *clean && tree->folder >= 0 ? read_beside(tree, clean) : NULL;
}
