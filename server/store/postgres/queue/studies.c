/* studies.c - see studies.h. */
#include "server/store/postgres/queue/studies.h"

#include "api/jobs/block_size.h"
#include "server/store/postgres/connection/notifications.h"

#include <string.h>

/* Notifies other servers that more can be claimed. */
static service_status tell_others(postgres_writer *writer, const char *id) {
  return postgres_writer_notify(writer, POSTGRES_EVENT_BLOCKS, id) ? SERVICE_OK : SERVICE_FAILED;
}

service_status postgres_studies_begin(postgres_writer *writer, const char *id, const char *client, size_t runs) {
  service_status status =
      postgres_db_run(&writer->db, NULL,
                      "WITH begun AS (INSERT INTO studies (job, client, coordinated, runs) VALUES ($1, $2, true, $3)"
                      " ON CONFLICT (job) DO UPDATE SET coordinated = true RETURNING job, xmax = 0 AS anew)"
                      " INSERT INTO ranges (job, first, until) SELECT job, 0, $3 FROM begun WHERE anew",
                      "tti", id, client, (int64_t)runs);
  return status == SERVICE_OK ? tell_others(writer, id) : status;
}

service_status postgres_studies_any(postgres_db *db, bool *any) {
  PGresult *result = postgres_db_query(db, "SELECT EXISTS (SELECT FROM studies WHERE coordinated)", "");
  if (!result) return postgres_db_failure(db);
  *any = postgres_integer(result, 0, 0) != 0;
  PQclear(result);
  return SERVICE_OK;
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

/* Picks that of a client's studies with blocks to claim which has the fewest blocks being computed. */
static const char pick_study[] =
    "SELECT job, attempts, last_size, run_seconds FROM studies WHERE client = $1 AND coordinated"
    " AND EXISTS (SELECT FROM ranges WHERE ranges.job = studies.job AND attempt = 0)"
    " ORDER BY (SELECT count(*) FROM ranges WHERE ranges.job = studies.job AND attempt > 0), job LIMIT 1 FOR UPDATE";

/* Gets the first missing range of a study, the number of its missing runs, and the number of its held blocks. */
static const char pick_range[] =
    "SELECT first, until, crashes, (SELECT sum(until - first)::bigint FROM ranges WHERE job = $1 AND attempt = 0),"
    " (SELECT count(*) FROM ranges WHERE job = $1 AND attempt > 0)"
    " FROM ranges WHERE job = $1 AND attempt = 0 ORDER BY first LIMIT 1";

/* Gives runs $2, ..., $3 - 1 of the missing range that ends at $4 to attempt $5; the rest stays missing. */
static const char hold[] =
    "WITH counted AS (UPDATE studies SET attempts = $5::int, last_size = $3::bigint - $2::bigint WHERE job = $1),"
    " rest AS (INSERT INTO ranges (job, first, until) SELECT $1, $3::bigint, $4::bigint WHERE $3::bigint < $4::bigint)"
    " UPDATE ranges SET until = $3::bigint, attempt = $5::int, lease_until = clock() + $6::float8"
    " WHERE job = $1 AND first = $2::bigint AND attempt = 0";

/* Takes a block of the picked study. */
static service_status take_block(postgres_db *db, const PGresult *study, double lease_seconds, store_claim *claim) {
  PGresult *range = postgres_db_query(db, pick_range, "t", PQgetvalue(study, 0, 0));
  if (!range) return postgres_db_failure(db);
  bool found = PQntuples(range) > 0;
  size_t until = 0;
  if (found) {
    size_t first = (size_t)postgres_integer(range, 0, 0), missing = (size_t)postgres_integer(range, 0, 3);
    until = (size_t)postgres_integer(range, 0, 1);
    const api_block_history history = {.run_seconds = postgres_double(study, 0, 3),
                                       .last_size = (size_t)postgres_integer(study, 0, 2),
                                       .missing = missing,
                                       .held = (size_t)postgres_integer(range, 0, 4)};
    size_t size = api_block_size(&history);
    *claim = (store_claim){.run = {.attempt = (int)postgres_integer(study, 0, 1) + 1, .is_block = true},
                           .crashes = (int)postgres_integer(range, 0, 2),
                           .first = first,
                           .runs = until - first > size ? size : until - first};
    postgres_copy(study, 0, 0, claim->run.id, SERVICE_ID_SIZE);
  }
  PQclear(range);
  if (!found) return SERVICE_NOT_READY;
  return postgres_db_run(db, NULL, hold, "tiiiid", claim->run.id, (int64_t)claim->first,
                         (int64_t)(claim->first + claim->runs), (int64_t)until, (int64_t)claim->run.attempt,
                         lease_seconds);
}

service_status postgres_studies_take(postgres_db *db, const char *client, double lease_seconds, store_claim *claim) {
  PGresult *study = postgres_db_query(db, pick_study, "t", client);
  if (!study) return postgres_db_failure(db);
  service_status status = PQntuples(study) > 0 ? take_block(db, study, lease_seconds, claim) : SERVICE_NOT_READY;
  PQclear(study);
  return status;
}

/* ---- leases ------------------------------------------------------------------------------------------------------ */

/* Locks a study. Returns NOT_FOUND if it is over. */
static service_status lock(postgres_db *db, const char *id) {
  PGresult *result = postgres_db_query(db, "SELECT 1 FROM studies WHERE job = $1 FOR UPDATE", "t", id);
  if (!result) return postgres_db_failure(db);
  bool found = PQntuples(result) > 0;
  PQclear(result);
  return found ? SERVICE_OK : SERVICE_NOT_FOUND;
}

service_status postgres_studies_renew(postgres_db *db, const store_run *run, double lease_seconds, store_lease *lease) {
  size_t changed = 0;
  service_status status = lock(db, run->id);
  if (status == SERVICE_OK)
    status = postgres_db_run(db, &changed,
                             "UPDATE ranges SET lease_until = clock() + $3::float8 WHERE job = $1"
                             " AND attempt = $2::int AND attempt > 0",
                             "tid", run->id, (int64_t)run->attempt, lease_seconds);
  *lease = changed > 0 ? STORE_LEASE_HELD : STORE_LEASE_LOST;
  return status == SERVICE_NOT_FOUND ? SERVICE_OK : status;
}

/* Splits a block in two halves if its worker died, until the run that kills workers is found. */
static const char give_back[] =
    "WITH held AS (DELETE FROM ranges WHERE job = $1 AND attempt = $2::int AND attempt > 0"
    " RETURNING first, until, crashes, CASE WHEN $3::boolean AND until - first > 1 THEN first + (until - first) / 2"
    " ELSE until END AS middle)"
    " INSERT INTO ranges (job, first, until, crashes) SELECT $1, first, middle, crashes +"
    " CASE WHEN $3::boolean AND until - first = 1 THEN 1 ELSE 0 END FROM held"
    " UNION ALL SELECT $1, middle, until, 0 FROM held WHERE middle < until";

service_status postgres_studies_give_back(postgres_writer *writer, const store_run *run, bool crashed) {
  size_t changed = 0;
  service_status status = lock(&writer->db, run->id);
  if (status == SERVICE_OK)
    status = postgres_db_run(&writer->db, &changed, give_back, "tif", run->id, (int64_t)run->attempt, (int)crashed);
  if (status != SERVICE_OK) return status;
  return changed > 0 ? tell_others(writer, run->id) : SERVICE_NOT_FOUND;
}

service_status postgres_studies_expire(postgres_writer *writer) {
  PGresult *result = postgres_db_query(
      &writer->db,
      "WITH late AS (SELECT job FROM studies WHERE EXISTS (SELECT FROM ranges WHERE ranges.job = studies.job"
      " AND attempt > 0 AND lease_until < clock()) ORDER BY job FOR UPDATE SKIP LOCKED)"
      " UPDATE ranges SET attempt = 0, lease_until = 0 FROM late WHERE ranges.job = late.job AND attempt > 0"
      " AND lease_until < clock() RETURNING ranges.job",
      "");
  if (!result) return postgres_db_failure(&writer->db);
  service_status status = SERVICE_OK;
  for (int row = 0; row < PQntuples(result) && status == SERVICE_OK; row++)
    status = tell_others(writer, PQgetvalue(result, row, 0));
  PQclear(result);
  return status;
}

/* ---- finished runs ----------------------------------------------------------------------------------------------- */

/* Removes runs $2, ..., $3 - 1 from the missing ones and from the block of run $4, which has no block afterwards. A run
 * takes $5 seconds, if known. */
static const char subtract[] =
    "WITH cut AS (DELETE FROM ranges WHERE job = $1 AND (attempt = $4::int AND attempt > 0"
    " OR attempt = 0 AND first < $3::bigint AND until > $2::bigint) RETURNING first, until),"
    " told AS (UPDATE studies SET run_seconds = $5::float8 WHERE job = $1 AND $3::bigint > $2::bigint)"
    " INSERT INTO ranges (job, first, until)"
    " SELECT $1, first, least(until, $2::bigint) FROM cut WHERE first < $2::bigint"
    " UNION ALL SELECT $1, greatest(first, $3::bigint), until FROM cut WHERE until > $3::bigint";

service_status postgres_studies_done(postgres_writer *writer, const store_run *run, const store_block *block) {
  postgres_db *db = &writer->db;
  size_t rest = 0;
  double each = block->runs > 0 ? block->seconds / (double)block->runs : 0;
  service_status status = lock(db, run->id);
  if (status == SERVICE_OK)
    status = postgres_db_run(db, &rest, subtract, "tiiid", run->id, (int64_t)block->first,
                             (int64_t)(block->first + block->runs), (int64_t)run->attempt, each);
  return status == SERVICE_OK && rest > 0 ? tell_others(writer, run->id) : status;
}
