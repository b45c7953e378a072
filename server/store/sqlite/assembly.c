/* assembly.c - see assembly.h. */
#include "server/store/sqlite/assembly.h"

#include "api/base/grow.h"
#include "server/base/log.h"
#include "server/store/sqlite/results.h"

#include <stdlib.h>
#include <string.h>

/* What makes a part without being asked for, and how much of a run may use half of the reserve [bytes]. */
enum { PART_BYTES = 1 << 20, SMALL_BYTES = 1 << 20 };

/* Most that may wait for the writer [bytes]. */
enum { MOST_POSTED = 64 << 20 };

typedef struct assembly_array {
  size_t columns, rows;
  bool whole; /* it is there as a whole or not at all */
} assembly_array;

typedef struct sqlite_assembly sqlite_assembly;
struct sqlite_assembly {
  store_run run;
  store_packet packet; /* of the next part */
  int number;          /* its number */
  assembly_array *arrays;
  size_t count, capacity;
  size_t bytes; /* of all that has come */
  bool refused;
  sqlite_assembly *next;
};

static void assembly_free(sqlite_assembly *self) {
  store_packet_free(&self->packet);
  free(self->arrays);
  free(self);
}

void sqlite_assemblies_init(sqlite_assemblies *assemblies) {
  assemblies->first = NULL;
  pthread_mutex_init(&assemblies->mutex, NULL);
}

void sqlite_assemblies_free(sqlite_assemblies *assemblies) {
  for (sqlite_assembly *self; (self = assemblies->first);) {
    assemblies->first = self->next;
    assembly_free(self);
  }
  pthread_mutex_destroy(&assemblies->mutex);
}

/* Where the list points to the assembly of a run, or to NULL. With the lock, as all that follow. */
static sqlite_assembly **place_of(sqlite_assemblies *list, const store_run *run) {
  sqlite_assembly **link = &list->first;
  while (*link && !((*link)->run.attempt == run->attempt && strcmp((*link)->run.id, run->id) == 0))
    link = &(*link)->next;
  return link;
}

static sqlite_assembly *find_or_make(sqlite_assemblies *list, const store_run *run) {
  sqlite_assembly **link = place_of(list, run);
  if (*link) return *link;
  *link = calloc(1, sizeof **link);
  if (*link) (*link)->run = *run;
  return *link;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

void sqlite_part_free(sqlite_store *store, store_part *part) {
  if (!part) return;
  atomic_fetch_sub(&store->backlog, part->packet.data.size);
  store_packet_free(&part->packet);
  free(part->layout);
  free(part);
}

/* Takes what waits out of an assembly as a part; NULL without memory. */
static store_part *make_part(sqlite_assembly *self) {
  store_part *part = calloc(1, sizeof *part);
  size_t size = 0;
  char *layout = part ? store_packet_layout(&self->packet, &size) : NULL;
  if (!layout) {
    free(part);
    return NULL;
  }
  *part = (store_part){self->run, self->number++, self->packet, layout, size};
  self->packet = (store_packet){0};
  return part;
}

/* Nothing more is kept of this run, and what was is dropped. */
static void refuse(sqlite_store *store, sqlite_assembly *self, const char *why) {
  if (self->refused) return;
  self->refused = true;
  atomic_fetch_sub(&store->backlog, self->packet.data.size);
  store_packet_free(&self->packet);
  srv_log(SRV_WARNING, "results_not_kept",
          (srv_field[]){srv_text("id", self->run.id),
                        srv_number("attempt", self->run.attempt),
                        srv_text("why", why),
                        srv_number("bytes", (double)self->bytes),
                        srv_number("free", sqlite_room_free(&store->room)),
                        srv_number("reserve", (double)store->room.reserve),
                        {0}});
  sqlite_results_forget(store, self->run.id, self->run.attempt, self->run.attempt);
}

/* What is on its way goes into the log first and then into the file. */
static size_t coming(sqlite_store *store) {
  return 2 * atomic_load(&store->backlog) + sqlite_writer_unmoved(&store->results_writer);
}

static bool has_room(sqlite_store *store, const sqlite_assembly *self) {
  return sqlite_room_has(&store->room, coming(store), self->bytes <= SMALL_BYTES);
}

typedef struct part_command {
  sqlite_command command;
  sqlite_store *store;
  store_part *part;
} part_command;

/* What came before its run was refused is not written any more. */
static service_status part_execute(sqlite_command *command, sqlite_db *db) {
  const part_command *self = (const part_command *)command;
  pthread_mutex_lock(&self->store->assemblies.mutex);
  const sqlite_assembly *of = *place_of(&self->store->assemblies, &self->part->run);
  bool refused = of && of->refused;
  pthread_mutex_unlock(&self->store->assemblies.mutex);
  return refused ? SERVICE_OK : sqlite_results_write(db, self->part);
}

static void part_done(sqlite_command *command, service_status status) {
  part_command *self = (part_command *)command;
  sqlite_store *store = self->store;
  atomic_fetch_sub(&store->posted, command->weight);
  if (status != SERVICE_OK) {
    pthread_mutex_lock(&store->assemblies.mutex);
    sqlite_assembly *of = *place_of(&store->assemblies, &self->part->run);
    if (of) refuse(store, of, status == SERVICE_NO_SPACE ? "the disk is full" : "the database failed");
    pthread_mutex_unlock(&store->assemblies.mutex);
  }
  sqlite_part_free(store, self->part);
  free(self);
}

static void flush(sqlite_store *store, sqlite_assembly *self) {
  if (self->refused || store_packet_is_empty(&self->packet)) return;
  if (!has_room(store, self)) {
    refuse(store, self, "the free disk space is below the reserve (--disk-reserve)");
    return;
  }
  part_command *write = malloc(sizeof *write);
  store_part *part = write ? make_part(self) : NULL;
  if (!part) {
    free(write);
    refuse(store, self, "out of memory");
    return;
  }
  *write = (part_command){{part_execute, part_done, part->packet.data.size, SERVICE_OK, NULL, false}, store, part};
  atomic_fetch_add(&store->posted, write->command.weight);
  sqlite_writer_post(&store->results_writer, &write->command);
}

void sqlite_assembly_flush(sqlite_store *store, const store_run *run) {
  pthread_mutex_lock(&store->assemblies.mutex);
  sqlite_assembly *self = *place_of(&store->assemblies, run);
  if (self) flush(store, self);
  pthread_mutex_unlock(&store->assemblies.mutex);
}

/* ---- what a run hands over --------------------------------------------------------------------------------------- */

static bool add_array(sqlite_assembly *self, const store_array *array) {
  assembly_array *arrays = api_grow(self->arrays, self->count, &self->capacity, sizeof *arrays);
  if (!arrays) return false;
  self->arrays = arrays;
  arrays[self->count++] = (assembly_array){.columns = array->columns, .whole = array->timeless && !array->by_run};
  store_packet_array(&self->packet, array);
  return true;
}

static void write_array(srv_store *verbs, const store_run *run, const store_array *array) {
  sqlite_store *store = (sqlite_store *)verbs;
  pthread_mutex_lock(&store->assemblies.mutex);
  sqlite_assembly *self = find_or_make(&store->assemblies, run);
  /* One that is missing is found when the run ends. */
  if (self && !self->refused && (size_t)array->position == self->count && !add_array(self, array))
    refuse(store, self, "out of memory");
  pthread_mutex_unlock(&store->assemblies.mutex);
}

/* A tile follows the one before it or is left out: no rows are missing in between. */
static void add_tile(sqlite_store *store, sqlite_assembly *self, const store_tile *tile) {
  if (tile->position < 0 || (size_t)tile->position >= self->count || tile->size == 0) return;
  assembly_array *array = &self->arrays[tile->position];
  if (tile->first != array->rows || tile->size != tile->rows * array->columns * sizeof(double)) return;
  size_t before = self->packet.data.size;
  store_packet_piece(&self->packet, tile, !array->whole);
  array->rows += tile->rows;
  self->bytes += tile->size;
  atomic_fetch_add(&store->backlog, self->packet.data.size - before);
  if (self->packet.data.size >= PART_BYTES || store_packet_failed(&self->packet)) flush(store, self);
}

static bool write_tile(srv_store *verbs, const store_run *run, const store_tile *tile) {
  sqlite_store *store = (sqlite_store *)verbs;
  pthread_mutex_lock(&store->assemblies.mutex);
  sqlite_assembly *self = *place_of(&store->assemblies, run);
  if (self && !self->refused) add_tile(store, self, tile);
  bool kept = !self || !self->refused;
  pthread_mutex_unlock(&store->assemblies.mutex);
  free(tile->data);
  return kept;
}

/* Long before the room is taken, too: nothing is refused because it is not written yet. */
static bool is_behind(srv_store *verbs, bool waits) {
  sqlite_store *store = (sqlite_store *)verbs;
  size_t posted = atomic_load(&store->posted) * (waits ? 2 : 1);
  return posted > 2 * PART_BYTES && (posted > MOST_POSTED || !sqlite_room_has(&store->room, 2 * coming(store), false));
}

/* ---- the end of a run -------------------------------------------------------------------------------------------- */

store_part *sqlite_assembly_take(sqlite_store *store, const store_run *run, bool *refused) {
  store_part *part = NULL;
  *refused = false;
  pthread_mutex_lock(&store->assemblies.mutex);
  sqlite_assembly **link = place_of(&store->assemblies, run), *self = *link;
  if (self) {
    bool waits = !self->refused && !store_packet_is_empty(&self->packet);
    if (waits && !has_room(store, self))
      refuse(store, self, "the free disk space is below the reserve (--disk-reserve)");
    if (waits && !self->refused && !(part = make_part(self))) refuse(store, self, "out of memory");
    *refused = self->refused;
    *link = self->next;
    assembly_free(self);
  }
  pthread_mutex_unlock(&store->assemblies.mutex);
  return part;
}

void sqlite_assembly_put_back(sqlite_store *store, store_part *part) {
  pthread_mutex_lock(&store->assemblies.mutex);
  sqlite_assembly *self = find_or_make(&store->assemblies, &part->run);
  if (self && store_packet_is_empty(&self->packet) && !self->refused) {
    self->number = part->number;
    self->packet = part->packet;
    part->packet = (store_packet){0};
  }
  pthread_mutex_unlock(&store->assemblies.mutex);
  sqlite_part_free(store, part);
}

void sqlite_assembly_forget(sqlite_store *store, const char *id) {
  pthread_mutex_lock(&store->assemblies.mutex);
  for (sqlite_assembly **link = &store->assemblies.first; *link;) {
    sqlite_assembly *self = *link;
    if (strcmp(self->run.id, id) != 0) {
      link = &self->next;
      continue;
    }
    *link = self->next;
    atomic_fetch_sub(&store->backlog, self->packet.data.size);
    assembly_free(self);
  }
  pthread_mutex_unlock(&store->assemblies.mutex);
}

void sqlite_assembly_verbs(srv_store *verbs) {
  verbs->array = write_array;
  verbs->tile = write_tile;
  verbs->is_behind = is_behind;
}
