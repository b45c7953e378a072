/* A study whose runs other processes make gives the same result as alone; which runs are offered, and when. */
#include "api/jobs/block.h"
#include "api/jobs/build.h"
#include "api/jobs/job.h"
#include "json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARRAYS_MAX = 4, RUNS = 60 };

/* A pendulum whose mass is sometimes below zero: such runs fail. */
MODEL(document, {
  "model": {"space": "planar", "parameters": {"a": 1, "m": 1}, "gravity": [0, -9.81],
            "ground": {"points": {"O": [0, 0]}},
            "bodies": [{"name": "bob", "mass": "m", "inertia": 0.1, "points": {"A": [0, 1]}}],
            "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "bob.A"],
                        "initial": {"position": "a"}}]},
  "analysis": {"type": "dynamics", "t_end": 0.5, "dt": 0.5},
  "study": {"vary": [{"parameter": "a", "uniform": [0.1, 3]}, {"parameter": "m", "uniform": [-1, 3]}],
            "design": "random", "runs": 60,
            "outputs": [{"name": "phi", "of": "bob.phi"}, {"name": "most", "of": "bob.omega", "take": "max"}]}
});

/* A host whose clock advances by `tick` seconds at each reading, with other processes that make blocks of `most` of the
 * offered runs, the first or the last ones first, and crash in the runs `crashed`, ... */
typedef struct host {
  double tick, time;
  bool refuses, backwards;
  size_t most, crashed_from, crashed_until;
  size_t cancel_after; /* number of blocks; 0: never */
  job_shared end;      /* state of the runs afterwards, if the study is not cancelled */
  const mbs_model *model;
  bool missing[RUNS];
  api_block_result made[RUNS];
  size_t asked, taken; /* number of calls */
  size_t first;        /* first run that was offered */
  double ahead;        /* largest number, and last reported fraction */
  double fraction;
  double *data[ARRAYS_MAX];
  size_t sizes[ARRAYS_MAX], count;
} host;

static double now(void *context) {
  host *self = context;
  self->time += self->tick;
  return self->time;
}

static bool progress(void *context, double t, double fraction, uint64_t evaluations) {
  host *self = context;
  (void)t;
  (void)evaluations;
  assert_true(fraction >= 0 && fraction <= 1);
  self->fraction = fraction;
  return self->end || self->cancel_after == 0 || self->taken < self->cancel_after;
}

static bool share(void *context, const job_share *share) {
  host *self = context;
  assert_true(share->runs > 0 && share->first + share->runs <= RUNS && share->together >= 1);
  assert_true(share->first > 0);
  self->asked++;
  if (self->refuses) return false;
  self->model = share->model;
  if (share->first < self->first) self->first = share->first;
  for (size_t i = share->first; i < share->first + share->runs; i++) {
    assert_false(self->missing[i]);
    self->missing[i] = true;
  }
  return true;
}

/* Makes one missing block. */
static void make_block(host *self) {
  size_t first = self->backwards ? RUNS - 1 : 0, runs = 1;
  while (!self->missing[first]) first += self->backwards ? -1 : 1;
  bool crashed = first >= self->crashed_from && first < self->crashed_until;
  while (runs < self->most && first + runs < RUNS && self->missing[first + runs] &&
         crashed == (first + runs >= self->crashed_from && first + runs < self->crashed_until))
    runs++;
  const job_hooks hooks = {0};
  api_block_run_model(self->model, &(api_block){.first = first, .runs = runs, .crashed = crashed}, &hooks,
                      &self->made[first]);
  for (size_t i = first; i < first + runs; i++) self->missing[i] = false;
}

static job_shared take(void *context, size_t first, api_block_result *made, double *ahead) {
  host *self = context;
  assert_true(first >= self->first && first < RUNS);
  if (self->end && self->taken == self->cancel_after) return self->end;
  if (!self->made[first].report) {
    make_block(self);
    *ahead = 1;
    return JOB_SHARED_LATER;
  }
  *made = self->made[first];
  *ahead = (double)made->runs;
  self->made[first] = (api_block_result){.runs = 0};
  self->taken++;
  return JOB_SHARED_BLOCK;
}

static const char *keep(void *context, const mbs_array *array, const char *labels, const char *units) {
  host *self = context;
  (void)labels;
  (void)units;
  size_t size = array->shape[0] * mbs_array_columns(array) * sizeof(double);
  self->sizes[self->count] = size;
  self->data[self->count] = malloc(size + 1);
  assert_non_null(self->data[self->count]);
  memcpy(self->data[self->count++], array->data, size);
  return NULL;
}

static void run(host *self, bool shares, job_outcome *outcome) {
  const mbs_limits limits = {0};
  const job_hooks hooks = {
      .context = self, .now = now, .progress = progress, .share = shares ? share : NULL, .shared = take, .array = keep};
  self->first = RUNS;
  api_job_run(document, strlen(document), &limits, &hooks, outcome);
}

static void clear(host *self, job_outcome *outcome) {
  for (size_t i = 0; i < self->count; i++) free(self->data[i]);
  for (size_t i = 0; i < RUNS; i++) api_block_result_free(&self->made[i]);
  job_outcome_free(outcome);
}

/* Returns a report without its run time. */
static json_t *report_of(const job_outcome *outcome) {
  json_t *report = json_loads(outcome->report, 0, NULL);
  assert_non_null(report);
  json_object_del(report, "wall_seconds");
  return report;
}

static void expect_same(const host *one, const job_outcome *first, const host *two, const job_outcome *second) {
  assert_string_equal(first->status, second->status);
  assert_int_equal(first->evaluations, second->evaluations);
  json_t *a = report_of(first), *b = report_of(second);
  assert_true(json_equal(a, b));
  json_decref(a);
  json_decref(b);
  assert_int_equal(one->count, two->count);
  for (size_t i = 0; i < one->count; i++) {
    assert_int_equal(one->sizes[i], two->sizes[i]);
    assert_memory_equal(one->data[i], two->data[i], one->sizes[i]);
  }
}

static void others_change_nothing(void **state) {
  (void)state;
  host alone = {.tick = 1e-6};
  job_outcome end;
  run(&alone, false, &end);
  assert_string_equal(end.status, "succeeded");
  static const double ticks[] = {1e-3, 1e-2, 1};
  static const size_t sizes[] = {1, 7, RUNS};
  for (size_t k = 0; k < 18; k++) {
    host many = {.tick = ticks[k % 3], .most = sizes[k / 3 % 3], .backwards = k >= 9};
    job_outcome outcome;
    run(&many, true, &outcome);
    assert_true(many.asked > 0 && many.taken > 0);
    assert_true(many.fraction == 1);
    expect_same(&alone, &end, &many, &outcome);
    clear(&many, &outcome);
  }
  clear(&alone, &end);
}

/* A study that ends quickly offers no runs to others, and it does not wait for offered runs that no process takes. */
static void alone(void **state) {
  (void)state;
  host quick = {.tick = 1e-9}, refused = {.tick = 1e-3, .refuses = true}, plain = {.tick = 1e-6};
  job_outcome ends[3];
  run(&quick, true, &ends[0]);
  run(&refused, true, &ends[1]);
  run(&plain, false, &ends[2]);
  assert_int_equal(quick.asked, 0);
  assert_int_equal(refused.asked, 1);
  expect_same(&plain, &ends[2], &quick, &ends[0]);
  expect_same(&plain, &ends[2], &refused, &ends[1]);
  clear(&quick, &ends[0]);
  clear(&refused, &ends[1]);
  clear(&plain, &ends[2]);
}

/* Runs in which other processes crash are failures among the others. */
static void crashes(void **state) {
  (void)state;
  host some = {.tick = 1, .most = 5, .crashed_from = 50, .crashed_until = 53};
  job_outcome outcome;
  run(&some, true, &outcome);
  assert_string_equal(outcome.status, "succeeded");
  json_t *report = report_of(&outcome), *failures = json_object_get(json_object_get(report, "study"), "failures"),
         *each;
  size_t index, found = 0;
  json_array_foreach(failures, index, each) {
    if (strcmp(json_string_value(json_object_get(each, "code")), "worker_crashed") != 0) continue;
    assert_int_equal(json_integer_value(json_object_get(each, "count")), 3);
    assert_int_equal(json_integer_value(json_object_get(each, "first")), 50);
    found++;
  }
  assert_int_equal(found, 1);
  json_decref(report);
  clear(&some, &outcome);
}

static void cancelled(void **state) {
  (void)state;
  host some = {.tick = 1, .most = 5, .cancel_after = 3};
  job_outcome outcome;
  run(&some, true, &outcome);
  assert_string_equal(outcome.status, "cancelled");
  assert_int_equal(some.taken, 3);
  const double *status = some.data[some.count - 1];
  assert_true(status[some.first] >= 0 && status[RUNS - 1] == -1);
  clear(&some, &outcome);
}

/* The remaining runs are abandoned after too many crashes, or if memory runs out. */
static void broken_off(void **state) {
  (void)state;
  host hopeless = {.tick = 1, .most = 5, .cancel_after = 3, .end = JOB_SHARED_ALL_CRASHED},
       failed = {.tick = 1, .most = 5, .cancel_after = 3, .end = JOB_SHARED_FAILED};
  job_outcome ends[2];
  run(&hopeless, true, &ends[0]);
  run(&failed, true, &ends[1]);
  assert_string_equal(ends[0].status, "failed");
  assert_non_null(strstr(ends[0].error, "\"worker_crashed\""));
  const double *status = hopeless.data[hopeless.count - 1];
  assert_true(status[hopeless.first] >= 0 && status[RUNS - 1] == -1);
  assert_string_equal(ends[1].status, "failed");
  assert_non_null(strstr(ends[1].error, "\"no_memory\""));
  assert_null(ends[1].report);
  clear(&hopeless, &ends[0]);
  clear(&failed, &ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(others_change_nothing), cmocka_unit_test(alone),
                                     cmocka_unit_test(crashes), cmocka_unit_test(cancelled),
                                     cmocka_unit_test(broken_off)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
