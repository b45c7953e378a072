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
/* A document, with the analysis of another file (NULL: none) put beside the model, as text, malloc'd. Returns NULL
 * after saying what is wrong; `code` is then the exit code. */
char *cli_read_document(const char *path, const char *analysis, size_t *size, int *code);
/* Its value alone, the caller's. */
json_t *cli_read_json(const char *path, const char *analysis, int *code);
/* The text with its value, the caller's. */
char *cli_read_parsed(const char *path, const char *analysis, size_t *size, json_t **root, int *code);
/* Prints "pointer: detail" for each of a list of {"pointer", "detail"}. */
void cli_print_mistakes(const json_t *errors, FILE *out);
/* The same of what was found wrong with a document, on standard error. */
void cli_print_diagnostics(const mbs_diagnostics *list);

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

/* ---- report.c ---- */

/* Prints a report, as the service gives it, for people. */
void cli_print_report(const json_t *report, FILE *out);
/* Prints why a job failed: {"code", "detail", "t", "element", "errors"}. */
void cli_print_error(const json_t *error, FILE *out);

#endif
