/* block_size.c - see block_size.h. */
#include "api/jobs/block_size.h"

/* Runs of the first block; the remaining work is divided by the number of workers, at least LEAST_SHARES, into blocks
 * of at least `minute_seconds`. */
enum { MOST_GROWTH = 8, FIRST_RUNS = 8, LEAST_SHARES = 4 };
static const double minute_seconds = 0.02;

/* Returns the number of runs, at least one, that take `seconds`. */
static size_t runs_of(const api_block_history *study, double seconds) {
  double runs = seconds / study->run_seconds;
  return runs < 1 ? 1 : runs > API_BLOCK_RUNS ? API_BLOCK_RUNS : (size_t)runs;
}

size_t api_block_size(const api_block_history *study) {
  if (study->run_seconds <= 0) return FIRST_RUNS;
  size_t size = runs_of(study, API_BLOCK_SECONDS), shares = study->held + 1;
  size_t share = study->missing / (shares > LEAST_SHARES ? shares : LEAST_SHARES);
  size_t least = runs_of(study, minute_seconds);
  if (size > share) size = share > least ? share : least;
  /* The time of a run may be known before a block was handed out. */
  size_t last = study->last_size > 0 ? study->last_size : FIRST_RUNS;
  return size < MOST_GROWTH * last ? size : MOST_GROWTH * last;
}
