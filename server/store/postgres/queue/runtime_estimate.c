/* runtime_estimate.c - see runtime_estimate.h. */
#include "server/store/postgres/queue/runtime_estimate.h"

#include "server/store/store.h"

#include <math.h>

/* A rate older than this number of jobs is written again, so that it is not forgotten. */
enum { JOBS_BETWEEN = 1000 };

static const double least_seconds = 1e-4;

service_status postgres_runtime_learn(postgres_db *db, const postgres_seen *seen) {
  if (seen->kind == 0) return SERVICE_OK;
  double rate = fmax(seen->seconds, least_seconds) / seen->span;
  if (seen->known && rate <= 2 * seen->rate && rate >= 0.5 * seen->rate && seen->job <= seen->of + JOBS_BETWEEN)
    return SERVICE_OK;
  service_status status = postgres_db_run(db, NULL,
                                          "INSERT INTO costs (kind, rate, job) VALUES ($1, $2, $3)"
                                          " ON CONFLICT (kind) DO UPDATE SET rate = excluded.rate, job = excluded.job",
                                          "idi", seen->kind, rate, seen->job);
  if (status != SERVICE_OK) return status;
  return postgres_db_run(db, NULL,
                         "UPDATE queue SET short = NOT short WHERE id IN (SELECT id FROM queue WHERE NOT running"
                         " AND kind = $1 AND kind <> 0 AND short <> ($2::float8 * span <= $3::float8)"
                         " ORDER BY id FOR UPDATE SKIP LOCKED)",
                         "idd", seen->kind, rate, STORE_SHORT_SECONDS);
}
