/* results.c - see results.h. */
#include "server/store/sqlite/results.h"

#include "server/store/sqlite/state.h"

#include <stdlib.h>
#include <string.h>

/* Tiles dropped in one transaction. */
enum { DROP_TILES = 64 };

/* ---- arrays and tiles ------------------------------------------------------------------------------------------ */

/* A tile's number counts its first row in units of the array's tile_rows. That is 1 since tiles come while the job runs
 * and are as long as it happens; older results have tiles of one length. */

typedef struct array_command {
  sqlite_command command;
  store_run run;
  store_array array; /* its texts are copies */
} array_command;

static service_status array_execute(sqlite_command *command, sqlite_db *db) {
  const array_command *self = (const array_command *)command;
  const store_array *a = &self->array;
  sqlite3_int64 attempt = self->run.attempt;
  service_status status = sqlite_db_run(db, "INSERT INTO runs (job, attempt) VALUES (?, ?) ON CONFLICT DO NOTHING",
                                        "ti", self->run.id, attempt);
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(db,
                       "INSERT INTO arrays (run, position, name, unit, doc, labels, rank, shape0, shape1, shape2,"
                       " shape3, timeless, columns, tile_rows, units)"
                       " VALUES ((SELECT id FROM runs WHERE job = ?1 AND attempt = ?2),"
                       " ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 1, ?15)",
                       "tiittttiiiiiiit", self->run.id, attempt, (sqlite3_int64)a->position, a->name, a->unit, a->doc,
                       a->labels, (sqlite3_int64)a->rank, (sqlite3_int64)(a->timeless ? a->shape[0] : 0),
                       (sqlite3_int64)a->shape[1], (sqlite3_int64)a->shape[2], (sqlite3_int64)a->shape[3],
                       (sqlite3_int64)a->timeless, (sqlite3_int64)a->columns, a->units);
}

static void array_done(sqlite_command *command, service_status status) {
  array_command *self = (array_command *)command;
  (void)status; /* a missing array is found when the run ends */
  free((char *)self->array.name);
  free((char *)self->array.unit);
  free((char *)self->array.doc);
  free((char *)self->array.labels);
  free((char *)self->array.units);
  free(self);
}

static char *copy_of(const char *text) { return text ? strdup(text) : NULL; }

static void write_array(srv_store *verbs, const store_run *run, const store_array *array) {
  array_command *self = malloc(sizeof *self);
  if (!self) return;
  *self = (array_command){{array_execute, array_done, 0, SERVICE_OK, NULL}, *run, *array};
  self->array.name = copy_of(array->name);
  self->array.unit = copy_of(array->unit);
  self->array.doc = copy_of(array->doc);
  self->array.labels = copy_of(array->labels);
  self->array.units = copy_of(array->units);
  sqlite_writer_post(&((sqlite_store *)verbs)->results_writer, &self->command);
}

typedef struct tile_command {
  sqlite_command command;
  sqlite_store *store;
  store_run run;
  store_tile tile;
} tile_command;

/* A tile follows the one before it or is left out, as all of a job that was removed: no rows are missing in between. */
static service_status tile_execute(sqlite_command *command, sqlite_db *db) {
  const tile_command *self = (const tile_command *)command;
  const store_tile *tile = &self->tile;
  sqlite3_int64 attempt = self->run.attempt, position = tile->position, first = (sqlite3_int64)tile->first;
  service_status status = SERVICE_OK;
  if (tile->size > 0)
    status = sqlite_db_run(db,
                           "INSERT INTO tiles (run, position, tile, data) SELECT a.run, a.position, ?4, ?5"
                           " FROM runs r JOIN arrays a ON a.run = r.id WHERE r.job = ?1 AND r.attempt = ?2"
                           " AND a.position = ?3 AND (a.timeless OR a.shape0 = ?4)",
                           "tiiib", self->run.id, attempt, position, first, (const void *)tile->data, tile->size);
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(db,
                       "UPDATE arrays SET shape0 = ?5 WHERE run = (SELECT id FROM runs WHERE job = ?1 AND attempt = ?2)"
                       " AND position = ?3 AND NOT timeless AND shape0 = ?4",
                       "tiiii", self->run.id, attempt, position, first, (sqlite3_int64)(tile->first + tile->rows));
}

static void tile_done(sqlite_command *command, service_status status) {
  tile_command *self = (tile_command *)command;
  (void)status; /* a missing tile is found when the run ends */
  atomic_fetch_sub(&self->store->backlog, self->tile.size);
  free(self->tile.data);
  free(self);
}

static void write_tile(srv_store *verbs, const store_run *run, const store_tile *tile) {
  sqlite_store *store = (sqlite_store *)verbs;
  tile_command *self = malloc(sizeof *self);
  if (!self) {
    free(tile->data);
    return;
  }
  *self = (tile_command){{tile_execute, tile_done, tile->size, SERVICE_OK, NULL}, store, *run, *tile};
  atomic_fetch_add(&store->backlog, tile->size);
  sqlite_writer_post(&store->results_writer, &self->command);
}

static size_t backlog(srv_store *verbs) { return atomic_load(&((sqlite_store *)verbs)->backlog); }

/* ---- dropping -------------------------------------------------------------------------------------------------- */

service_status sqlite_results_drop(sqlite_db *results, const char *job, int first, int last, bool *more) {
  service_status status =
      sqlite_db_run(results,
                    "DELETE FROM tiles WHERE id IN (SELECT t.id FROM runs r JOIN tiles t ON t.run = r.id"
                    " WHERE r.job = ?1 AND r.attempt BETWEEN ?2 AND ?3 LIMIT ?4)",
                    "tiii", job, (sqlite3_int64)first, (sqlite3_int64)last, (sqlite3_int64)DROP_TILES);
  int dropped = sqlite3_changes(results->handle);
  *more = status == SERVICE_OK && dropped == DROP_TILES;
  if (status == SERVICE_OK && !*more) {
    status = sqlite_db_run(results, "DELETE FROM runs WHERE job = ?1 AND attempt BETWEEN ?2 AND ?3", "tii", job,
                           (sqlite3_int64)first, (sqlite3_int64)last);
  }
  /* Give the space back to the disk: freed pages inside the file would not end a shortage. */
  if (status == SERVICE_OK && dropped > 0) status = sqlite_db_script(results, "PRAGMA incremental_vacuum(4096)");
  return status;
}

void sqlite_results_verbs(srv_store *verbs) {
  verbs->array = write_array;
  verbs->tile = write_tile;
  verbs->backlog = backlog;
}
