/* service_test.c - see service_test.h. */
#include "service_test.h"

fake_service fake;

int open_service(void **state) {
  (void)state;
  fake_service_open(&fake);
  return 0;
}

int close_service(void **state) {
  (void)state;
  fake_service_close(&fake);
  return 0;
}
