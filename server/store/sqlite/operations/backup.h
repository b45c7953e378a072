/* backup.h - a copy of a data folder, for `mbsd --backup`. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_BACKUP_H
#define SERVER_STORE_SQLITE_OPERATIONS_BACKUP_H

#include <stdbool.h>
#include <stdio.h>

/* Copies the databases of `folder` into `target`, which is made and must be empty, also while a daemon works on them;
 * then looks through the copy. A daemon that starts over the copy finds what a daemon finds that was killed at one
 * moment of the copying: all jobs that were acknowledged before it, each that has ended with its results. True: it is
 * durable. What goes wrong is written to `errors`, and then no copy is left. */
bool sqlite_back_up(const char *folder, const char *target, FILE *out, FILE *errors);

#endif
