/* cli.h - the program mbs: the same as the service, without HTTP and database. One function a command. */
#ifndef CLI_H
#define CLI_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit codes. */
enum { CLI_DONE = 0, CLI_USAGE = 1, CLI_WRONG_DOCUMENT = 2, CLI_RUN_FAILED = 3 };

/* argv[0] is the name of the command. */
int cli_run(int argc, char **argv);       /* run.c: run, study */
int cli_validate(int argc, char **argv);  /* validate.c */
int cli_schema(int argc, char **argv);    /* schema.c */
int cli_report(int argc, char **argv);    /* report.c */
int cli_inspect(int argc, char **argv);   /* inspect.c */
int cli_equations(int argc, char **argv); /* equations.c */
int cli_examples(int argc, char **argv);  /* examples.c */
int cli_verify(int argc, char **argv);    /* verify.c */
int cli_check(int argc, char **argv);     /* check.c */
int cli_reference(int argc, char **argv); /* reference.c */

/* ---- input.c ---- */

/* All of a file, of the standard input for "-", or of the example of that name where there is no such file: malloc'd,
 * ended by a 0; NULL after saying what is wrong. */
char *cli_read_file(const char *path, size_t *size);
enum { CLI_FILES_MAX = 3 };

/* A file that a document, or a part of it, was read from. */
typedef struct cli_file {
  const char *path; /* as the user gave it */
  const char
      *at;    /* JSON pointer of its value in the document; "": it is the document, or its members are members of it */
  char *text; /* `size` bytes */
  size_t size;
} cli_file;

/* The files of a document, so that messages can tell lines. All zero: none. */
typedef struct cli_files {
  cli_file list[CLI_FILES_MAX];
  size_t count;
  char *whole; /* text of the document where it was put together from several; NULL: it is that of the first file */
} cli_files;

/* Reads a document, with the analysis of another file (NULL: none) put beside the model. Returns its value, the
 * caller's, and adds its files to `files`; NULL after saying what is wrong, with `code` the exit code. */
json_t *cli_read_json(const char *path, const char *analysis, cli_files *files, int *code);
/* Reads a value that belongs at the pointer `at` of the document whose other files are in `files`. */
json_t *cli_read_part(const char *path, const char *at, cli_files *files, int *code);
/* Reads a document as cli_read_json() does; returns its text of `size` bytes, which `files` owns, and its value in
 * `root`, the caller's. */
const char *cli_read_parsed(const char *path, const char *analysis, cli_files *files, size_t *size, json_t **root,
                            int *code);
void cli_files_free(cli_files *files);

/* Prints "FILE:LINE:COLUMN: pointer: detail" for each of a list of {"pointer", "detail"}, or "pointer: detail" where
 * `files` is NULL or does not have the place. */
void cli_print_mistakes(const json_t *errors, const cli_files *files, FILE *out);
/* Prints what was found wrong with a document on standard error. */
void cli_print_diagnostics(const mbs_diagnostics *list, const cli_files *files);

/* ---- progress.c: a bar on standard error, when that is a terminal ---- */

/* The progress hook of a run; `state` is a cli_progress. Always true. */
typedef struct cli_progress {
  bool shown;
  double last; /* when it was drawn */
  size_t runs; /* of a study; 0: it is none */
  double started;
} cli_progress;
bool cli_progress_draw(cli_progress *progress, double t, double fraction);
void cli_progress_clear(cli_progress *progress);
/* Seconds on a monotonic clock. */
double cli_now(void);

/* ---- answer.c ---- */

/* Prints what the analysis of a report was asked for: the position of rest, the modes, what drivers exert, the last
 * state, extremes of sensors. */
void cli_print_answer(const json_t *report, FILE *out);

/* ---- report.c ---- */

/* Prints a report, as the service gives it, for people. */
void cli_print_report(const json_t *report, FILE *out);
/* Prints why a job failed: {"code", "detail", "t", "element", "errors"}; mistakes as cli_print_mistakes() does. */
void cli_print_error(const json_t *error, const cli_files *files, FILE *out);

#endif
