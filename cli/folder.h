/* folder.h - a directory for the files that a command writes, which never mixes the files of two runs. A hidden file in
 * it, the manifest, lists its files: before a run writes, it removes the files that the manifest lists, and no others.
 * While a run writes, the manifest lists the files of both runs and says that they are incomplete. So the next run also
 * knows the files of a run that was killed.
 *   cli_folder folder;
 *   const char *names[] = {"T.csv", "uT.csv"};
 *   bool good = cli_folder_open(&folder, "results") && cli_folder_replace(&folder, names, 2);
 *   FILE *file = good ? cli_folder_file(&folder, "T.csv") : NULL;
 *   ...
 *   good = cli_folder_close(&folder, true);
 * Each function that fails prints the reason on standard error. */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The name of the manifest, {"program": "mbs", "complete": true, "files": ["T.csv", ..]}. The file of an array never
 * begins with a dot. */
#define CLI_MANIFEST ".mbs-files.json"

typedef struct cli_folder {
  const char *path; /* path given by the user */
  int descriptor;   /* descriptor of the directory, locked against other processes; -1: not open */
  json_t *files;    /* names that the manifest lists; NULL: there is no manifest */
  bool replaced;    /* cli_folder_replace() has succeeded */
} cli_folder;

/* Creates the directory and its parents, or opens it; locks it and reads its manifest. Returns false if the directory
 * cannot be written, another process writes into it, or the manifest is invalid. */
bool cli_folder_open(cli_folder *folder, const char *path);
/* Returns false if the directory has a file of this name that the manifest does not list. */
bool cli_folder_may_have(const cli_folder *folder, const char *name);
/* Removes the files of the manifest before files of other names are written. Returns false, with nothing removed, if a
 * file of these names exists and is not listed. */
bool cli_folder_replace(cli_folder *folder, const char *const *names, size_t count);
/* Opens a file of those names for writing; returns NULL on failure. */
FILE *cli_folder_file(const cli_folder *folder, const char *name);
/* Prints that a file could not be written, for the reason in `errno`. */
void cli_folder_complain(const cli_folder *folder, const char *name);
/* Closes the directory. With `complete` the manifest then says that all files are there. Returns false if it could not
 * be written. */
bool cli_folder_close(cli_folder *folder, bool complete);

#endif
