/* assembly.h - results of runs between their workers and the database; both engines use it.
 *
 * The store collects what a run sends in memory and writes it as one part when its runner reports progress, when it
 * has a megabyte, or with the end of the run. If it cannot be written, all results of that run, and of no other, are
 * refused and dropped. The engine writes: its operations are in a table.
 *
 * All functions lock the list of assemblies; any thread may call them. */
#ifndef SERVER_STORE_COMMON_ASSEMBLY_H
#define SERVER_STORE_COMMON_ASSEMBLY_H

#include "server/store/common/result_chunk.h"

#include <pthread.h>
#include <stdatomic.h>

/* The operations of an engine. They are called with the lock and must not call functions of this file. */
typedef struct assembly_engine {
  /* Hands a part to the thread that writes results. That thread writes the part unless store_assembly_refused(), and
   * then calls store_assembly_written(). Returns false if memory runs out; then the part is still the caller's. */
  bool (*post)(srv_store *store, store_part *part);
  /* Logs why the results of a run, `bytes` so far, are not kept, and drops those that were written. */
  void (*drop)(srv_store *store, const store_run *run, size_t bytes, const char *why);
  /* Returns true if there is space for `factor` times the results that are not written yet. Results of a `small` run
   * may use part of the reserve. */
  bool (*has_space)(srv_store *store, size_t factor, bool small);
} assembly_engine;

typedef struct store_assemblies {
  const assembly_engine *engine;
  srv_store *store;
  pthread_mutex_t mutex; /* guards `first` and the assemblies */
  struct store_assembly *first;
  atomic_size_t backlog; /* bytes of results that are not written yet */
  atomic_size_t posted;  /* bytes of those results that wait for the writing thread */
} store_assemblies;

void store_assemblies_init(store_assemblies *list, srv_store *store, const assembly_engine *engine);
void store_assemblies_free(store_assemblies *list);

/* Implement the verbs array, tile and is_behind. */
void store_assembly_array(store_assemblies *list, const store_run *run, const store_array *array);
bool store_assembly_tile(store_assemblies *list, const store_run *run, const store_tile *tile);
bool store_assembly_is_behind(store_assemblies *list, bool waits);

/* Posts what has come of a run so far. */
void store_assembly_flush(store_assemblies *list, const store_run *run);
/* Removes the assembly of a run that is over and returns its last part, to be written with its end; NULL if all was
 * posted. `refused`: the results of the run are not kept. */
store_part *store_assembly_take(store_assemblies *list, const store_run *run, bool *refused);
/* Restores a part that store_assembly_take() returned, because the end of the run will be tried again. Frees it. */
void store_assembly_put_back(store_assemblies *list, store_part *part);
/* Removes all assemblies of a job. */
void store_assembly_forget(store_assemblies *list, const char *id);

/* Returns true if the results of a run are not kept any more. */
bool store_assembly_refused(store_assemblies *list, const store_run *run);
/* Notes that a posted part was written, or refuses its run if that failed. Frees the part. */
void store_assembly_written(store_assemblies *list, store_part *part, service_status status);
/* Frees a part, written or not; NULL is none. */
void store_part_free(store_assemblies *list, store_part *part);

#endif
