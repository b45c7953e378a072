/* integrity_check.h - checks a whole data directory, for `mbsd --check` and for a new backup. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_INTEGRITY_CHECK_H
#define SERVER_STORE_SQLITE_OPERATIONS_INTEGRITY_CHECK_H

#include <stdbool.h>
#include <stdio.h>

/* Reads both databases of a directory, also while a daemon uses them, and changes nothing. Checks: SQLite's integrity
 * check; references; that the two belong together; that each job has its document and, if it shows results, those; that
 * no other results exist; the checksums of jobs, texts and numbers; the counts of jobs. Writes a line to `out` for each
 * fault, and a summary. Returns true if there is no fault. */
bool sqlite_integrity_check(const char *folder, FILE *out);

#endif
