/* job_transitions.c - see job_transitions.h. */
#include "server/store/postgres/queue/job_transitions.h"

#include "server/store/common/result_chunk.h"
#include "server/store/postgres/queue/runtime_estimate.h"

#include <stdlib.h>
#include <string.h>

/* A job that lost its lease this often is ended: it may be what kills its servers. */
#define MOST_INTERRUPTIONS "10"

static int64_t checksum_of(const char *text) { return text ? (int64_t)store_checksum(text, strlen(text)) : 0; }

static const char end_run[] =
    "WITH gone AS (DELETE FROM queue WHERE id = $1 AND attempt = $2::int AND running RETURNING *),"
    " study AS (DELETE FROM studies USING gone WHERE studies.job = gone.id),"
    " ended AS (UPDATE jobs SET status = $3, attempt = gone.attempt, started = gone.started,"
    " finished = greatest(clock(), gone.started), report = $4, error = $5, progress_t = $6::float8,"
    " progress_fraction = $7::float8, evaluations = $8::bigint, shown = $9::int, report_checksum = $10::bigint,"
    " bytes = gone.bytes + $11::bigint FROM gone WHERE jobs.seq = gone.seq"
    " RETURNING jobs.seq, jobs.finished - jobs.started AS took)"
    " SELECT gone.seq, gone.kind, gone.span, ended.took, (SELECT rate FROM costs WHERE costs.kind = gone.kind),"
    " (SELECT job FROM costs WHERE costs.kind = gone.kind), gone.client FROM gone JOIN ended USING (seq)";

service_status postgres_end(postgres_writer *writer, const store_end *end, int shown, size_t bytes, bool *ended) {
  int64_t more = (int64_t)(bytes + (end->report ? strlen(end->report) : 0));
  PGresult *result = postgres_db_query(
      &writer->db, end_run,
      "tittt"
      "ddiiii",
      end->run.id, (int64_t)end->run.attempt, job_state_name(end->state), end->report, end->error, end->progress.t,
      end->progress.fraction, (int64_t)end->progress.evaluations, (int64_t)shown, checksum_of(end->report), more);
  if (!result) return postgres_db_failure(&writer->db);
  *ended = PQntuples(result) > 0;
  service_status status = SERVICE_OK;
  if (*ended) {
    postgres_writer_count(writer, JOB_RUNNING, -1, 0);
    postgres_writer_count(writer, end->state, 1, more);
    if (!postgres_writer_use(writer, PQgetvalue(result, 0, 6), more, 0) ||
        !postgres_writer_notify(writer, STORE_EVENT_ENDED, end->run.id))
      status = SERVICE_FAILED;
  }
  if (*ended && status == SERVICE_OK && end->state != JOB_CANCELLED) {
    const postgres_seen seen = {.job = postgres_integer(result, 0, 0),
                                .kind = postgres_integer(result, 0, 1),
                                .span = postgres_double(result, 0, 2),
                                .seconds = end->seconds > 0 ? end->seconds : postgres_double(result, 0, 3),
                                .known = !PQgetisnull(result, 0, 4),
                                .rate = postgres_double(result, 0, 4),
                                .of = postgres_integer(result, 0, 5)};
    status = postgres_runtime_learn(&writer->db, &seen);
  }
  PQclear(result);
  return status;
}

/* ---- back to the queue ------------------------------------------------------------------------------------------- */

static const char give_back[] =
    "WITH held AS (SELECT id, cancel_requested FROM queue WHERE id = $1 AND attempt = $2::int AND running FOR UPDATE),"
    " back AS (UPDATE queue SET running = false, lease_until = 0, crashes = crashes + $3::int FROM held"
    " WHERE queue.id = held.id AND NOT held.cancel_requested),"
    " gone AS (DELETE FROM queue USING held WHERE queue.id = held.id AND held.cancel_requested RETURNING queue.*),"
    " paused AS (UPDATE studies SET coordinated = false FROM held WHERE studies.job = held.id"
    " AND NOT held.cancel_requested),"
    " study AS (DELETE FROM studies USING gone WHERE studies.job = gone.id),"
    " ended AS (UPDATE jobs SET status = 'cancelled', attempt = gone.attempt, shown = gone.attempt,"
    " started = gone.started, finished = greatest(clock(), gone.started), progress_t = $4::float8,"
    " error = " POSTGRES_CANCELLED("$4::float8") " FROM gone WHERE jobs.seq = gone.seq)"
                                                 " SELECT cancel_requested FROM held";

service_status postgres_give_back(postgres_writer *writer, const store_run *run, double t, bool crashed) {
  PGresult *result =
      postgres_db_query(&writer->db, give_back, "tiid", run->id, (int64_t)run->attempt, (int64_t)crashed, t);
  if (!result) return postgres_db_failure(&writer->db);
  bool held = PQntuples(result) > 0, ended = held && postgres_integer(result, 0, 0) != 0;
  PQclear(result);
  if (!held) return SERVICE_NOT_FOUND;
  postgres_writer_count(writer, JOB_RUNNING, -1, 0);
  postgres_writer_count(writer, ended ? JOB_CANCELLED : JOB_QUEUED, 1, 0);
  store_event event = ended ? STORE_EVENT_ENDED : STORE_EVENT_QUEUED;
  return postgres_writer_notify(writer, event, run->id) ? SERVICE_OK : SERVICE_FAILED;
}

static const char take_back[] =
    "WITH late AS (SELECT id, cancel_requested, cancel_requested OR interruptions >= " MOST_INTERRUPTIONS " - 1 AS ends"
    " FROM queue WHERE running AND lease_until < clock() ORDER BY id FOR UPDATE SKIP LOCKED),"
    " back AS (UPDATE queue SET running = false, lease_until = 0, interruptions = interruptions + 1 FROM late"
    " WHERE queue.id = late.id AND NOT late.ends),"
    " gone AS (DELETE FROM queue USING late WHERE queue.id = late.id AND late.ends RETURNING queue.*),"
    " paused AS (UPDATE studies SET coordinated = false FROM late WHERE studies.job = late.id AND NOT late.ends),"
    " study AS (DELETE FROM studies USING gone WHERE studies.job = gone.id),"
    " ended AS (UPDATE jobs SET status = CASE WHEN gone.cancel_requested THEN 'cancelled' ELSE 'failed' END,"
    " attempt = gone.attempt, shown = gone.attempt, started = gone.started,"
    " finished = greatest(clock(), gone.started), error = CASE WHEN gone.cancel_requested THEN " POSTGRES_CANCELLED(
        "NULL") " ELSE '{\"code\":\"interrupted\",\"detail\":\"the service terminated in every attempt at this job\"}' "
                "END"
                " FROM gone WHERE jobs.seq = gone.seq)"
                " SELECT id, ends, cancel_requested FROM late";

service_status postgres_take_back(postgres_writer *writer) {
  PGresult *result = postgres_db_query(&writer->db, take_back, "");
  if (!result) return postgres_db_failure(&writer->db);
  bool told = true;
  for (int i = 0; i < PQntuples(result); i++) {
    bool ends = postgres_integer(result, i, 1) != 0, cancelled = postgres_integer(result, i, 2) != 0;
    postgres_writer_count(writer, JOB_RUNNING, -1, 0);
    postgres_writer_count(writer, !ends ? JOB_QUEUED : cancelled ? JOB_CANCELLED : JOB_FAILED, 1, 0);
    told =
        postgres_writer_notify(writer, ends ? STORE_EVENT_ENDED : STORE_EVENT_QUEUED, PQgetvalue(result, i, 0)) && told;
  }
  PQclear(result);
  return told ? SERVICE_OK : SERVICE_FAILED;
}

/* ---- waiting jobs ------------------------------------------------------------------------------------------------ */

static const char end_waiting[] =
    "WITH gone AS (DELETE FROM queue WHERE id = $1 AND NOT running RETURNING *),"
    " study AS (DELETE FROM studies USING gone WHERE studies.job = gone.id),"
    " ended AS (UPDATE jobs SET status = 'cancelled', attempt = gone.attempt, shown = gone.attempt,"
    " started = gone.started, finished = greatest(clock(), gone.started), error = " POSTGRES_CANCELLED(
        "NULL") " FROM gone WHERE jobs.seq = gone.seq)"
                " SELECT 1 FROM gone";

service_status postgres_end_waiting(postgres_writer *writer, const char *id, bool *ended) {
  PGresult *result = postgres_db_query(&writer->db, end_waiting, "t", id);
  if (!result) return postgres_db_failure(&writer->db);
  *ended = PQntuples(result) > 0;
  PQclear(result);
  if (!*ended) return SERVICE_OK;
  postgres_writer_count(writer, JOB_QUEUED, -1, 0);
  postgres_writer_count(writer, JOB_CANCELLED, 1, 0);
  return postgres_writer_notify(writer, STORE_EVENT_ENDED, id) ? SERVICE_OK : SERVICE_FAILED;
}

service_status postgres_wants(postgres_db *db, const store_run *run, bool *wanted, bool *shown) {
  PGresult *result = postgres_db_query(db,
                                       "SELECT j.status IS NOT NULL AND j.shown = $2::int,"
                                       " coalesce(q.attempt = $2 AND NOT q.running, false)"
                                       " FROM jobs j LEFT JOIN queue q USING (id) WHERE id = $1",
                                       "ti", run->id, (int64_t)run->attempt);
  if (!result) return postgres_db_failure(db);
  bool found = PQntuples(result) > 0;
  *shown = found && postgres_integer(result, 0, 0) != 0;
  *wanted = *shown || (found && postgres_integer(result, 0, 1) != 0);
  PQclear(result);
  return SERVICE_OK;
}
