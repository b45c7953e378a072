/* integrity_check.h - all of a data folder looked through, for `mbsd --check` and for a backup that was just made. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_INTEGRITY_CHECK_H
#define SERVER_STORE_SQLITE_OPERATIONS_INTEGRITY_CHECK_H

#include <stdbool.h>
#include <stdio.h>

/* Reads both databases of a folder, also while a daemon works on them, and changes nothing: SQLite's integrity check,
 * references, that the two belong together, that each job has its document, that jobs that show results have them, that
 * there are none that no job shows, that rows of jobs, texts and numbers are what was written, that the counts of jobs
 * are right. Writes a line to `out` for each thing that is wrong, and what was seen. True: nothing is wrong. */
bool sqlite_integrity_check(const char *folder, FILE *out);

#endif
