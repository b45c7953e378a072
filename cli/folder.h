/* folder.h - a folder for the files that a command writes, which never holds those of two runs. A hidden file in it,
 * the manifest, lists them: before a run writes, it removes the files that the manifest lists, and no others. Meanwhile
 * the manifest lists the files of both runs and says that they are not complete, so that a run that is killed leaves
 * nothing that the next one does not know.
 *
 *   cli_folder folder;
 *   const char *names[] = {"T.csv", "uT.csv"};
 *   bool good = cli_folder_open(&folder, "results") && cli_folder_replace(&folder, names, 2);
 *   FILE *file = good ? cli_folder_file(&folder, "T.csv") : NULL;
 *   ...
 *   good = cli_folder_close(&folder, true);
 *
 * Each function that fails says why on standard error. */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The name of the manifest, {"program": "mbs", "complete": true, "files": ["T.csv", ..]}. No array's file begins with a
 * dot. */
#define CLI_MANIFEST ".mbs-files.json"

typedef struct cli_folder {
  const char *path; /* as the user gave it */
  int descriptor;   /* of the folder, locked against other processes; -1: it is not open */
  json_t *files;    /* names that the manifest lists; NULL: there is none */
  bool replaced;    /* cli_folder_replace() has succeeded */
} cli_folder;

/* Makes the folder, with those it lies in, or opens it; locks it and reads its manifest. Returns false if the folder
 * cannot be written, another process writes into it, or the manifest is none. */
bool cli_folder_open(cli_folder *folder, const char *path);
/* Returns false if the folder has a file of this name that the manifest does not list. */
bool cli_folder_may_have(const cli_folder *folder, const char *name);
/* Removes the files of the manifest, for files of other names to come; returns false, with nothing removed, if one of
 * these is there and is not listed. */
bool cli_folder_replace(cli_folder *folder, const char *const *names, size_t count);
/* Opens a file of those names to be written; returns NULL if that fails. */
FILE *cli_folder_file(const cli_folder *folder, const char *name);
/* Says that a file could not be written, for the reason in `errno`. */
void cli_folder_complain(const cli_folder *folder, const char *name);
/* Closes the folder. With `complete` the manifest says from now on that all files are there. Returns false if it could
 * not be written. */
bool cli_folder_close(cli_folder *folder, bool complete);

#endif
