/* Rows that are passed on while a job runs equal those at its end. */
#include "api/jobs/job.h"
#include "models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARRAYS_MAX = 64 };

typedef struct kept_array {
  char name[64];
  size_t columns, rows;
  double *data;
} kept_array;

/* A receiver that wants rows at every `pace`-th question; 0: at the end only. */
typedef struct taker {
  size_t pace, questions, handovers;
  bool computed;
  size_t early; /* rows of the first array before the end */
  kept_array arrays[ARRAYS_MAX];
  size_t count;
} taker;

static const char *take_array(void *context, const mbs_array *array, const char *labels, const char *units) {
  taker *self = context;
  assert_non_null(labels);
  assert_non_null(units);
  assert_true(self->count < ARRAYS_MAX);
  kept_array *kept = &self->arrays[self->count++];
  *kept = (kept_array){.columns = mbs_array_columns(array)};
  snprintf(kept->name, sizeof kept->name, "%s", array->name);
  return NULL;
}

static const char *take_rows(void *context, size_t position, const mbs_array *array, size_t first, size_t count) {
  taker *self = context;
  kept_array *kept = &self->arrays[position];
  assert_true(position < self->count && first == kept->rows && count > 0);
  assert_string_equal(kept->name, array->name);
  kept->rows += count;
  kept->data = realloc(kept->data, (kept->rows * kept->columns + 1) * sizeof *kept->data);
  assert_non_null(kept->data);
  memcpy(kept->data + first * kept->columns, array->data + first * kept->columns,
         count * kept->columns * sizeof *kept->data);
  if (position == 0 && !self->computed) self->early = kept->rows;
  return NULL;
}

static bool wants_rows(void *context) {
  taker *self = context;
  return self->pace > 0 && ++self->questions % self->pace == 0;
}

static void has_rows(void *context, double t) {
  taker *self = context;
  self->handovers++;
  assert_true(t == self->arrays[0].data[self->arrays[0].rows - 1]);
  for (size_t i = 0; i < self->count; i++) assert_int_equal(self->arrays[i].rows, self->arrays[0].rows);
}

static void computed(void *context) { ((taker *)context)->computed = true; }

static void run(const char *text, size_t pace, size_t array_bytes, taker *out, job_outcome *outcome) {
  *out = (taker){.pace = pace};
  const mbs_limits limits = {0};
  const job_hooks hooks = {.context = out,
                           .array = take_array,
                           .rows = take_rows,
                           .wants_rows = wants_rows,
                           .has_rows = has_rows,
                           .computed = computed,
                           .array_bytes = array_bytes};
  api_job_run(text, strlen(text), &limits, &hooks, outcome);
}

static void clear(taker *self, job_outcome *outcome) {
  for (size_t i = 0; i < self->count; i++) free(self->arrays[i].data);
  job_outcome_free(outcome);
}

static void expect_same(const taker *one, const taker *two) {
  assert_int_equal(one->count, two->count);
  for (size_t i = 0; i < one->count; i++) {
    const kept_array *a = &one->arrays[i], *b = &two->arrays[i];
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->rows, b->rows);
    if (a->rows * a->columns > 0) assert_memory_equal(a->data, b->data, a->rows * a->columns * sizeof *a->data);
  }
}

static void compare(const char *text, size_t array_bytes) {
  static const size_t paces[] = {1, 7};
  taker whole;
  job_outcome end;
  run(text, 0, array_bytes, &whole, &end);
  assert_int_equal(whole.handovers, 0);
  for (size_t k = 0; k < sizeof paces / sizeof *paces; k++) {
    taker parts;
    job_outcome outcome;
    run(text, paces[k], array_bytes, &parts, &outcome);
    assert_string_equal(outcome.status, end.status);
    expect_same(&parts, &whole);
    if (array_bytes == 0 && whole.count > 0 && whole.arrays[0].rows > 20) assert_true(parts.handovers > 1);
    clear(&parts, &outcome);
  }
  clear(&whole, &end);
}

/* A model for each analysis, in the plane and in space, with events and without constraints. */
static void analyses(void **state) {
  (void)state;
  static const char *const names[] = {"SC",       "SCd",   "FourBar_equilibrium", "FourBar_inverse",
                                      "SP_modes", "AA_bc", "BouncingBall",        "FiveBar_driven",
                                      "TP",       "Door"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = models_named(names[i]);
    compare(text, 0);
    free(text);
  }
}

/* An array that does not fit in the end is not begun early. */
static void limits(void **state) {
  (void)state;
  char *text = models_named("SC");
  for (size_t bytes = 1000; bytes < 400000; bytes += 37000) compare(text, bytes);
  free(text);
}

/* A run that fails has passed on no row that its end withdraws. */
static void failures(void **state) {
  (void)state;
  MODEL(pole,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 1, "points": {"P": [1, 0]}}],
       "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "a.P"]}],
       "forces": [{"name": "m", "type": "torque", "body": "a", "value": "1/(0.735 - t)"}],
       "analysis": {"t_end": 2, "dt": 0.01, "integrator": {"method": "rk4", "fixed_step": 0.01}}});
  compare(pole, 0);
}

/* Rows that are first wanted after the run, while its derivatives are computed, are passed on then. */
static void sensitivities(void **state) {
  (void)state;
  MODEL(crank,
      {"space": "planar",
       "parameters": {"n": 1, "r": 0.3},
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "c", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0], "B": ["r", 0]}}],
       "joints": [{"name": "O", "type": "revolute", "points": ["ground.O", "c.A"]}],
       "drivers": [{"name": "m", "type": "joint", "joint": "O", "function": "0.5+sin(n*t)"}],
       "analysis": {"type": "kinematics", "t_end": 2, "dt": 0.1, "sensitivities": ["n", "r"]}});
  taker whole;
  job_outcome end;
  run(crank, 0, 0, &whole, &end);
  const kept_array *last = &whole.arrays[whole.count - 1];
  assert_string_equal(last->name, "sensitivities");
  /* d theta / d n = t cos(n t) at t = 2 */
  assert_true(fabs(last->data[(last->rows - 1) * last->columns] - 2 * cos(2)) < 1e-8);
  for (size_t pace = 5; pace < 120; pace += 5) {
    taker parts;
    job_outcome outcome;
    run(crank, pace, 0, &parts, &outcome);
    expect_same(&parts, &whole);
    clear(&parts, &outcome);
  }
  clear(&whole, &end);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(analyses),
      cmocka_unit_test(limits),
      cmocka_unit_test(failures),
      cmocka_unit_test(sensitivities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
