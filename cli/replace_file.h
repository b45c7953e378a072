/* replace_file.h - writes a file as a whole: readers find the old or the new content, never a part. */
#ifndef CLI_REPLACE_FILE_H
#define CLI_REPLACE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Calls `write` with a new file beside `path`, which then takes its place; a device, a pipe or a link is written to.
 * Returns false after printing an error. */
bool cli_replace_file(const char *path, bool (*write)(const void *context, FILE *file), const void *context);

#endif
