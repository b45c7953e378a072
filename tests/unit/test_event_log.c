/* The event log of jobs: the order of events, how many it retains, and that only the newest progress counts. */
#include "server/store/common/event_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int open_feed(void **state) {
  *state = srv_event_log_new();
  return *state ? 0 : -1;
}

static int close_feed(void **state) {
  srv_event_log_free(*state);
  return 0;
}

static service_subscription follow(srv_event_log *event_log, const char *id) {
  service_subscription follower;
  srv_event_log_subscribe(event_log, id, &follower);
  return follower;
}

/* Expects that the next event of the subscriber has this kind and job, and returns it. */
static service_event expect(srv_event_log *event_log, service_subscription *follower, service_event_kind kind,
                            const char *id) {
  service_event event;
  assert_true(srv_event_log_has(event_log, follower));
  assert_true(srv_event_log_next(event_log, follower, &event));
  assert_int_equal(event.kind, kind);
  assert_string_equal(event.id, id);
  assert_int_equal(follower->next, event.number + 1);
  return event;
}

static void expect_none(srv_event_log *event_log, service_subscription *follower) {
  service_event event;
  assert_false(srv_event_log_has(event_log, follower));
  assert_false(srv_event_log_next(event_log, follower, &event));
}

/* Polls the only job, which has made progress. */
static void look(srv_event_log *event_log, double now, const char *status, double t, size_t rows) {
  event_log_poll seen;
  assert_true(srv_event_log_next_poll(event_log, now, &seen));
  service_job job = {.progress_t = t, .progress_fraction = t / 10, .progress_evaluations = (uint64_t)(100 * t)};
  snprintf(job.status, sizeof job.status, "%s", status);
  srv_event_log_poll_done(event_log, &seen, &job, rows);
}

static void subscribers_receive_events_in_order(void **state) {
  srv_event_log *event_log = *state;
  srv_event_log_append(event_log, STORE_EVENT_QUEUED, "early");
  service_subscription all = follow(event_log, NULL), one = follow(event_log, "one");
  expect_none(event_log, &all);
  srv_event_log_append(event_log, STORE_EVENT_QUEUED, "one");
  srv_event_log_append(event_log, STORE_EVENT_STARTED, "other");
  srv_event_log_append(event_log, STORE_EVENT_CANCEL, "one");
  srv_event_log_append(event_log, STORE_EVENT_STARTED, "one");
  srv_event_log_append(event_log, STORE_EVENT_ENDED, "one");
  srv_event_log_append(event_log, STORE_EVENT_REMOVED, "one");
  service_subscription late = one; /* position of a subscriber that lost its connection */
  expect(event_log, &one, SERVICE_EVENT_QUEUED, "one");
  service_subscription resumed = one;
  for (int i = 0; i < 2; i++) {
    service_subscription *who = i == 0 ? &one : &resumed;
    expect(event_log, who, SERVICE_EVENT_STARTED, "one");
    expect(event_log, who, SERVICE_EVENT_DONE, "one");
    expect(event_log, who, SERVICE_EVENT_REMOVED, "one");
    expect_none(event_log, who);
  }
  expect(event_log, &late, SERVICE_EVENT_QUEUED, "one");
  expect(event_log, &all, SERVICE_EVENT_QUEUED, "one");
  expect(event_log, &all, SERVICE_EVENT_STARTED, "other");
  expect(event_log, &all, SERVICE_EVENT_STARTED, "one");
  expect(event_log, &all, SERVICE_EVENT_DONE, "one");
  expect(event_log, &all, SERVICE_EVENT_REMOVED, "one");
  expect_none(event_log, &all);
}

static void only_the_newest_progress_counts(void **state) {
  srv_event_log *event_log = *state;
  service_subscription quick = follow(event_log, "one"), slow = quick;
  srv_event_log_append(event_log, STORE_EVENT_STARTED, "one");
  expect(event_log, &quick, SERVICE_EVENT_STARTED, "one");
  event_log_poll seen;
  assert_false(srv_event_log_next_poll(event_log, 1, &seen));
  for (int i = 1; i <= 3; i++) {
    for (int k = 0; k < 5; k++) srv_event_log_append(event_log, STORE_EVENT_PROGRESS, "one");
    look(event_log, i, "running", i, i < 3 ? 10 : 30);
    assert_false(srv_event_log_next_poll(event_log, i + 0.1, &seen));
    service_event event = expect(event_log, &quick, SERVICE_EVENT_PROGRESS, "one");
    assert_true(event.t == i && event.fraction == i / 10.0 && event.evaluations == 100 * (uint64_t)i);
    if (i != 2) assert_int_equal(expect(event_log, &quick, SERVICE_EVENT_ROWS, "one").rows, i < 3 ? 10 : 30);
    expect_none(event_log, &quick);
  }
  expect(event_log, &slow, SERVICE_EVENT_STARTED, "one");
  assert_true(expect(event_log, &slow, SERVICE_EVENT_PROGRESS, "one").t == 3);
  assert_int_equal(expect(event_log, &slow, SERVICE_EVENT_ROWS, "one").rows, 30);
  expect_none(event_log, &slow);
  /* A poll that finds nothing new adds no event. */
  srv_event_log_append(event_log, STORE_EVENT_PROGRESS, "one");
  look(event_log, 5, "running", 3, 30);
  expect_none(event_log, &slow);
}

static void polls_are_sequential_and_limited(void **state) {
  srv_event_log *event_log = *state;
  srv_event_log_append(event_log, STORE_EVENT_STARTED, "one");
  srv_event_log_append(event_log, STORE_EVENT_PROGRESS, "one");
  event_log_poll first, second;
  assert_true(srv_event_log_next_poll(event_log, 1, &first));
  srv_event_log_append(event_log, STORE_EVENT_PROGRESS, "one");
  assert_false(srv_event_log_next_poll(event_log, 9, &second)); /* another poll is running */
  srv_event_log_poll_done(event_log, &first, NULL, 0);
  assert_false(srv_event_log_next_poll(event_log, 1.1, &second)); /* too soon after the last poll */
  assert_true(srv_event_log_next_poll(event_log, 1.3, &second));
  /* A poll that ends after the next attempt of the job has begun is not progress of that attempt. */
  srv_event_log_append(event_log, STORE_EVENT_QUEUED, "one");
  srv_event_log_append(event_log, STORE_EVENT_STARTED, "one");
  service_subscription now = follow(event_log, NULL);
  const service_job job = {.status = "running", .progress_t = 7};
  srv_event_log_poll_done(event_log, &second, &job, 5);
  expect_none(event_log, &now);
}

static void an_end_ends_progress(void **state) {
  srv_event_log *event_log = *state;
  srv_event_log_append(event_log, STORE_EVENT_STARTED, "one");
  service_subscription one = follow(event_log, "one");
  srv_event_log_append(event_log, STORE_EVENT_PROGRESS, "one");
  look(event_log, 1, "running", 1, 1);
  srv_event_log_append(event_log, STORE_EVENT_PROGRESS, "one");
  srv_event_log_append(event_log, STORE_EVENT_ENDED, "one");
  event_log_poll seen;
  assert_false(srv_event_log_next_poll(event_log, 2, &seen));
  srv_event_log_append(event_log, STORE_EVENT_PROGRESS, "one"); /* progress that arrives late */
  look(event_log, 3, "succeeded", 2, 2);
  srv_event_log_append(event_log, STORE_EVENT_CANCEL, "one");
  assert_false(srv_event_log_next_poll(event_log, 9, &seen));
  expect(event_log, &one, SERVICE_EVENT_DONE, "one");
  expect_none(event_log, &one);
}

static void slow_subscribers_receive_missed(void **state) {
  srv_event_log *event_log = *state;
  service_subscription behind = follow(event_log, "one"), quiet = behind;
  char id[SERVICE_ID_SIZE];
  for (int i = 0; i < EVENT_LOG_SIZE; i++) {
    snprintf(id, sizeof id, "job-%d", i);
    srv_event_log_append(event_log, STORE_EVENT_QUEUED, id);
  }
  expect_none(event_log, &quiet); /* no event was lost, and none is for this subscriber, which reads from time to
                                   * time */
  service_subscription all = {.life = behind.life, .next = behind.next};
  expect(event_log, &all, SERVICE_EVENT_QUEUED, "job-0");
  srv_event_log_append(event_log, STORE_EVENT_ENDED, "last");
  expect(event_log, &behind, SERVICE_EVENT_MISSED, "");
  expect_none(event_log, &behind);
  expect_none(event_log, &quiet);
  expect(event_log, &all, SERVICE_EVENT_QUEUED, "job-1");
}

static void another_life_is_missed(void **state) {
  srv_event_log *event_log = *state;
  const service_subscription now = follow(event_log, NULL);
  const service_subscription strange[] = {{.life = 0, .next = 0},
                                          {.life = now.life - 1, .next = now.next},
                                          {.life = now.life, .next = now.next + 1},
                                          {.life = now.life, .next = 0}};
  for (size_t i = 0; i < 4; i++) {
    service_subscription follower = strange[i];
    expect(event_log, &follower, SERVICE_EVENT_MISSED, "");
    assert_int_equal(follower.life, now.life);
    expect_none(event_log, &follower);
  }
  service_subscription one = follow(event_log, "one");
  srv_event_log_append(event_log, STORE_EVENT_MISSED, ""); /* the store itself may have missed events */
  expect(event_log, &one, SERVICE_EVENT_MISSED, "");
}

static void many_jobs_run_concurrently(void **state) {
  srv_event_log *event_log = *state;
  service_subscription all = follow(event_log, NULL);
  char id[SERVICE_ID_SIZE];
  for (int i = 0; i < 100; i++) {
    snprintf(id, sizeof id, "job-%d", i);
    srv_event_log_append(event_log, STORE_EVENT_STARTED, id);
    expect(event_log, &all, SERVICE_EVENT_STARTED, id);
  }
  for (int i = 0; i < 100; i++) {
    snprintf(id, sizeof id, "job-%d", i);
    srv_event_log_append(event_log, STORE_EVENT_PROGRESS, id);
    look(event_log, 1, "running", 1 + i, 0);
  }
  for (int i = 0; i < 100; i++) {
    snprintf(id, sizeof id, "job-%d", i);
    assert_true(expect(event_log, &all, SERVICE_EVENT_PROGRESS, id).t == 1 + i);
  }
  expect_none(event_log, &all);
}

int main(void) {
#define WITH_FEED(test) cmocka_unit_test_setup_teardown(test, open_feed, close_feed)
  const struct CMUnitTest tests[] = {
      WITH_FEED(subscribers_receive_events_in_order), WITH_FEED(only_the_newest_progress_counts),
      WITH_FEED(polls_are_sequential_and_limited),    WITH_FEED(an_end_ends_progress),
      WITH_FEED(slow_subscribers_receive_missed),     WITH_FEED(another_life_is_missed),
      WITH_FEED(many_jobs_run_concurrently),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
