/* service_test.h - what tests of the API begin and end with: a service behind it that is the test's own. */
#ifndef SERVICE_TEST_H
#define SERVICE_TEST_H

#include "fake_service.h"

/* Of the test that runs. */
extern fake_service fake;

/* Setup and teardown. */
int open_service(void **state);
int close_service(void **state);

#define SERVICE_TEST(name) cmocka_unit_test_setup_teardown(name, open_service, close_service)

#endif
