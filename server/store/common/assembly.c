/* assembly.c - see assembly.h. */
#include "server/store/common/assembly.h"

#include "api/base/array_grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A part is posted at this size; runs up to SMALL_BYTES may use half of the disk's reserve [bytes]. */
enum { PART_BYTES = 1 << 20, SMALL_BYTES = 1 << 20 };

/* Maximum size of parts that wait for the writing thread [bytes]. */
enum { MOST_POSTED = 64 << 20 };

static const char no_space[] = "the free disk space is below the reserve (--disk-reserve)";
static const char no_memory[] = "out of memory";

typedef struct assembly_array {
  size_t columns, rows;
  bool whole; /* the rows are shown only if all have arrived */
} assembly_array;

typedef struct store_assembly store_assembly;
struct store_assembly {
  store_run run;
  store_chunk chunk; /* header of the next part */
  int number;        /* number of the part */
  assembly_array *arrays;
  size_t count, capacity;
  size_t bytes; /* bytes of all received results */
  bool refused;
  store_assembly *next;
};

static void assembly_free(store_assembly *self) {
  store_chunk_free(&self->chunk);
  free(self->arrays);
  free(self);
}

void store_assemblies_init(store_assemblies *list, srv_store *store, const assembly_engine *engine) {
  assert(engine->post && engine->drop && engine->has_space);
  list->engine = engine;
  list->store = store;
  list->first = NULL;
  atomic_init(&list->backlog, 0);
  atomic_init(&list->posted, 0);
  pthread_mutex_init(&list->mutex, NULL);
}

void store_assemblies_free(store_assemblies *list) {
  assert(atomic_load(&list->posted) == 0);
  for (store_assembly *self; (self = list->first);) {
    list->first = self->next;
    assembly_free(self);
  }
  pthread_mutex_destroy(&list->mutex);
}

/* ---- with the lock ----------------------------------------------------------------------------------------------- */

/* Returns where the list points to the assembly of a run, or to NULL. */
static store_assembly **find_link(store_assemblies *list, const store_run *run) {
  assert(!run->is_block); /* a block has no arrays */
  store_assembly **link = &list->first;
  while (*link && !store_run_is(&(*link)->run, run)) link = &(*link)->next;
  return link;
}

static store_assembly *find_or_make(store_assemblies *list, const store_run *run) {
  store_assembly **link = find_link(list, run);
  if (*link) return *link;
  *link = calloc(1, sizeof **link);
  if (*link) (*link)->run = *run;
  return *link;
}

static void shrink(atomic_size_t *total, size_t bytes) {
  size_t before = atomic_fetch_sub(total, bytes);
  assert(before >= bytes);
  (void)before;
}

/* Refuses all results of this run, and drops the stored ones. */
static void refuse(store_assemblies *list, store_assembly *self, const char *why) {
  if (self->refused) return;
  self->refused = true;
  shrink(&list->backlog, self->chunk.data.size);
  store_chunk_free(&self->chunk);
  list->engine->drop(list->store, &self->run, self->bytes, why);
}

/* Creates a part from the collected results. Refuses the run and returns NULL if the part cannot be stored. */
static store_part *make_part(store_assemblies *list, store_assembly *self) {
  assert(!self->refused && !store_chunk_is_empty(&self->chunk));
  bool space = list->engine->has_space(list->store, 1, self->bytes <= SMALL_BYTES);
  store_part *part = space ? calloc(1, sizeof *part) : NULL;
  size_t size = 0;
  char *layout = part ? store_chunk_layout(&self->chunk, &size) : NULL;
  if (!layout) {
    free(part);
    refuse(list, self, space ? no_memory : no_space);
    return NULL;
  }
  *part = (store_part){self->run, self->number++, self->chunk, layout, size};
  self->chunk = (store_chunk){0};
  return part;
}

static void flush(store_assemblies *list, store_assembly *self) {
  if (self->refused || store_chunk_is_empty(&self->chunk)) return;
  store_part *part = make_part(list, self);
  if (!part) return;
  size_t bytes = part->chunk.data.size;
  atomic_fetch_add(&list->posted, bytes);
  if (list->engine->post(list->store, part)) return;
  shrink(&list->posted, bytes);
  store_part_free(list, part);
  refuse(list, self, no_memory);
}

static bool add_array(store_assembly *self, const store_array *array) {
  assembly_array *arrays = api_array_grow(self->arrays, self->count, &self->capacity, sizeof *arrays);
  if (!arrays) return false;
  self->arrays = arrays;
  arrays[self->count++] = (assembly_array){.columns = array->columns, .whole = array->timeless && !array->by_run};
  store_chunk_array(&self->chunk, array);
  return true;
}

/* Adds a tile that follows the one before it and ignores any other, so that no rows are missing in between. */
static void add_tile(store_assemblies *list, store_assembly *self, const store_tile *tile) {
  if (tile->position < 0 || (size_t)tile->position >= self->count || tile->size == 0) return;
  assembly_array *array = &self->arrays[tile->position];
  if (tile->first != array->rows || tile->size != tile->rows * array->columns * sizeof(double)) return;
  size_t before = self->chunk.data.size;
  store_chunk_piece(&self->chunk, tile, !array->whole);
  array->rows += tile->rows;
  self->bytes += tile->size;
  atomic_fetch_add(&list->backlog, self->chunk.data.size - before);
  if (self->chunk.data.size >= PART_BYTES || store_chunk_failed(&self->chunk)) flush(list, self);
}

/* ---- while a run goes on ----------------------------------------------------------------------------------------- */

void store_assembly_array(store_assemblies *list, const store_run *run, const store_array *array) {
  pthread_mutex_lock(&list->mutex);
  store_assembly *self = find_or_make(list, run);
  /* A missing array is detected when the run ends. */
  if (self && !self->refused && (size_t)array->position == self->count && !add_array(self, array))
    refuse(list, self, no_memory);
  pthread_mutex_unlock(&list->mutex);
}

bool store_assembly_tile(store_assemblies *list, const store_run *run, const store_tile *tile) {
  pthread_mutex_lock(&list->mutex);
  store_assembly *self = *find_link(list, run);
  if (self && !self->refused) add_tile(list, self, tile);
  bool kept = !self || !self->refused;
  pthread_mutex_unlock(&list->mutex);
  free(tile->data);
  return kept;
}

/* Requires twice the space, so that runs wait for the writing thread before one is refused because of space. */
bool store_assembly_is_behind(store_assemblies *list, bool waits) {
  size_t posted = atomic_load(&list->posted) * (waits ? 2 : 1);
  if (posted <= 2 * PART_BYTES) return false;
  return posted > MOST_POSTED || !list->engine->has_space(list->store, 2, false);
}

void store_assembly_flush(store_assemblies *list, const store_run *run) {
  pthread_mutex_lock(&list->mutex);
  store_assembly *self = *find_link(list, run);
  if (self) flush(list, self);
  pthread_mutex_unlock(&list->mutex);
}

/* ---- the end of a run -------------------------------------------------------------------------------------------- */

store_part *store_assembly_take(store_assemblies *list, const store_run *run, bool *refused) {
  store_part *part = NULL;
  *refused = false;
  pthread_mutex_lock(&list->mutex);
  store_assembly **link = find_link(list, run), *self = *link;
  if (self) {
    if (!self->refused && !store_chunk_is_empty(&self->chunk)) part = make_part(list, self);
    *refused = self->refused;
    *link = self->next;
    assembly_free(self);
  }
  pthread_mutex_unlock(&list->mutex);
  return part;
}

void store_assembly_put_back(store_assemblies *list, store_part *part) {
  pthread_mutex_lock(&list->mutex);
  store_assembly *self = find_or_make(list, &part->run);
  if (self && store_chunk_is_empty(&self->chunk) && !self->refused) {
    self->number = part->number;
    self->chunk = part->chunk;
    part->chunk = (store_chunk){0};
  }
  pthread_mutex_unlock(&list->mutex);
  store_part_free(list, part);
}

void store_assembly_forget(store_assemblies *list, const char *id) {
  pthread_mutex_lock(&list->mutex);
  for (store_assembly **link = &list->first; *link;) {
    store_assembly *self = *link;
    if (strcmp(self->run.id, id) != 0) {
      link = &self->next;
      continue;
    }
    *link = self->next;
    shrink(&list->backlog, self->chunk.data.size);
    assembly_free(self);
  }
  pthread_mutex_unlock(&list->mutex);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

bool store_assembly_refused(store_assemblies *list, const store_run *run) {
  pthread_mutex_lock(&list->mutex);
  const store_assembly *self = *find_link(list, run);
  bool refused = self && self->refused;
  pthread_mutex_unlock(&list->mutex);
  return refused;
}

void store_assembly_written(store_assemblies *list, store_part *part, service_status status) {
  shrink(&list->posted, part->chunk.data.size);
  if (status != SERVICE_OK) {
    pthread_mutex_lock(&list->mutex);
    store_assembly *self = *find_link(list, &part->run);
    if (self) refuse(list, self, status == SERVICE_NO_SPACE ? "the disk is full" : "the database failed");
    pthread_mutex_unlock(&list->mutex);
  }
  store_part_free(list, part);
}

void store_part_free(store_assemblies *list, store_part *part) {
  if (!part) return;
  shrink(&list->backlog, part->chunk.data.size);
  store_chunk_free(&part->chunk);
  free(part->layout);
  free(part);
}
