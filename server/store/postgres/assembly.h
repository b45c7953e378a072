/* assembly.h - results of runs on their way into the database.
 *
 * What a run hands over is put together in memory and written as one part when its runner tells progress, when it is a
 * megabyte, or with the end of the run: then in the same transaction. Where it cannot be written for want of room, all
 * of the run is dropped; while the database is away it waits, and who has more is told to wait, too. */
#ifndef SERVER_STORE_POSTGRES_ASSEMBLY_H
#define SERVER_STORE_POSTGRES_ASSEMBLY_H

#include "server/store/packet.h"
#include "server/store/postgres/state.h"

void postgres_assemblies_init(postgres_assemblies *assemblies);
void postgres_assemblies_free(postgres_assemblies *assemblies);
/* Sets the verbs array, tile and is_behind. */
void postgres_assembly_verbs(srv_store *verbs);

/* Writes what has come of a run so far. */
void postgres_assembly_flush(postgres_store *store, const store_run *run);
/* The run is over: what waits of it, to be written with its end. NULL: nothing does. `refused`: its results are not
 * kept. */
store_part *postgres_assembly_take(postgres_store *store, const store_run *run, bool *refused);
/* It could not be written now, and the end of the run will be tried again. */
void postgres_assembly_put_back(postgres_store *store, store_part *part);
/* The job is gone. */
void postgres_assembly_forget(postgres_store *store, const char *id);
/* Frees a part, written or not; NULL is none. */
void postgres_part_free(store_part *part);

#endif
