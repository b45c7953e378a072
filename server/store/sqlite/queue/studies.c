/* studies.c - see studies.h. */
#include "server/store/sqlite/queue/studies.h"

#include "api/base/array_grow.h"
#include "api/base/text.h"
#include "api/jobs/block_size.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Consecutive runs. */
typedef struct study_range {
  size_t first, end;
  int crashes; /* crashes of workers that computed this range only */
} study_range;

typedef struct study_block {
  study_range range;
  int attempt;
  double lease_until; /* monotonic */
} study_block;

typedef struct sqlite_study sqlite_study;
struct sqlite_study {
  char id[SERVICE_ID_SIZE];
  char *client;
  bool coordinated;
  size_t runs;
  study_range *missing; /* missing ranges in order; none touches another */
  size_t missing_count, missing_capacity;
  study_block *held;
  size_t held_count, held_capacity;
  int attempts;
  bool gets_on;       /* a block of it was completed since it was started */
  size_t last_size;   /* runs in the last block */
  double run_seconds; /* time per run in the last block; 0: unknown */
  sqlite_study *next;
};

static void study_free(sqlite_study *study) {
  free(study->client);
  free(study->missing);
  free(study->held);
  free(study);
}

void sqlite_studies_init(sqlite_studies *studies) {
  studies->first = NULL;
  pthread_mutex_init(&studies->mutex, NULL);
}

void sqlite_studies_free(sqlite_studies *studies) {
  for (sqlite_study *study; (study = studies->first);) {
    studies->first = study->next;
    study_free(study);
  }
  pthread_mutex_destroy(&studies->mutex);
}

/* Returns the link that points to a study, or to NULL. Like the functions below, requires the lock. */
static sqlite_study **find_link(sqlite_studies *studies, const char *id) {
  sqlite_study **link = &studies->first;
  while (*link && strcmp((*link)->id, id) != 0) link = &(*link)->next;
  return link;
}

/* ---- missing runs ------------------------------------------------------------------------------------------------ */

static void remove_missing(sqlite_study *study, size_t index) {
  assert(index < study->missing_count);
  study->missing_count--;
  memmove(&study->missing[index], &study->missing[index + 1], (study->missing_count - index) * sizeof *study->missing);
}

/* If memory runs out the range is omitted, until the coordinator misses its runs. */
static void insert_missing(sqlite_study *study, size_t index, study_range range) {
  assert(index <= study->missing_count);
  study_range *all = api_array_grow(study->missing, study->missing_count, &study->missing_capacity, sizeof *all);
  if (!all || range.first >= range.end) return;
  study->missing = all;
  memmove(&all[index + 1], &all[index], (study->missing_count - index) * sizeof *all);
  all[index] = range;
  study->missing_count++;
}

/* Removes runs from the missing ones. */
static void subtract(sqlite_study *study, size_t first, size_t end) {
  for (size_t i = 0; i < study->missing_count;) {
    study_range range = study->missing[i];
    if (range.end <= first || range.first >= end) {
      i++;
      continue;
    }
    remove_missing(study, i);
    if (range.end > end) insert_missing(study, i, (study_range){end, range.end, 0});
    if (range.first < first) insert_missing(study, i++, (study_range){range.first, first, 0});
  }
}

/* Adds runs to the missing ones, unless they are there. Ranges whose runs crashed, or may have, stay separate. */
static void add(sqlite_study *study, study_range range) {
  size_t i = 0;
  while (i < study->missing_count && study->missing[i].first < range.first) i++;
  insert_missing(study, i, range);
}

static void add_halves(sqlite_study *study, study_range range) {
  size_t middle = range.first + (range.end - range.first) / 2;
  add(study, (study_range){range.first, middle, 0});
  add(study, (study_range){middle, range.end, 0});
}

/* ---- studies ----------------------------------------------------------------------------------------------------- */

static sqlite_study *study_new(const char *id, const char *client, size_t runs) {
  assert(runs > 0 && strlen(id) < SERVICE_ID_SIZE);
  sqlite_study *study = calloc(1, sizeof *study);
  if (!study) return NULL;
  strncpy(study->id, id, SERVICE_ID_SIZE - 1);
  study->client = api_text_copy(client);
  study->runs = runs;
  add(study, (study_range){0, runs, 0});
  if (study->client && study->missing_count > 0) return study;
  study_free(study);
  return NULL;
}

bool sqlite_studies_begin(sqlite_studies *studies, const char *id, const char *client, size_t runs) {
  pthread_mutex_lock(&studies->mutex);
  sqlite_study **link = find_link(studies, id);
  if (!*link) *link = study_new(id, client, runs);
  bool begun = *link != NULL;
  if (begun) (*link)->coordinated = true;
  pthread_mutex_unlock(&studies->mutex);
  return begun;
}

void sqlite_studies_pause(sqlite_studies *studies, const char *id) {
  pthread_mutex_lock(&studies->mutex);
  sqlite_study *study = *find_link(studies, id);
  if (study) study->coordinated = false;
  pthread_mutex_unlock(&studies->mutex);
}

bool sqlite_studies_end(sqlite_studies *studies, const char *id) {
  pthread_mutex_lock(&studies->mutex);
  sqlite_study **link = find_link(studies, id), *study = *link;
  if (study) *link = study->next;
  pthread_mutex_unlock(&studies->mutex);
  if (study) study_free(study);
  return study != NULL;
}

bool sqlite_studies_has(sqlite_studies *studies, const char *id) {
  pthread_mutex_lock(&studies->mutex);
  bool has = *find_link(studies, id) != NULL;
  pthread_mutex_unlock(&studies->mutex);
  return has;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static bool waits(const sqlite_study *study) { return study->coordinated && study->missing_count > 0; }

static size_t count_missing(const sqlite_study *study) {
  size_t count = 0;
  for (size_t i = 0; i < study->missing_count; i++) count += study->missing[i].end - study->missing[i].first;
  return count;
}

static size_t block_size(const sqlite_study *study) {
  return api_block_size(&(api_block_history){study->run_seconds, study->last_size,
                                             study->run_seconds > 0 ? count_missing(study) : 0, study->held_count});
}

/* Takes the next block of a study from its missing runs. */
static bool take(sqlite_study *study, double lease_until, store_claim *claim) {
  assert(waits(study));
  study_block *held = api_array_grow(study->held, study->held_count, &study->held_capacity, sizeof *held);
  if (!held) return false;
  study->held = held;
  study_range *from = &study->missing[0], range = *from;
  size_t size = block_size(study);
  assert(size > 0 && range.first < range.end && range.end <= study->runs);
  if (range.end - range.first > size) range.end = range.first + size;
  if (range.end < from->end)
    from->first = range.end;
  else
    remove_missing(study, 0);
  study->last_size = size;
  held[study->held_count++] = (study_block){range, ++study->attempts, lease_until};
  *claim = (store_claim){.run = {.attempt = study->attempts, .is_block = true},
                         .crashes = range.crashes,
                         .first = range.first,
                         .runs = range.end - range.first};
  memcpy(claim->run.id, study->id, sizeof study->id);
  return true;
}

bool sqlite_studies_take(sqlite_studies *studies, const char *client, double lease_until, store_claim *claim) {
  sqlite_study *least = NULL;
  pthread_mutex_lock(&studies->mutex);
  for (sqlite_study *study = studies->first; study; study = study->next)
    if (waits(study) && strcmp(study->client, client) == 0 && (!least || study->held_count < least->held_count))
      least = study;
  bool taken = least && take(least, lease_until, claim);
  pthread_mutex_unlock(&studies->mutex);
  return taken;
}

/* Returns the block of a run, or NULL. */
static study_block *find_held(sqlite_study *study, const store_run *run) {
  for (size_t i = 0; study && i < study->held_count; i++)
    if (study->held[i].attempt == run->attempt) return &study->held[i];
  return NULL;
}

static study_range let_go(sqlite_study *study, study_block *held) {
  study_range range = held->range;
  assert(held >= study->held && held < study->held + study->held_count);
  *held = study->held[--study->held_count];
  return range;
}

bool sqlite_studies_renew(sqlite_studies *studies, const store_run *run, double lease_until) {
  pthread_mutex_lock(&studies->mutex);
  study_block *held = find_held(*find_link(studies, run->id), run);
  if (held) held->lease_until = lease_until;
  pthread_mutex_unlock(&studies->mutex);
  return held != NULL;
}

bool sqlite_studies_give_back(sqlite_studies *studies, const store_run *run, bool crashed) {
  pthread_mutex_lock(&studies->mutex);
  sqlite_study *study = *find_link(studies, run->id);
  study_block *held = find_held(study, run);
  if (held) {
    study_range range = let_go(study, held);
    bool alone = range.end - range.first == 1;
    range.crashes += crashed && alone;
    if (crashed && !alone)
      add_halves(study, range);
    else
      add(study, range);
  }
  pthread_mutex_unlock(&studies->mutex);
  return held != NULL;
}

void sqlite_studies_expire(sqlite_studies *studies, double now) {
  pthread_mutex_lock(&studies->mutex);
  for (sqlite_study *study = studies->first; study; study = study->next)
    for (size_t i = study->held_count; i > 0; i--)
      if (study->held[i - 1].lease_until < now) add(study, let_go(study, &study->held[i - 1]));
  pthread_mutex_unlock(&studies->mutex);
}

bool sqlite_studies_done(sqlite_studies *studies, const store_run *run, const store_block *block) {
  pthread_mutex_lock(&studies->mutex);
  sqlite_study *study = *find_link(studies, run->id);
  study_block *held = find_held(study, run);
  if (held) add(study, let_go(study, held));
  if (study) subtract(study, block->first, block->first + block->runs);
  if (study && block->runs > 0) study->run_seconds = block->seconds / (double)block->runs;
  const bool first = held && !study->gets_on;
  if (first) study->gets_on = true;
  pthread_mutex_unlock(&studies->mutex);
  return first;
}

static bool has(const study_range *range, size_t run) { return run >= range->first && run < range->end; }

/* Returns true if a run is held or missing, or does not belong to a known study. */
static bool expects(const sqlite_study *study, size_t run) {
  bool known = !study || run >= study->runs;
  for (size_t i = 0; !known && i < study->missing_count; i++) known = has(&study->missing[i], run);
  for (size_t i = 0; !known && i < study->held_count; i++) known = has(&study->held[i].range, run);
  return known;
}

bool sqlite_studies_expect(sqlite_studies *studies, const char *id, size_t run) {
  pthread_mutex_lock(&studies->mutex);
  bool known = expects(*find_link(studies, id), run);
  pthread_mutex_unlock(&studies->mutex);
  return known;
}

void sqlite_studies_miss(sqlite_studies *studies, const char *id, size_t run) {
  pthread_mutex_lock(&studies->mutex);
  sqlite_study *study = *find_link(studies, id);
  if (!expects(study, run)) add(study, (study_range){run, run + 1, 0});
  pthread_mutex_unlock(&studies->mutex);
}

/* ---- whose turn it is -------------------------------------------------------------------------------------------- */

bool sqlite_studies_wait(sqlite_studies *studies, const char *client) {
  bool found = false;
  pthread_mutex_lock(&studies->mutex);
  for (const sqlite_study *study = studies->first; study && !found; study = study->next)
    found = waits(study) && strcmp(study->client, client) == 0;
  pthread_mutex_unlock(&studies->mutex);
  return found;
}

void sqlite_studies_count(sqlite_studies *studies, const char *client, size_t *blocks, size_t *coordinated) {
  *blocks = *coordinated = 0;
  pthread_mutex_lock(&studies->mutex);
  for (const sqlite_study *study = studies->first; study; study = study->next) {
    if (strcmp(study->client, client) != 0) continue;
    *blocks += study->held_count;
    *coordinated += study->coordinated;
  }
  pthread_mutex_unlock(&studies->mutex);
}

static void blocks_wait(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *client = (const char *)sqlite3_value_text(values[0]);
  sqlite3_result_int(context, client && sqlite_studies_wait(sqlite3_user_data(context), client));
}

static void blocks_busy(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *client = (const char *)sqlite3_value_text(values[0]);
  size_t blocks = 0, coordinated = 0;
  if (client) sqlite_studies_count(sqlite3_user_data(context), client, &blocks, &coordinated);
  sqlite3_result_int64(context, (sqlite3_int64)blocks - (sqlite3_int64)coordinated);
}

bool sqlite_studies_functions(sqlite_studies *studies, sqlite3 *handle) {
  return sqlite3_create_function(handle, "blocks_wait", 1, SQLITE_UTF8, studies, blocks_wait, NULL, NULL) ==
             SQLITE_OK &&
         sqlite3_create_function(handle, "blocks_busy", 1, SQLITE_UTF8, studies, blocks_busy, NULL, NULL) == SQLITE_OK;
}
