/* folder.h - the data folder: who may look into it, who has it, and that its files are all there. */
#ifndef SERVER_STORE_SQLITE_FOLDER_H
#define SERVER_STORE_SQLITE_FOLDER_H

#include <stdbool.h>

enum { SQLITE_FOLDER_MESSAGE = 512, SQLITE_FOLDER_PATH = 4096 };

/* Makes a folder for its owner alone, and the ones above it. False with errno. */
bool sqlite_folder_make(const char *folder);

/* Takes the folder's lock, which goes with the process, however it ends. -1 with the reason in `message`. */
int sqlite_folder_lock(const char *folder, char message[SQLITE_FOLDER_MESSAGE]);
/* Whether the file of that name is not the one that was locked. */
bool sqlite_folder_lock_moved(const char *folder, int lock);

/* From now on all files that the process makes are their owner's alone; what others may read or write of the folder and
 * of the files in it that are the service's is taken from them, which is logged. */
void sqlite_folder_tighten(const char *folder);
/* Removes temporary files that were left when a daemon was killed. The folder is locked. */
void sqlite_folder_sweep(const char *folder);

/* Whether both databases are there, or neither: then the folder is `fresh`. False with what to do in `message` where
 * one of them is missing or empty. A folder is fresh from sqlite_folder_begin() on, and until sqlite_folder_made(),
 * whatever files there are: the first start may break off in between. */
bool sqlite_folder_complete(const char *folder, bool *fresh, char message[SQLITE_FOLDER_MESSAGE]);
bool sqlite_folder_begin(const char *folder, char message[SQLITE_FOLDER_MESSAGE]);
void sqlite_folder_made(const char *folder);

/* Makes the names in a folder durable. */
bool sqlite_folder_sync(const char *folder);

#endif
