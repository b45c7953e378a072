/* assembly.c - see assembly.h. */
#include "server/store/postgres/assembly.h"

#include "api/base/grow.h"
#include "server/base/log.h"
#include "server/store/postgres/health.h"
#include "server/store/postgres/results.h"

#include <stdlib.h>
#include <string.h>

/* What makes a part without being asked for, and most that may wait for the writer [bytes]. */
enum { PART_BYTES = 1 << 20, MOST_POSTED = 64 << 20 };

typedef struct assembly_array {
  size_t columns, rows;
  bool whole; /* it is there as a whole or not at all */
} assembly_array;

typedef struct postgres_assembly postgres_assembly;
struct postgres_assembly {
  store_run run;
  store_packet packet; /* of the next part */
  int number;          /* its number */
  assembly_array *arrays;
  size_t count, capacity;
  bool refused;
  postgres_assembly *next;
};

static void assembly_free(postgres_assembly *self) {
  store_packet_free(&self->packet);
  free(self->arrays);
  free(self);
}

void postgres_assemblies_init(postgres_assemblies *assemblies) {
  assemblies->first = NULL;
  pthread_mutex_init(&assemblies->mutex, NULL);
}

void postgres_assemblies_free(postgres_assemblies *assemblies) {
  for (postgres_assembly *self; (self = assemblies->first);) {
    assemblies->first = self->next;
    assembly_free(self);
  }
  pthread_mutex_destroy(&assemblies->mutex);
}

/* Where the list points to the assembly of a run, or to NULL. With the lock, as all that follow. */
static postgres_assembly **place_of(postgres_assemblies *list, const store_run *run) {
  postgres_assembly **link = &list->first;
  while (*link && !((*link)->run.attempt == run->attempt && strcmp((*link)->run.id, run->id) == 0))
    link = &(*link)->next;
  return link;
}

static postgres_assembly *find_or_make(postgres_assemblies *list, const store_run *run) {
  postgres_assembly **link = place_of(list, run);
  if (*link) return *link;
  *link = calloc(1, sizeof **link);
  if (*link) (*link)->run = *run;
  return *link;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

void postgres_part_free(store_part *part) {
  if (!part) return;
  store_packet_free(&part->packet);
  free(part->layout);
  free(part);
}

/* Takes what waits out of an assembly as a part; NULL without memory. */
static store_part *make_part(postgres_assembly *self) {
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
static void refuse(postgres_store *store, postgres_assembly *self, const char *why) {
  if (self->refused) return;
  self->refused = true;
  store_packet_free(&self->packet);
  srv_log(
      SRV_WARNING, "results_not_kept",
      (srv_field[]){srv_text("id", self->run.id), srv_number("attempt", self->run.attempt), srv_text("why", why), {0}});
  postgres_results_forget(store, self->run.id, self->run.attempt, self->run.attempt);
}

typedef struct part_command {
  postgres_command command;
  postgres_store *store;
  store_part *part;
} part_command;

/* What came before its run was refused is not written any more. */
static service_status part_execute(postgres_command *command, postgres_writer *writer) {
  const part_command *self = (const part_command *)command;
  pthread_mutex_lock(&self->store->assemblies.mutex);
  const postgres_assembly *of = *place_of(&self->store->assemblies, &self->part->run);
  bool refused = of && of->refused;
  pthread_mutex_unlock(&self->store->assemblies.mutex);
  return refused ? SERVICE_OK : postgres_results_write(&writer->db, self->part);
}

static void part_done(postgres_command *command, service_status status) {
  part_command *self = (part_command *)command;
  postgres_store *store = self->store;
  atomic_fetch_sub(&store->posted, command->weight);
  if (status == SERVICE_NO_SPACE) postgres_health_full(store);
  if (status != SERVICE_OK) {
    pthread_mutex_lock(&store->assemblies.mutex);
    postgres_assembly *of = *place_of(&store->assemblies, &self->part->run);
    if (of) refuse(store, of, status == SERVICE_NO_SPACE ? "the disk is full" : "the database failed");
    pthread_mutex_unlock(&store->assemblies.mutex);
  }
  postgres_part_free(self->part);
  free(self);
}

static void flush(postgres_store *store, postgres_assembly *self) {
  if (self->refused || store_packet_is_empty(&self->packet)) return;
  part_command *write = malloc(sizeof *write);
  store_part *part = write ? make_part(self) : NULL;
  if (!part) {
    free(write);
    refuse(store, self, "out of memory");
    return;
  }
  *write = (part_command){
      {.execute = part_execute, .done = part_done, .weight = part->packet.data.size, .patient = true}, store, part};
  atomic_fetch_add(&store->posted, write->command.weight);
  postgres_writer_post(&store->results_writer, &write->command);
}

void postgres_assembly_flush(postgres_store *store, const store_run *run) {
  pthread_mutex_lock(&store->assemblies.mutex);
  postgres_assembly *self = *place_of(&store->assemblies, run);
  if (self) flush(store, self);
  pthread_mutex_unlock(&store->assemblies.mutex);
}

/* ---- what a run hands over --------------------------------------------------------------------------------------- */

static bool add_array(postgres_assembly *self, const store_array *array) {
  assembly_array *arrays = api_grow(self->arrays, self->count, &self->capacity, sizeof *arrays);
  if (!arrays) return false;
  self->arrays = arrays;
  arrays[self->count++] = (assembly_array){.columns = array->columns, .whole = array->timeless && !array->by_run};
  store_packet_array(&self->packet, array);
  return true;
}

static void write_array(srv_store *verbs, const store_run *run, const store_array *array) {
  postgres_store *store = (postgres_store *)verbs;
  pthread_mutex_lock(&store->assemblies.mutex);
  postgres_assembly *self = find_or_make(&store->assemblies, run);
  /* One that is missing is found when the run ends. */
  if (self && !self->refused && (size_t)array->position == self->count && !add_array(self, array))
    refuse(store, self, "out of memory");
  pthread_mutex_unlock(&store->assemblies.mutex);
}

/* A tile follows the one before it or is left out: no rows are missing in between. */
static void add_tile(postgres_store *store, postgres_assembly *self, const store_tile *tile) {
  if (tile->position < 0 || (size_t)tile->position >= self->count || tile->size == 0) return;
  assembly_array *array = &self->arrays[tile->position];
  if (tile->first != array->rows || tile->size != tile->rows * array->columns * sizeof(double)) return;
  store_packet_piece(&self->packet, tile, !array->whole);
  array->rows += tile->rows;
  if (self->packet.data.size >= PART_BYTES || store_packet_failed(&self->packet)) flush(store, self);
}

static bool write_tile(srv_store *verbs, const store_run *run, const store_tile *tile) {
  postgres_store *store = (postgres_store *)verbs;
  pthread_mutex_lock(&store->assemblies.mutex);
  postgres_assembly *self = *place_of(&store->assemblies, run);
  if (self && !self->refused) add_tile(store, self, tile);
  bool kept = !self || !self->refused;
  pthread_mutex_unlock(&store->assemblies.mutex);
  free(tile->data);
  return kept;
}

static bool is_behind(srv_store *verbs, bool waits) {
  return atomic_load(&((postgres_store *)verbs)->posted) * (waits ? 2 : 1) > MOST_POSTED;
}

/* ---- the end of a run -------------------------------------------------------------------------------------------- */

store_part *postgres_assembly_take(postgres_store *store, const store_run *run, bool *refused) {
  store_part *part = NULL;
  *refused = false;
  pthread_mutex_lock(&store->assemblies.mutex);
  postgres_assembly **link = place_of(&store->assemblies, run), *self = *link;
  if (self) {
    bool waits = !self->refused && !store_packet_is_empty(&self->packet);
    if (waits && !(part = make_part(self))) refuse(store, self, "out of memory");
    *refused = self->refused;
    *link = self->next;
    assembly_free(self);
  }
  pthread_mutex_unlock(&store->assemblies.mutex);
  return part;
}

void postgres_assembly_put_back(postgres_store *store, store_part *part) {
  pthread_mutex_lock(&store->assemblies.mutex);
  postgres_assembly *self = find_or_make(&store->assemblies, &part->run);
  if (self && store_packet_is_empty(&self->packet) && !self->refused) {
    self->number = part->number;
    self->packet = part->packet;
    part->packet = (store_packet){0};
  }
  pthread_mutex_unlock(&store->assemblies.mutex);
  postgres_part_free(part);
}

void postgres_assembly_forget(postgres_store *store, const char *id) {
  pthread_mutex_lock(&store->assemblies.mutex);
  for (postgres_assembly **link = &store->assemblies.first; *link;) {
    postgres_assembly *self = *link;
    if (strcmp(self->run.id, id) != 0) {
      link = &self->next;
      continue;
    }
    *link = self->next;
    assembly_free(self);
  }
  pthread_mutex_unlock(&store->assemblies.mutex);
}

void postgres_assembly_verbs(srv_store *verbs) {
  verbs->array = write_array;
  verbs->tile = write_tile;
  verbs->is_behind = is_behind;
}
