/* parts.c - see parts.h. */
#include "server/store/postgres/results/parts.h"

#include "server/base/log.h"
#include "server/store/postgres/operations/health.h"
#include "server/store/postgres/results/results.h"

#include <stdlib.h>

typedef struct part_command {
  postgres_command command;
  postgres_store *store;
  store_part *part;
} part_command;

static service_status part_execute(postgres_command *command, postgres_writer *writer) {
  const part_command *self = (const part_command *)command;
  if (store_assembly_refused(&self->store->assemblies, &self->part->run)) return SERVICE_OK;
  return postgres_results_write(&writer->db, self->part);
}

static void part_done(postgres_command *command, service_status status) {
  part_command *self = (part_command *)command;
  if (status == SERVICE_NO_SPACE) postgres_health_full(self->store);
  store_assembly_written(&self->store->assemblies, self->part, status);
  free(self);
}

/* The command is patient: while there is no connection parts wait, and is_behind() makes their runs wait, too. */
static bool post(srv_store *verbs, store_part *part) {
  postgres_store *store = (postgres_store *)verbs;
  part_command *self = malloc(sizeof *self);
  if (!self) return false;
  *self = (part_command){
      {.execute = part_execute, .done = part_done, .weight = part->chunk.data.size, .patient = true}, store, part};
  postgres_writer_post(&store->results_writer, &self->command);
  return true;
}

static void drop(srv_store *verbs, const store_run *run, size_t bytes, const char *why) {
  srv_log(SRV_WARNING, "results_not_kept",
          (srv_field[]){srv_text("id", run->id),
                        srv_number("attempt", run->attempt),
                        srv_text("why", why),
                        srv_number("bytes", (double)bytes),
                        {0}});
  postgres_results_forget((postgres_store *)verbs, run->id, run->attempt, run->attempt);
}

/* The database checks its own disk: writing a part to a full disk fails. */
static bool has_space(srv_store *verbs, size_t factor, bool small) {
  (void)verbs;
  (void)factor;
  (void)small;
  return true;
}

void postgres_parts_init(postgres_store *store) {
  static const assembly_engine engine = {post, drop, has_space};
  store_assemblies_init(&store->assemblies, &store->verbs, &engine);
}

static void write_array(srv_store *verbs, const store_run *run, const store_array *array) {
  store_assembly_array(&((postgres_store *)verbs)->assemblies, run, array);
}

static bool write_tile(srv_store *verbs, const store_run *run, const store_tile *tile) {
  return store_assembly_tile(&((postgres_store *)verbs)->assemblies, run, tile);
}

static bool is_behind(srv_store *verbs, bool waits) {
  return store_assembly_is_behind(&((postgres_store *)verbs)->assemblies, waits);
}

void postgres_part_verbs(srv_store *verbs) {
  verbs->array = write_array;
  verbs->tile = write_tile;
  verbs->is_behind = is_behind;
}
