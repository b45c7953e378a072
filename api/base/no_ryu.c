/* no_ryu.c - in place of digits.c where its library is not: in the module of the page. 15 digits always survive a
 * double's reading, 17 always bring it back. */
#include "api/base/digits.h"

#include <stdio.h>
#include <stdlib.h>

int api_digits(double value, char out[API_DIGITS_MAX]) {
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(out, API_DIGITS_MAX, "%.*g", digits, value);
    if (strtod(out, NULL) == value) break;
  }
  return length;
}
