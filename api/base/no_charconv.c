/* no_charconv.c - replaces digits.cpp in the module of the page, which has no C++ library. 15 digits of text survive
 * its conversion to a double; 17 digits give every double back. */
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
