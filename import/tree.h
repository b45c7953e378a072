/* tree.h - the files of a source. Paths are relative, with "/" between their parts; none leaves the tree. */
#ifndef IMPORT_TREE_H
#define IMPORT_TREE_H

#include "import/import.h"

typedef struct import_file {
  char *path;
  const char *data; /* `size` bytes and a 0 */
  size_t size;
} import_file;

/* Limits of a source: unpacked bytes of all files, their number, and the ratio of unpacked to packed bytes of archives
 * of more than IMPORT_RATIO_FROM bytes. Models have a few megabytes; meshes are the largest part. */
enum {
  IMPORT_BYTES_MAX = 256 << 20,
  IMPORT_FILES_MAX = 5000,
  IMPORT_RATIO_MAX = 200,
  IMPORT_RATIO_FROM = 4 << 20,
  IMPORT_DEPTH_MAX = 256
};

/* Returns the number of listed files. */
size_t import_tree_count(const import_tree *tree);
const import_file *import_tree_at(const import_tree *tree, size_t index);
/* Returns the file of that path, or NULL. If the source is a single file, reads other files of its folder on
 * request. */
const import_file *import_tree_find(import_tree *tree, const char *path);
/* Returns the text of a file without a byte order mark of UTF-8. */
const char *import_file_text(const import_file *file);
/* Returns the length of the folder in a path, with its last "/"; 0: none. The rest is the name of the file. */
size_t import_folder_length(const char *path);
/* Returns true if a path is relative and stays below its start. */
bool import_path_is_inside(const char *path);

#endif
