/* service_test.h - setup and teardown of tests of the API: each test has its own service. */
#ifndef SERVICE_TEST_H
#define SERVICE_TEST_H

#include "fake_service.h"

/* The service of the current test. */
extern fake_service fake;

/* Setup and teardown. */
int open_service(void **state);
int close_service(void **state);

#define SERVICE_TEST(name) cmocka_unit_test_setup_teardown(name, open_service, close_service)

#endif
