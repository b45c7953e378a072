/* cli.h - the program mbs: the functions of the service without HTTP and database. One function for each command. */
#ifndef CLI_H
#define CLI_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit codes. */
enum { CLI_DONE = 0, CLI_USAGE = 1, CLI_WRONG_DOCUMENT = 2, CLI_RUN_FAILED = 3 };

/* argv[0] is the name of the command, "mbs run". */
int cli_animate(int argc, char **argv);   /* animate.c */
int cli_plot(int argc, char **argv);      /* plot.c */
int cli_run(int argc, char **argv);       /* run.c: run, study */
int cli_validate(int argc, char **argv);  /* validate.c */
int cli_schema(int argc, char **argv);    /* schema.c */
int cli_report(int argc, char **argv);    /* report.c */
int cli_inspect(int argc, char **argv);   /* inspect.c */
int cli_equations(int argc, char **argv); /* equations.c */
int cli_examples(int argc, char **argv);  /* examples.c */
int cli_verify(int argc, char **argv);    /* verify.c */
int cli_check(int argc, char **argv);     /* check.c */
int cli_import(int argc, char **argv);    /* import.c */
int cli_export(int argc, char **argv);    /* export.c */
int cli_reference(int argc, char **argv); /* reference.c */

/* ---- mbs_main.c ---- */

/* Checks the arguments that are not options, after getopt_long(): one for each word of `names`, "MODEL CLAIM". The last
 * one is optional if it has brackets. Returns false after printing which is missing, or which is too much. */
bool cli_takes(int argc, char **argv, const char *names);
/* Prints the usage of a command, "mbs run", as its --help does. Returns CLI_USAGE. */
int cli_say_usage(const char *name);

/* ---- input.c ---- */

/* Reads a file, the standard input for "-", or the example of that name if there is no such file. Returns the text,
 * malloc'd, ended by a 0; NULL after printing an error. */
char *cli_read_file(const char *path, size_t *size);
enum { CLI_FILES_MAX = 3 };

/* A file from which a document, or a part of it, was read. */
typedef struct cli_file {
  const char *path; /* path given by the user */
  const char *at; /* JSON pointer of the file's value in the document; "": it is the whole document, or some members */
  char *text;     /* `size` bytes */
  size_t size;
} cli_file;

/* The files of a document, from which messages get line numbers. {0}: none. */
typedef struct cli_files {
  cli_file list[CLI_FILES_MAX];
  size_t count;
  bool filled; /* true if numbers of CSV files were put into the document */
  char *whole; /* text of the document if it consists of several files; NULL: it is that of the first file */
} cli_files;

/* Reads a document with the tables of its CSV files, and puts the analysis from another file (NULL: none) beside the
 * model. Returns its value, which the caller owns, and adds its files to `files`. Returns NULL after printing an
 * error, with the exit code in `code`. */
json_t *cli_read_json(const char *path, const char *analysis, cli_files *files, int *code);
/* Replaces `"csv": FILE` of functions of the document at `path` by the columns x and y of that file, which is relative
 * to the folder of the document. Returns the number of files; -1 after printing an error. In csv.c. */
int cli_read_tables(json_t *root, const char *path);
/* Reads a value that belongs at the pointer `at` of the document whose other files are in `files`. */
json_t *cli_read_part(const char *path, const char *at, cli_files *files, int *code);
/* Reads a document as cli_read_json() does. Returns its text of `size` bytes, which `files` owns, and its value in
 * `root`, which the caller owns. */
const char *cli_read_parsed(const char *path, const char *analysis, cli_files *files, size_t *size, json_t **root,
                            int *code);
void cli_files_free(cli_files *files);

/* Prints "FILE:LINE:COLUMN: pointer: detail" for each item of a list of {"pointer", "detail"}; "pointer: detail" if the
 * position is not in `files`, or `files` is NULL. */
void cli_print_mistakes(const json_t *errors, const cli_files *files, FILE *out);
/* Prints the errors of a document on standard error. */
void cli_print_diagnostics(const mbs_diagnostics *list, const cli_files *files);

/* ---- progress.c: a bar on standard error, when that is a terminal ---- */

/* The progress hook of a run; `state` is a cli_progress. Always returns true. */
typedef struct cli_progress {
  bool shown;
  double last; /* time at which it was drawn */
  size_t runs; /* number of runs of a study; 0: not a study */
  double started;
} cli_progress;
bool cli_progress_draw(cli_progress *progress, double t, double fraction);
void cli_progress_clear(cli_progress *progress);

/* ---- answer.c ---- */

/* Prints the answer to the analysis of a report: the equilibrium, the modes, driver forces, the last state, extremes of
 * sensors. */
void cli_print_answer(const json_t *report, FILE *out);

/* ---- report.c ---- */

/* Prints a report, in the JSON form of the service, for readers. */
void cli_print_report(const json_t *report, FILE *out);
/* Prints why a job failed: {"code", "detail", "t", "element", "errors"}; errors of the document as cli_print_mistakes()
 * does. */
void cli_print_error(const json_t *error, const cli_files *files, FILE *out);

#endif
