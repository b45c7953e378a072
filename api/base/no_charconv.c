/* no_charconv.c - replaces digits.cpp in the WebAssembly module, which has no C++ library. A decimal number of 15
 * digits survives the conversion to a double and back; 17 digits determine every double. */
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
