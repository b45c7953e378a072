/* data_directory.h - the data folder: who may look into it, who has it, and that its files are all there. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_DATA_DIRECTORY_H
#define SERVER_STORE_SQLITE_CONNECTION_DATA_DIRECTORY_H

#include <stdbool.h>

enum { SQLITE_FOLDER_MESSAGE = 512, SQLITE_FOLDER_PATH = 4096 };

/* Makes a folder for its owner alone, and the ones above it. False with errno. */
bool sqlite_data_directory_make(const char *folder);

/* Takes the folder's lock, which goes with the process, however it ends. -1 with the reason in `message`. */
int sqlite_data_directory_lock(const char *folder, char message[SQLITE_FOLDER_MESSAGE]);
/* Whether the file of that name is not the one that was locked. */
bool sqlite_data_directory_lock_moved(const char *folder, int lock);

/* From now on all files that the process makes are their owner's alone; what others may read or write of the folder and
 * of the files in it that are the service's is taken from them, which is logged. */
void sqlite_data_directory_tighten(const char *folder);
/* Removes temporary files that were left when a daemon was killed. The folder is locked. */
void sqlite_data_directory_sweep(const char *folder);

/* Whether both databases are there, or neither: then the folder is `fresh`. False with what to do in `message` where
 * one of them is missing or empty. A folder is fresh from sqlite_data_directory_begin() on, and until sqlite_data_directory_made(),
 * whatever files there are: the first start may break off in between. */
bool sqlite_data_directory_complete(const char *folder, bool *fresh, char message[SQLITE_FOLDER_MESSAGE]);
bool sqlite_data_directory_begin(const char *folder, char message[SQLITE_FOLDER_MESSAGE]);
void sqlite_data_directory_made(const char *folder);

/* Makes the names in a folder durable. */
bool sqlite_data_directory_sync(const char *folder);

#endif
