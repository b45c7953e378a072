/* backup.h - copies a data directory, for `mbsd --backup`. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_BACKUP_H
#define SERVER_STORE_SQLITE_OPERATIONS_BACKUP_H

#include <stdbool.h>
#include <stdio.h>

/* Copies the databases of `folder` into `target`, which is created and must be empty, also while a daemon uses them;
 * then checks the copy. To a daemon that starts over the copy it looks like the directory of a daemon that was killed
 * at one moment of the copying: all jobs acknowledged before it, each ended one with its results. Returns true if the
 * copy is complete and durable. Writes failures to `errors` and then removes the copy. */
bool sqlite_back_up(const char *folder, const char *target, FILE *out, FILE *errors);

#endif
