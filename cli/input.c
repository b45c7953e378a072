/* input.c - documents from files. */
#include "cli.h"
#include "parse.h"

#include "api/base/buffer.h"
#include "api/base/values.h"
#include "api/documents/document.h"
#include "api/documents/examples.h"
#include "api/documents/report_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Why a file is not there; of one word perhaps an example was meant. */
static void say_missing(const char *path) {
  char hint[512];
  bool word = errno == ENOENT && !strpbrk(path, "/.");
  fprintf(stderr, "mbs: %s: %s%s%s\n", path, strerror(errno), word ? ", and no such example; " : "",
          word ? api_example_hint(path, hint, sizeof hint) : "");
}

/* Adds the text of the example of that name; false after saying that it is no file either. */
static bool add_example(const char *name, api_buffer *text) {
  api_example example;
  bool found = errno == ENOENT && api_example_find(name, &example);
  if (found)
    api_buffer_add(text, example.text, example.size);
  else
    say_missing(name);
  return found;
}

/* Adds all of a file; false: it cannot be read. */
static bool add_file(FILE *file, api_buffer *text) {
  char piece[16384];
  size_t got;
  while ((got = fread(piece, 1, sizeof piece, file)) > 0) api_buffer_add(text, piece, got);
  bool good = ferror(file) == 0;
  if (file != stdin) fclose(file);
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
  fprintf(stderr, "mbs: %s: cannot be read\n", path);
  api_buffer_free(&text);
  return NULL;
}

/* The JSON value of a file; NULL after saying what is wrong. `text` is kept for the caller. */
static json_t *read_json(const char *path, char **text, size_t *size, int *code) {
  *code = CLI_USAGE;
  *text = cli_read_file(path, size);
  if (!*text) return NULL;
  api_document document;
  api_syntax_error error;
  if (cli_parse(*text, *size, &document, &error)) return document.root;
  fprintf(stderr, "%s:%d:%d: %s\n", path, error.line, error.column, error.detail);
  *code = CLI_WRONG_DOCUMENT;
  free(*text);
  return NULL;
}

/* The value of a file alone. */
static json_t *read_alone(const char *path, int *code) {
  size_t size;
  char *text;
  json_t *root = read_json(path, &text, &size, code);
  if (root) free(text);
  return root;
}

/* The document, which is taken over, with the analysis of a file beside its model; NULL after saying what is wrong. */
static json_t *put_beside(json_t *root, const char *analysis, int *code) {
  json_t *model = json_object_get(root, "model"), *study = model ? json_object_get(root, "study") : NULL;
  json_t *beside = read_alone(analysis, code);
  json_t *both =
      beside ? json_pack("{s:O, s:o, s:O*}", "model", model ? model : root, "analysis", beside, "study", study) : NULL;
  json_decref(root);
  return both;
}

json_t *cli_read_json(const char *path, const char *analysis, int *code) {
  json_t *root = read_alone(path, code);
  return root && analysis ? put_beside(root, analysis, code) : root;
}

char *cli_read_parsed(const char *path, const char *analysis, size_t *size, json_t **root, int *code) {
  char *text;
  *root = read_json(path, &text, size, code);
  if (!*root || !analysis) return *root ? text : NULL;
  free(text);
  *root = put_beside(*root, analysis, code);
  text = *root ? json_dumps(*root, JSON_COMPACT) : NULL;
  if (text) *size = strlen(text);
  return text;
}

char *cli_read_document(const char *path, const char *analysis, size_t *size, int *code) {
  json_t *root;
  char *text = cli_read_parsed(path, analysis, size, &root, code);
  json_decref(root);
  return text;
}

void cli_print_mistakes(const json_t *errors, FILE *out) {
  size_t index;
  json_t *error;
  json_array_foreach(errors, index, error) {
    const char *pointer = json_string_value(json_object_get(error, "pointer"));
    fprintf(out, "%s: %s\n", pointer && *pointer ? pointer : "/", json_string_value(json_object_get(error, "detail")));
  }
}

void cli_print_diagnostics(const mbs_diagnostics *list) {
  json_t *errors = api_errors_json(list);
  cli_print_mistakes(errors, stderr);
  json_decref(errors);
}
