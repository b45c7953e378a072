/* assembly.h - results of runs on their way into results.db.
 *
 * What a run hands over is put together in memory and written as one part when its runner tells progress, when it is a
 * megabyte, or with the end of the run: then in the same transaction that looks whether all has arrived. While it comes
 * it counts against the disk's reserve; where that would be touched the results of this run, and of no other, are
 * refused and dropped. */
#ifndef SERVER_STORE_SQLITE_ASSEMBLY_H
#define SERVER_STORE_SQLITE_ASSEMBLY_H

#include "server/store/packet.h"
#include "server/store/sqlite/state.h"

void sqlite_assemblies_init(sqlite_assemblies *assemblies);
void sqlite_assemblies_free(sqlite_assemblies *assemblies);
/* Sets the verbs array, tile and is_behind. */
void sqlite_assembly_verbs(srv_store *verbs);

/* Writes what has come of a run so far. */
void sqlite_assembly_flush(sqlite_store *store, const store_run *run);
/* The run is over: what waits of it, to be written with its end. NULL: nothing does. `refused`: its results are not
 * kept. */
store_part *sqlite_assembly_take(sqlite_store *store, const store_run *run, bool *refused);
/* It could not be written now, and the end of the run will be tried again. */
void sqlite_assembly_put_back(sqlite_store *store, store_part *part);
/* The job is gone. */
void sqlite_assembly_forget(sqlite_store *store, const char *id);
/* Frees a part, written or not; NULL is none. */
void sqlite_part_free(sqlite_store *store, store_part *part);

#endif
