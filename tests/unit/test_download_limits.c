/* Limits on the number of result files being made and sent, per client and in total. */
#include "server/base/download_limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static srv_download_limits files = SRV_DOWNLOAD_LIMITS_INIT;
enum { BYTES = SRV_FILES_SMALL + 1 };

static int empty(void **state) {
  (void)state;
  files = (srv_download_limits)SRV_DOWNLOAD_LIMITS_INIT;
  return 0;
}

static service_status borrow(const char *client, size_t *loan) {
  return srv_download_limits_acquire(&files, "/tmp", 0, client, BYTES, loan);
}

/* Acquires and sends a file for the client. */
static size_t send_one(const char *client) {
  size_t loan;
  assert_int_equal(borrow(client, &loan), SERVICE_OK);
  srv_download_limits_made(&files, loan);
  return loan;
}

static void test_making(void **state) {
  (void)state;
  size_t first, second, none;
  assert_int_equal(borrow("a", &first), SERVICE_OK);
  assert_int_equal(borrow("a", &none), SERVICE_CLIENT_FULL);
  assert_int_equal(borrow("b", &second), SERVICE_OK);
  assert_int_not_equal(first, second);
  assert_int_equal(borrow("c", &none), SERVICE_BUSY);
  assert_int_equal(borrow("a", &none), SERVICE_CLIENT_FULL);
  srv_download_limits_made(&files, first);
  assert_int_equal(borrow("a", &none), SERVICE_OK);
}

/* Small files do not wait for others. */
static void test_small(void **state) {
  (void)state;
  size_t first, loan;
  assert_int_equal(borrow("a", &first), SERVICE_OK);
  for (int i = 0; i < 3 * SRV_FILES_OPEN; i++) {
    assert_int_equal(srv_download_limits_acquire(&files, "/tmp", 0, "a", SRV_FILES_SMALL, &loan), SERVICE_OK);
    if (i % 2) srv_download_limits_made(&files, loan);
  }
  srv_download_limits_release(&files, loan);
  assert_int_equal(borrow("a", &loan), SERVICE_CLIENT_FULL);
  assert_int_equal(srv_download_limits_acquire(&files, "/tmp", UINT64_MAX, "a", SRV_FILES_SMALL, &loan),
                   SERVICE_NO_SPACE);
}

/* A client gets at most half of the files; two clients together use all of them. */
static void test_open(void **state) {
  (void)state;
  size_t loans[SRV_FILES_OPEN], none;
  for (size_t i = 0; i < SRV_FILES_OPEN / 2; i++) loans[i] = send_one("a");
  assert_int_equal(borrow("a", &none), SERVICE_CLIENT_FULL);
  for (size_t i = SRV_FILES_OPEN / 2; i < SRV_FILES_OPEN; i++) loans[i] = send_one(NULL);
  assert_int_equal(borrow("", &none), SERVICE_CLIENT_FULL); /* requests without a client name count as one client */
  assert_int_equal(borrow("b", &none), SERVICE_BUSY);
  srv_download_limits_release(&files, loans[SRV_FILES_OPEN - 1]);
  assert_int_equal(borrow("a", &none), SERVICE_CLIENT_FULL);
  assert_int_equal(send_one("b"), loans[SRV_FILES_OPEN - 1]);
  srv_download_limits_release(&files, loans[0]);
  assert_int_equal(send_one("a"), loans[0]);
}

static void test_disk(void **state) {
  (void)state;
  size_t loan;
  assert_int_equal(srv_download_limits_acquire(&files, "/tmp", 0, "a", UINT64_MAX, &loan), SERVICE_NO_SPACE);
  assert_int_equal(srv_download_limits_acquire(&files, "/tmp", UINT64_MAX, "a", BYTES, &loan), SERVICE_NO_SPACE);
  /* If the free space of a disk is unknown, the limit is the largest size. */
  assert_int_equal(srv_download_limits_acquire(&files, "/no/such", 0, "a", UINT64_MAX, &loan), SERVICE_OK);
  assert_int_equal(srv_download_limits_acquire(&files, "/no/such", 0, "b", BYTES, &loan), SERVICE_BUSY);
}

int main(void) {
#define FILES_TEST(name) cmocka_unit_test_setup(name, empty)
  const struct CMUnitTest tests[] = {FILES_TEST(test_making), FILES_TEST(test_small), FILES_TEST(test_open),
                                     FILES_TEST(test_disk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
