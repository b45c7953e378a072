/* parts.c - see parts.h. */
#include "server/store/sqlite/results/parts.h"

#include "server/base/log.h"
#include "server/store/sqlite/results/results.h"

#include <stdlib.h>

typedef struct part_command {
  sqlite_command command;
  sqlite_store *store;
  store_part *part;
} part_command;

static service_status part_execute(sqlite_command *command, sqlite_db *db) {
  const part_command *self = (const part_command *)command;
  if (store_assembly_refused(&self->store->assemblies, &self->part->run)) return SERVICE_OK;
  return sqlite_results_write(db, self->part);
}

static void part_done(sqlite_command *command, service_status status) {
  part_command *self = (part_command *)command;
  store_assembly_written(&self->store->assemblies, self->part, status);
  free(self);
}

static bool post(srv_store *verbs, store_part *part) {
  sqlite_store *store = (sqlite_store *)verbs;
  part_command *self = malloc(sizeof *self);
  if (!self) return false;
  *self = (part_command){{part_execute, part_done, part->chunk.data.size, SERVICE_OK, NULL, false}, store, part};
  sqlite_writer_post(&store->results_writer, &self->command);
  return true;
}

static void drop(srv_store *verbs, const store_run *run, size_t bytes, const char *why) {
  sqlite_store *store = (sqlite_store *)verbs;
  srv_log(SRV_WARNING, "results_not_kept",
          (srv_field[]){srv_text("id", run->id),
                        srv_number("attempt", run->attempt),
                        srv_text("why", why),
                        srv_number("bytes", (double)bytes),
                        srv_number("free", sqlite_disk_reserve_free(&store->room)),
                        srv_number("reserve", (double)store->room.reserve),
                        {0}});
  sqlite_results_forget(store, run->id, run->attempt, run->attempt);
}

/* Results are written to the log first and then to the file. */
static bool has_space(srv_store *verbs, size_t factor, bool small) {
  sqlite_store *store = (sqlite_store *)verbs;
  size_t coming = 2 * atomic_load(&store->assemblies.backlog) + sqlite_writer_unmoved(&store->results_writer);
  return sqlite_disk_reserve_has(&store->room, factor * coming, small);
}

void sqlite_parts_init(sqlite_store *store) {
  static const assembly_engine engine = {post, drop, has_space};
  store_assemblies_init(&store->assemblies, &store->verbs, &engine);
}

static void write_array(srv_store *verbs, const store_run *run, const store_array *array) {
  store_assembly_array(&((sqlite_store *)verbs)->assemblies, run, array);
}

static bool write_tile(srv_store *verbs, const store_run *run, const store_tile *tile) {
  return store_assembly_tile(&((sqlite_store *)verbs)->assemblies, run, tile);
}

static bool is_behind(srv_store *verbs, bool waits) {
  return store_assembly_is_behind(&((sqlite_store *)verbs)->assemblies, waits);
}

void sqlite_part_verbs(srv_store *verbs) {
  verbs->array = write_array;
  verbs->tile = write_tile;
  verbs->is_behind = is_behind;
}
