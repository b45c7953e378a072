/* data_directory.h - the data directory: its permissions, its lock, and the completeness of its files. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_DATA_DIRECTORY_H
#define SERVER_STORE_SQLITE_CONNECTION_DATA_DIRECTORY_H

#include <stdbool.h>

enum { SQLITE_FOLDER_MESSAGE = 512, SQLITE_FOLDER_PATH = 4096 };

/* Creates a directory for its owner only, and its parents. Returns false with errno on failure. */
bool sqlite_data_directory_make(const char *folder);

/* Takes the lock of the directory; the kernel releases it when the process ends. Returns -1 with the reason in
 * `message` on failure. */
int sqlite_data_directory_lock(const char *folder, char message[SQLITE_FOLDER_MESSAGE]);
/* Returns true if the lock file is no longer the one that was locked. */
bool sqlite_data_directory_lock_moved(const char *folder, int lock);

/* Makes all files that the process creates from now on private to their owner. Removes the permissions of other users
 * on the directory and the service's files in it, and logs that. */
void sqlite_data_directory_tighten(const char *folder);
/* Removes temporary files of a daemon that was killed. The directory is locked. */
void sqlite_data_directory_sweep(const char *folder);

/* Returns true if both databases exist, or neither: then the directory is `fresh`. Returns false with a remedy in
 * `message` if one of them is missing or empty. A directory is fresh between sqlite_data_directory_begin() and
 * sqlite_data_directory_made(), whatever files it contains: the first start may have been interrupted. */
bool sqlite_data_directory_complete(const char *folder, bool *fresh, char message[SQLITE_FOLDER_MESSAGE]);
bool sqlite_data_directory_begin(const char *folder, char message[SQLITE_FOLDER_MESSAGE]);
void sqlite_data_directory_made(const char *folder);

/* Flushes the file names in a directory to the disk. */
bool sqlite_data_directory_sync(const char *folder);

#endif
