/* usage.c - see usage.h. */
#include "server/store/postgres/queue/usage.h"

#include "server/store/postgres/connection/state.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- charge ------------------------------------------------------------------------------------------------------ */

typedef struct charge_command {
  postgres_command command;
  double seconds;
  char client[sizeof((store_claim){0}.client)];
} charge_command;

/* A time that may have been added is not added again. */
static service_status charge_execute(postgres_command *command, postgres_writer *writer) {
  const charge_command *self = (const charge_command *)command;
  if (command->in_doubt) return SERVICE_OK;
  return postgres_writer_use(writer, self->client, 0, self->seconds) ? SERVICE_OK : SERVICE_FAILED;
}

static void charge_done(postgres_command *command, service_status status) {
  (void)status; /* after a failure this time is not counted */
  free(command);
}

/* The time of a block need not be flushed, so that it shares the transaction of the block's results. */
static void charge(srv_store *verbs, const store_run *run, const char *client, double seconds) {
  charge_command *self = malloc(sizeof *self);
  if (!self) return;
  *self = (charge_command){.command = {.execute = charge_execute, .done = charge_done, .may_be_lost = run->is_block},
                           .seconds = seconds};
  snprintf(self->client, sizeof self->client, "%s", client);
  postgres_writer_post(&((postgres_store *)verbs)->results_writer, &self->command);
}

/* ---- usage ------------------------------------------------------------------------------------------------------- */

typedef struct usage_reading {
  postgres_reading reading;
  service_usage *out;
  char client[sizeof((store_claim){0}.client)];
} usage_reading;

static const char read_usage[] =
    "SELECT (SELECT count(*) FROM queue WHERE NOT running AND client = $1), coalesce(sum(bytes), 0)::float8,"
    " coalesce(sum(cpu) FILTER (WHERE day = today()), 0)::float8, (86400 * (today() + 1))::float8 - clock()"
    " FROM client_use WHERE client = $1";

static service_status usage_execute(postgres_reading *reading, postgres_reader *reader) {
  const usage_reading *self = (const usage_reading *)reading;
  PGresult *result = postgres_db_query(&reader->db, read_usage, "t", self->client);
  if (!result) return postgres_db_failure(&reader->db);
  *self->out = (service_usage){.used = {[SERVICE_LIMIT_QUEUE] = (double)postgres_integer(result, 0, 0),
                                        [SERVICE_LIMIT_BYTES] = postgres_double(result, 0, 1),
                                        [SERVICE_LIMIT_CPU] = postgres_double(result, 0, 2)},
                               .day_left = postgres_double(result, 0, 3)};
  PQclear(result);
  return SERVICE_OK;
}

static void usage(srv_store *verbs, const char *client, service_usage *out, store_done done, void *context) {
  usage_reading *self = calloc(1, sizeof *self);
  *out = (service_usage){.day_left = 0};
  if (self) {
    self->reading.execute = usage_execute;
    self->reading.store = (postgres_store *)verbs;
    self->out = out;
    snprintf(self->client, sizeof self->client, "%s", client);
  }
  postgres_readers_post(&((postgres_store *)verbs)->readers, self ? &self->reading : NULL, done, context);
}

void postgres_usage_verbs(srv_store *verbs) {
  verbs->charge = charge;
  verbs->usage = usage;
}
