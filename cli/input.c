/* input.c - reads documents from files. */
#include "cli.h"
#include "parse.h"
#include "text_position.h"

#include "api/base/buffer.h"
#include "api/base/values.h"
#include "api/documents/document.h"
#include "api/documents/examples.h"
#include "api/documents/report_json.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Prints why a file cannot be opened; for a single word also the most similar example. */
static void say_missing(const char *path) {
  api_example example;
  const bool word = errno == ENOENT && !strpbrk(path, "/.");
  fprintf(stderr, "mbs: %s: %s", path, strerror(errno));
  if (word) fputs(", and there is no such example; ", stderr);
  if (word && api_example_nearest(path, &example)) fprintf(stderr, "did you mean '%s'? ", example.name);
  fputs(word ? "mbs examples lists all names\n" : "\n", stderr);
}

/* Adds the text of the example of that name. Returns false after printing that there is neither a file nor an
 * example. */
static bool add_example(const char *name, api_buffer *text) {
  api_example example;
  bool found = errno == ENOENT && api_example_find(name, &example);
  if (found)
    api_buffer_add(text, example.text, example.size);
  else
    say_missing(name);
  return found;
}

/* Adds the content of a file. Returns false if it cannot be read. */
static bool add_file(FILE *file, api_buffer *text) {
  char piece[16384];
  size_t got;
  while ((got = fread(piece, 1, sizeof piece, file)) > 0) api_buffer_add(text, piece, got);
  const bool good = ferror(file) == 0;
  const int why = errno;
  if (file != stdin) fclose(file);
  errno = why;
  return good;
}

char *cli_read_file(const char *path, size_t *size) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  api_buffer text = {0};
  if (!file && !add_example(path, &text)) return NULL;
  bool good = !file || add_file(file, &text);
  *size = text.size;
  api_buffer_add(&text, "", 1);
  if (good && !text.failed) return text.data;
  if (good || errno != EISDIR)
    fprintf(stderr, "mbs: %s: cannot be read\n", path);
  else
    fprintf(stderr, "mbs: %s is a folder; a file is expected\n", path);
  api_buffer_free(&text);
  return NULL;
}

json_t *cli_read_part(const char *path, const char *at, cli_files *files, int *code) {
  *code = CLI_USAGE;
  cli_file file = {.path = path, .at = at};
  file.text = cli_read_file(path, &file.size);
  if (!file.text) return NULL;
  api_document document;
  api_syntax_error error = {0};
  assert(files->count < CLI_FILES_MAX);
  if (cli_parse(file.text, file.size, &document, &error)) {
    files->list[files->count++] = file;
    return document.root;
  }
  fprintf(stderr, "%s:%d:%d: %s\n", path, error.line, error.column, error.detail);
  *code = CLI_WRONG_DOCUMENT;
  free(file.text);
  return NULL;
}

/* Puts the analysis of a file beside the model of the document, and releases `root`. Returns NULL after printing an
 * error. */
static json_t *put_beside(json_t *root, const char *analysis, cli_files *files, int *code) {
  json_t *model = json_object_get(root, "model"), *study = model ? json_object_get(root, "study") : NULL;
  if (!model) files->list[0].at = "/model";
  json_t *beside = cli_read_part(analysis, "/analysis", files, code);
  json_t *both =
      beside ? json_pack("{s:O, s:o, s:O*}", "model", model ? model : root, "analysis", beside, "study", study) : NULL;
  json_decref(root);
  return both;
}

json_t *cli_read_json(const char *path, const char *analysis, cli_files *files, int *code) {
  json_t *root = cli_read_part(path, "", files, code);
  const int tables = root ? cli_read_tables(root, path) : 0;
  files->filled = tables > 0;
  if (tables < 0) {
    json_decref(root);
    *code = CLI_WRONG_DOCUMENT;
    return NULL;
  }
  return root && analysis ? put_beside(root, analysis, files, code) : root;
}

const char *cli_read_parsed(const char *path, const char *analysis, cli_files *files, size_t *size, json_t **root,
                            int *code) {
  *root = cli_read_json(path, analysis, files, code);
  if (!*root) return NULL;
  *size = files->list[0].size;
  if (!analysis && !files->filled) return files->list[0].text;
  files->whole = json_dumps(*root, JSON_COMPACT);
  if (files->whole) *size = strlen(files->whole);
  return files->whole;
}

void cli_files_free(cli_files *files) {
  for (size_t i = 0; i < files->count; i++) free(files->list[i].text);
  free(files->whole);
  *files = (cli_files){0};
}

/* Prints the position that a pointer of the document refers to, with the pointer there. Returns false if no file
 * contains it. Files that were read later have priority, because their members replace those of earlier ones. */
static bool print_place(const cli_files *files, const char *pointer, FILE *out) {
  for (size_t i = files ? files->count : 0; i-- > 0;) {
    const cli_file *file = &files->list[i];
    const size_t length = strlen(file->at);
    const char *rest = pointer + length;
    cli_text_position place;
    if (strncmp(pointer, file->at, length) != 0 || (*rest && *rest != '/')) continue;
    if (!cli_text_position_find(file->text, file->size, rest, &place)) continue;
    fprintf(out, "%s:%zu:%zu: %s: ", file->path, place.line, place.column, *rest ? rest : "/");
    return true;
  }
  return false;
}

void cli_print_mistakes(const json_t *errors, const cli_files *files, FILE *out) {
  size_t index;
  json_t *error;
  json_array_foreach(errors, index, error) {
    const char *pointer = json_string_value(json_object_get(error, "pointer"));
    if (!pointer) pointer = "";
    if (!print_place(files, pointer, out)) fprintf(out, "%s: ", *pointer ? pointer : "/");
    const char *code = json_string_value(json_object_get(error, "code"));
    fprintf(out, "%s", json_string_value(json_object_get(error, "detail")));
    fprintf(out, code ? " [%s]\n" : "\n", code);
  }
}

void cli_print_diagnostics(const mbs_diagnostics *list, const cli_files *files) {
  json_t *errors = api_errors_json(list);
  cli_print_mistakes(errors, files, stderr);
  if (list->dropped > 0) fprintf(stderr, "mbs: the document has %zu more errors\n", list->dropped);
  json_decref(errors);
}
